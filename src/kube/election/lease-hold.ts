import type { Clock } from "#base";
import { ApiError } from "../transport/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { type LeaseRecord, microTime, newLease, readLease, writeLease } from "./lease.ts";
import type { KubeObject, ObjectRef } from "../client/object.ts";

export interface LeaseHoldOptions {
  readonly client: Pick<KubeClient, "find" | "create" | "replace">;
  readonly ref: ObjectRef;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: Pick<Clock, "now" | "monotonic">;
}

/** overtaken: somebody wrote the Lease between our reading and our writing. */
export type HoldOutcome = "held" | "overtaken" | "another's";

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Our grip on a Lease. Each write is conditional on the version that was read.
 * Clocks of different machines are never compared: a lease has run out when its record has not changed for its duration
 * by the clock of whoever looks at it.
 */
export class LeaseHold {
  readonly #options: LeaseHoldOptions;
  #lease: KubeObject | undefined;
  #observed: { readonly text: string; readonly holder: string; readonly at: number } | undefined;
  #renewed: Moment | undefined;

  constructor(options: LeaseHoldOptions) {
    this.#options = options;
  }

  /** Whom the Lease named when it was last read; empty for nobody. */
  get holder(): string | undefined {
    return this.#observed?.holder;
  }

  sinceRenewal(): number {
    return this.#renewed ? this.#options.clock.monotonic() - this.#renewed.monotonic : Infinity;
  }

  /** By the clock that counts longer: the monotonic one stands still while a machine sleeps, the other may be set back. */
  longestSinceRenewal(): number {
    return this.#renewed ? Math.max(this.sinceRenewal(), this.#options.clock.now() - this.#renewed.wall) : Infinity;
  }

  /** Takes the Lease if it is ours, free or run out. */
  async take(signal: AbortSignal): Promise<HoldOutcome> {
    const { client, ref, identity, clock } = this.#options;
    const started = this.#now();
    const found = await client.find(ref, signal);
    if (!found) return await this.#create(started, signal);
    const { record, since } = this.#observe(found);
    const isFree = record.holder === "" || record.holder === identity;
    if (!isFree && clock.monotonic() < since + record.durationMs) return "another's";
    return await this.#replace(found, started, signal);
  }

  /** Renews what is held. A Lease that names anybody else, even nobody, is lost: somebody may have led in between. */
  async renew(signal: AbortSignal): Promise<HoldOutcome> {
    const { client, ref, identity } = this.#options;
    const started = this.#now();
    if (this.#lease && (await this.#replace(this.#lease, started, signal)) === "held") return "held";
    const found = await client.find(ref, signal);
    if (!found) return await this.#create(started, signal);
    if (this.#observe(found).record.holder !== identity) return "another's";
    return await this.#replace(found, started, signal);
  }

  /** Leaves the Lease to nobody, so that the next one need not wait. */
  async release(signal: AbortSignal): Promise<void> {
    const { client, ref, identity, clock } = this.#options;
    const lease = this.#lease ?? (await client.find(ref, signal));
    if (!lease || readLease(lease).holder !== identity) return;
    const record = { ...readLease(lease), holder: "", durationMs: 1000, renewTime: microTime(clock.now()) };
    await client.replace(writeLease(lease, record), {}, signal);
  }

  /** Taken before a request is sent: whoever sees its effect does so later. */
  #now(): Moment {
    const { clock } = this.#options;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }

  #observe(found: KubeObject): { readonly record: LeaseRecord; readonly since: number } {
    const record = readLease(found);
    const text = JSON.stringify(record);
    const at = this.#observed?.text === text ? this.#observed.at : this.#options.clock.monotonic();
    this.#observed = { text, holder: record.holder, at };
    return { record, since: at };
  }

  async #replace(found: KubeObject, started: Moment, signal: AbortSignal): Promise<HoldOutcome> {
    const { client, identity, leaseDurationMs } = this.#options;
    const before = readLease(found);
    const isOurs = before.holder === identity;
    const now = microTime(started.wall);
    const record = {
      holder: identity,
      durationMs: leaseDurationMs,
      acquireTime: isOurs ? before.acquireTime : now,
      renewTime: now,
      transitions: before.transitions + (isOurs ? 0 : 1),
    };
    return await this.#settle(client.replace(writeLease(found, record), {}, signal), started, [
      "isConflict",
      "isNotFound",
    ]);
  }

  async #create(started: Moment, signal: AbortSignal): Promise<HoldOutcome> {
    const { client, ref, identity, leaseDurationMs } = this.#options;
    const now = microTime(started.wall);
    const record = { holder: identity, durationMs: leaseDurationMs, acquireTime: now, renewTime: now, transitions: 0 };
    return await this.#settle(client.create(newLease(ref, record), {}, signal), started, ["isAlreadyExists"]);
  }

  async #settle(
    writing: Promise<KubeObject>,
    started: Moment,
    overtakings: readonly ("isConflict" | "isNotFound" | "isAlreadyExists")[],
  ): Promise<HoldOutcome> {
    try {
      this.#lease = await writing;
      this.#renewed = started;
      return "held";
    } catch (error) {
      this.#lease = undefined;
      if (error instanceof ApiError && overtakings.some((name) => error[name])) return "overtaken";
      throw error;
    }
  }
}
