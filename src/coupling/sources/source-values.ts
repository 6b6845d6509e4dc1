import type { KubeObject } from "#kube";
import { isJsonObject } from "../kinds/json-object.ts";
import type { OfferedValue } from "./merge-sources.ts";

/** What a Secret or a ConfigMap offers. Of a ConfigMap, only its text: `binaryData` is none. */
export function sourceValues(object: KubeObject): [string, OfferedValue][] {
  const isSecret = object.kind === "Secret";
  const data = isJsonObject(object["data"]) ? object["data"] : {};
  return Object.entries(data).flatMap(([key, value]): [string, OfferedValue][] => {
    if (typeof value !== "string") return [];
    return [[key, isSecret ? { value: Buffer.from(value, "base64").toString("utf8"), isSecret } : { value }]];
  });
}
