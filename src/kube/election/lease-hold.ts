import type { Clock } from "#base";
import { ApiError } from "../transport/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { type LeaseRecord, newLease, readLease, writeLease } from "./lease.ts";
import { type KubeObject, microTime, type ObjectRef } from "../client/object.ts";

export interface LeaseHoldOptions {
  readonly client: Pick<KubeClient, "find" | "create" | "replace">;
  readonly ref: ObjectRef;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: Pick<Clock, "now" | "monotonic">;
}

/** overtaken: another process wrote the Lease between our read and our write. */
export type HoldOutcome = "held" | "overtaken" | "held by another";

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Takes, renews and releases a Lease for one identity. Each write is conditional on the version that was read.
 * Clocks of different machines are never compared: a lease has expired when an observer has seen no change for its
 * duration, by the observer's own clock.
 */
export class LeaseHold {
  readonly #options: LeaseHoldOptions;
  #lease: KubeObject | undefined;
  #observed: { readonly text: string; readonly holder: string; readonly at: number } | undefined;
  #renewed: Moment | undefined;

  constructor(options: LeaseHoldOptions) {
    this.#options = options;
  }

  /** The holder that the Lease named when it was last read; empty if it had none. */
  get holder(): string | undefined {
    return this.#observed?.holder;
  }

  sinceRenewal(): number {
    return this.#renewed ? this.#options.clock.monotonic() - this.#renewed.monotonic : Infinity;
  }

  /** The larger of both clocks: the monotonic one stops while the machine sleeps, the wall clock may be set back. */
  longestSinceRenewal(): number {
    return this.#renewed ? Math.max(this.sinceRenewal(), this.#options.clock.now() - this.#renewed.wall) : Infinity;
  }

  /** Takes the Lease if it is ours, free or expired. */
  async take(signal: AbortSignal): Promise<HoldOutcome> {
    const { client, ref, identity, clock } = this.#options;
    const started = this.#now();
    const found = await client.find(ref, signal);
    if (!found) return await this.#create(started, signal);
    const { record, since } = this.#observe(found);
    const isFree = record.holder === "" || record.holder === identity;
    if (!isFree && clock.monotonic() < since + record.durationMs) return "held by another";
    return await this.#replace(found, started, signal);
  }

  /** Renews the Lease. If it no longer names us, it is lost, even without a holder: another process may have led meanwhile. */
  async renew(signal: AbortSignal): Promise<HoldOutcome> {
    const { client, ref, identity } = this.#options;
    const started = this.#now();
    if (this.#lease && (await this.#replace(this.#lease, started, signal)) === "held") return "held";
    const found = await client.find(ref, signal);
    if (!found) return await this.#create(started, signal);
    if (this.#observe(found).record.holder !== identity) return "held by another";
    return await this.#replace(found, started, signal);
  }

  /** Clears the holder, so that the next leader need not wait for the lease to expire. */
  async release(signal: AbortSignal): Promise<void> {
    const { client, ref, identity, clock } = this.#options;
    const lease = this.#lease ?? (await client.find(ref, signal));
    if (!lease || readLease(lease).holder !== identity) return;
    const record = { ...readLease(lease), holder: "", durationMs: 1000, renewTime: microTime(clock.now()) };
    await client.replace(writeLease(lease, record), {}, signal);
  }

  /** Read before a request is sent, so that others cannot have seen its effect earlier. */
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
    conflicts: readonly ("isConflict" | "isNotFound" | "isAlreadyExists")[],
  ): Promise<HoldOutcome> {
    try {
      this.#lease = await writing;
      this.#renewed = started;
      return "held";
    } catch (error) {
      this.#lease = undefined;
      if (error instanceof ApiError && conflicts.some((name) => error[name])) return "overtaken";
      throw error;
    }
  }
}
