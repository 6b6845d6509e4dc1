import type { KubeObject } from "#kube";
import type { ExactObject } from "../resource/exact.ts";

/** A live object as the inventory holds it: the client has parsed it from JSON, so it is nothing else. */
export function liveBody(object: KubeObject): ExactObject {
  const body: unknown = object;
  if (!isParsed(body)) throw new TypeError("an object of a cluster is a map");
  return body;
}

function isParsed(body: unknown): body is ExactObject {
  return typeof body === "object" && body !== null;
}
