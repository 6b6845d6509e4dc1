import { ApiError, type ReflectorSource } from "#kube";

/** How often a reflector read the whole state, and how often it need not have. */
export interface ReadingRecord {
  readonly source: ReflectorSource;
  /** Whether the whole state is being read, or must be before a watch can go on. */
  readonly isUnfinished: boolean;
  /** Times that the whole state was asked for. */
  readonly readings: number;
  /** Times that the server said it no longer knows the version. */
  readonly expiries: number;
  /** Times that the whole state was asked for although it was complete and no version had expired since. */
  readonly needless: number;
}

/** Stands between a reflector and its client, and counts. */
export function recordReadings(client: ReflectorSource): ReadingRecord {
  let isNeeded = true;
  let readings = 0;
  let expiries = 0;
  let needless = 0;

  function read(): void {
    readings += 1;
    if (!isNeeded) needless += 1;
  }

  function fail(error: unknown): never {
    if (error instanceof ApiError && error.isGone) {
      isNeeded = true;
      expiries += 1;
    }
    throw error;
  }

  const source: ReflectorSource = {
    async *pages(selection, options, signal) {
      const isWhole = options.limit !== 1;
      if (isWhole) read();
      try {
        yield* client.pages(selection, options, signal);
        if (isWhole) isNeeded = false;
      } catch (error) {
        fail(error);
      }
    },
    async *watch(selection, options, signal) {
      if (options.sendInitialEvents) read();
      try {
        for await (const event of client.watch(selection, options, signal)) {
          yield event;
          if (event.type === "BOOKMARK" && event.isInitialEventsEnd) isNeeded = false;
        }
      } catch (error) {
        fail(error);
      }
    },
  };

  return {
    source,
    get isUnfinished() {
      return isNeeded;
    },
    get readings() {
      return readings;
    },
    get expiries() {
      return expiries;
    },
    get needless() {
      return needless;
    },
  };
}
