import type { GoValue } from "../value/value.ts";
import { EncodingError } from "./encoding-error.ts";
import { encodeToml } from "./toml-writer.ts";

/** Helm's `toToml`: what cannot be written gives the text of the error. */
export function toToml(value: GoValue): string {
  try {
    return encodeToml(value);
  } catch (error) {
    if (error instanceof EncodingError) return error.message;
    throw error;
  }
}
