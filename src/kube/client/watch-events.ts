import { isRecord } from "#base";
import { ConnectionError } from "../transport/connection-error.ts";
import { LineSplitter } from "./line-splitter.ts";
import { isKubeObject, type KindRef, type KubeObject } from "./object.ts";
import { apiErrorFromStatus } from "../transport/read-status.ts";
import { describeRequest, type KubeRequest } from "../transport/request.ts";

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | {
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      /** Every object that was there when the watch began has been sent, if it was asked for. */
      readonly isInitialEventsEnd: boolean;
    };

export interface WatchSource {
  readonly request: KubeRequest;
  /** For messages, as `request`. */
  readonly cluster: string;
  /** What objects are, when they come as `PartialObjectMetadata`. */
  readonly partialKind?: KindRef;
}

/** Reads the body of a watch. Ends when it ends after a whole event; an `ERROR` event is thrown as the `ApiError` it is. */
export async function* readWatchEvents(
  body: AsyncIterable<Uint8Array>,
  source: WatchSource,
): AsyncGenerator<WatchEvent> {
  const splitter = new LineSplitter();
  for await (const piece of body) {
    for (const line of splitter.push(piece)) yield readWatchEvent(line, source);
  }
  if (splitter.takeRest() !== undefined) throw broken("ended in the middle of an event", source);
}

function readWatchEvent(line: string, source: WatchSource): WatchEvent {
  const event = parse(line, source);
  const { type, object } = isRecord(event) ? event : {};
  if (type === "BOOKMARK") return readBookmark(object, source);
  if (type === "ERROR") throw apiErrorFromStatus(object, source.request, source.cluster);
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") {
    throw broken("sent an event of an unknown type", source);
  }
  if (!isKubeObject(object)) throw broken("sent an event without an object", source);
  return { type, object: source.partialKind ? { ...object, ...source.partialKind } : object };
}

/** Without V8's error as cause: it quotes the text, which may be a Secret. */
function parse(line: string, source: WatchSource): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw broken("sent a line that is not JSON", source);
  }
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
function readBookmark(object: unknown, source: WatchSource): WatchEvent {
  const metadata = isRecord(object) && isRecord(object.metadata) ? object.metadata : {};
  if (typeof metadata.resourceVersion !== "string") throw broken("sent a bookmark without a version", source);
  const annotations = isRecord(metadata.annotations) ? metadata.annotations : {};
  return {
    type: "BOOKMARK",
    resourceVersion: metadata.resourceVersion,
    isInitialEventsEnd: annotations["k8s.io/initial-events-end"] === "true",
  };
}

function broken(what: string, { request, cluster }: WatchSource): ConnectionError {
  const message = `${describeRequest(request)} on ${cluster}: the watch ${what}`;
  return new ConnectionError(message, { failure: "broken", wasSent: true });
}
