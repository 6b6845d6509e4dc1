import type { GoValue } from "../value/value.ts";
import { encodeJson } from "./json-writer.ts";
import { orEmpty } from "./to-yaml.ts";

/** Helm's `toJson`: what cannot be written is the empty string. */
export function toJson(value: GoValue): string {
  return orEmpty(() => encodeJson(value));
}
