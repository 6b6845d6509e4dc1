import { newMap } from "../value/map-view.ts";
import type { GoValue } from "../value/value.ts";
import { parseToml, TomlError } from "./toml-parser.ts";

/** Helm's `fromToml`: a map, which has a key `Error` where the text is no TOML. */
export function fromToml(text: string): GoValue {
  try {
    return parseToml(text);
  } catch (error) {
    if (error instanceof TomlError) return newMap([["Error", error.message]]);
    throw error;
  }
}
