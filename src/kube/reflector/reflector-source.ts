import type { KubeObject, ObjectSelection } from "../client/object.ts";
import type { WatchEvent } from "../client/watch-events.ts";

/** What a reflector needs of a `KubeClient`. */
export interface ReflectorSource {
  pages(
    selection: ObjectSelection,
    options: { readonly limit?: number },
    signal: AbortSignal,
  ): AsyncIterable<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }>;
  watch(
    selection: ObjectSelection,
    options: {
      readonly resourceVersion?: string;
      /** Existing objects are sent as `ADDED`, followed by a bookmark. */
      readonly sendInitialEvents?: boolean;
      readonly timeoutSeconds?: number;
    },
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
}
