import type { Clock } from "#base";
import { ApiError } from "../transport/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import {
  eventName,
  eventNamespace,
  eventObject,
  type EventSeries,
  eventSubject,
  type ObjectEvent,
  type Reporter,
  seriesFields,
} from "./event-series.ts";
import type { KubeObject } from "../client/object.ts";

export interface EventWriterDeps {
  readonly client: Pick<KubeClient, "create" | "patch">;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly random: () => number;
  /** Runs a write when there is a free slot. */
  readonly run: (task: () => Promise<void>) => Promise<void>;
  /** Called when an event will not be written. */
  onFailure(error: unknown): void;
}

/** The first write waits a moment, because the same event often follows at once. */
const momentMs = 1_000;
const shortestIntervalMs = 10_000;
const tries = 5;

/** Writes the count of one series to the server: the first events after a moment, later ones together, every few seconds. */
export class EventWriter {
  readonly #deps: EventWriterDeps;
  readonly #series: EventSeries;
  #name: string;
  #isCreated = false;
  #written = 0;
  #failures = 0;
  #timer: Disposable | undefined;
  #writing: Promise<void> | undefined;
  lastCounted: number;

  constructor(deps: EventWriterDeps, about: KubeObject, event: ObjectEvent) {
    const now = deps.clock.now();
    this.#deps = deps;
    this.#series = { about: eventSubject(about), event, firstAt: now, lastAt: now, count: 1 };
    this.#name = this.#newName();
    this.lastCounted = deps.clock.monotonic();
    this.#writeIn(momentMs);
  }

  countAgain(monotonicNow: number): void {
    this.lastCounted = monotonicNow;
    this.#series.lastAt = this.#deps.clock.now();
    this.#series.count += 1;
    if (!this.#writing) this.#writeIn(shortestIntervalMs);
  }

  /** Tries once to write the pending count, and stops the timer. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#stopTimer();
    if (this.#isBehind) this.#write();
    await this.#writing;
    this.#stopTimer();
  }

  get #isBehind(): boolean {
    return this.#written < this.#series.count;
  }

  #writeIn(ms: number): void {
    this.#timer ??= this.#deps.clock.after(ms, () => {
      this.#timer = undefined;
      this.#write();
    });
  }

  #stopTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #write(): void {
    this.#writing ??= this.#deps
      .run(() => this.#writeOnce())
      .finally(() => {
        this.#writing = undefined;
        if (this.#isBehind) this.#writeIn(shortestIntervalMs);
      });
  }

  async #writeOnce(): Promise<void> {
    const { count } = this.#series;
    try {
      await (this.#isCreated ? this.#patch() : this.#create());
      this.#written = count;
      this.#failures = 0;
    } catch (error) {
      this.#afterFailure(error, count);
    }
  }

  async #create(): Promise<void> {
    const { client, reporter } = this.#deps;
    try {
      await client.create(eventObject(this.#name, this.#series, reporter), { fieldManager: reporter.controller });
    } catch (error) {
      // The answer of an earlier attempt got lost: the name is unique to this writer.
      if (!(error instanceof ApiError && error.isAlreadyExists)) throw error;
      this.#isCreated = true;
      if (this.#series.count > 1) await this.#patch();
    }
    this.#isCreated = true;
  }

  async #patch(): Promise<void> {
    const { client, reporter } = this.#deps;
    const namespace = eventNamespace(this.#series.about);
    const ref = { apiVersion: "events.k8s.io/v1", kind: "Event", namespace, name: this.#name };
    const body = seriesFields(this.#series);
    await client.patch(ref, { type: "merge", body, fieldManager: reporter.controller });
  }

  #afterFailure(error: unknown, count: number): void {
    this.#failures += 1;
    if (this.#isCreated && error instanceof ApiError && error.isNotFound) {
      // Events expire after an hour: the series continues in a new one.
      this.#isCreated = false;
      this.#name = this.#newName();
    } else if (!mayPass(error) || this.#failures >= tries) {
      this.#written = count;
      this.#deps.onFailure(error);
    }
  }

  #newName(): string {
    const suffix = Math.floor(this.#deps.random() * 2 ** 52).toString(16);
    return eventName(this.#series.about, `${this.#deps.clock.now().toString(16)}${suffix.padStart(13, "0")}`);
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.isTooManyRequests || error.isServerFailure);
}
