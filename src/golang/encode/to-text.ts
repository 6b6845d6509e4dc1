import type { GoValue } from "../value/value.ts";
import { encodePrettyYaml } from "./encode-pretty-yaml.ts";
import { encodeYaml } from "./encode-yaml.ts";
import { EncodingError } from "./json-shape.ts";
import { encodeJson } from "./json-writer.ts";
import { encodeToml } from "./toml-writer.ts";

/** Helm's `toYaml`: what cannot be written is the empty string. */
export function toYaml(value: GoValue): string {
  return orEmpty(() => encodeYaml(value).replace(/\n$/, ""));
}

/** Helm's `toYamlPretty`, which indents lists below their keys and folds no lines. */
export function toYamlPretty(value: GoValue): string {
  return encodePrettyYaml(value).replace(/\n$/, "");
}

/** Helm's `toJson`: what cannot be written is the empty string. */
export function toJson(value: GoValue): string {
  return orEmpty(() => encodeJson(value));
}

/** Helm's `toToml`: what cannot be written gives the text of the error. */
export function toToml(value: GoValue): string {
  try {
    return encodeToml(value);
  } catch (error) {
    if (error instanceof EncodingError) return error.message;
    throw error;
  }
}

/** Templates do not see errors of these functions. */
function orEmpty(encode: () => string): string {
  try {
    return encode();
  } catch (error) {
    if (error instanceof EncodingError) return "";
    throw error;
  }
}
