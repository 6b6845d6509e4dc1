import { type Clock, describeError, type Logger, redact } from "#base";
import { type DesiredPlace, desiredPlaces, ownSources } from "#integrations";
import { abortable, type ClusterAccess } from "#kube";
import type { ConsoleData } from "./console-data.ts";

/** The data is read again after this time, in the background. */
const freshMs = 30_000;

/** Where the data runs integrations on the cluster of the console, for all sessions of persons who may see the data. */
export class DesiredIntegrations {
  readonly #data: ConsoleData;
  readonly #access: ClusterAccess;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #listeners = new Set<() => void>();
  readonly #ending = new AbortController();
  #places: readonly DesiredPlace[] = [];
  /** Of the data that was read last. */
  #identity: string | undefined;
  #problem: string | undefined;
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(data: ConsoleData, { access, clock, log }: { access: ClusterAccess; clock: Clock; log: Logger }) {
    this.#data = data;
    this.#access = access;
    this.#clock = clock;
    this.#log = log;
  }

  /** As of the last reading; an integration whose file has an error is not among them. */
  get places(): readonly DesiredPlace[] {
    return this.#places;
  }

  /** Why the last reading failed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The first call waits until the data was read. */
  async ready(signal: AbortSignal): Promise<void> {
    const isFirst = this.#readAt === -Infinity;
    if (this.#clock.monotonic() - this.#readAt > freshMs) {
      this.#reading ??= this.#read(this.#ending.signal).finally(() => {
        this.#reading = undefined;
      });
    }
    if (isFirst && this.#reading) await abortable(this.#reading, signal);
  }

  /** Hears that a reading gave something else than the one before. */
  subscribe(listener: () => void): Disposable {
    const own = (): void => listener();
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  [Symbol.dispose](): void {
    this.#ending.abort(new Error("the console ends"));
  }

  async #read(signal: AbortSignal): Promise<void> {
    const before = JSON.stringify([this.#places, this.#problem]);
    try {
      const { source, desire, clusters } = this.#data;
      const loaded = await source.load(signal);
      if (loaded.identity !== this.#identity) {
        const all = await desiredPlaces(loaded, desire(), signal);
        const reach = (await ownSources(this.#access, clusters))(all.map(({ cluster }) => cluster));
        this.#places = all.filter((_, index) => reach[index]?.skip === undefined);
        this.#identity = loaded.identity;
      }
      this.#problem = undefined;
    } catch (error) {
      if (signal.aborted) return;
      const problem = redact(describeError(error));
      if (problem !== this.#problem) this.#log.warn("console: the data cannot be read", { error });
      this.#problem = problem;
    }
    this.#readAt = this.#clock.monotonic();
    if (before !== JSON.stringify([this.#places, this.#problem])) for (const listener of this.#listeners) listener();
  }
}
