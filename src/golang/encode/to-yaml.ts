import type { GoValue } from "../value/value.ts";
import { encodePrettyYaml } from "./encode-pretty-yaml.ts";
import { encodeYaml } from "./encode-yaml.ts";
import { EncodingError } from "./encoding-error.ts";

/** Helm's `toYaml`: what cannot be written is the empty string. */
export function toYaml(value: GoValue): string {
  return orEmpty(() => encodeYaml(value).replace(/\n$/, ""));
}

/** Helm's `toYamlPretty`, which indents lists below their keys and folds no lines. */
export function toYamlPretty(value: GoValue): string {
  return encodePrettyYaml(value).replace(/\n$/, "");
}

/** Templates do not see errors of these functions. */
export function orEmpty(encode: () => string): string {
  try {
    return encode();
  } catch (error) {
    if (error instanceof EncodingError) return "";
    throw error;
  }
}
