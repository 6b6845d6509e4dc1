import { readFirstYamlDocument, YamlProblem } from "#yaml";
import { compareStrings, type GoObject, type GoValue, newMap } from "../value/index.ts";
import { EncodingError } from "./encoding-error.ts";
import { Fields, type JsonShape, jsonShape, NumberText } from "./json-shape.ts";
import { jsonString } from "./json-string.ts";
import type { YamlDialect } from "./yaml-dialect.ts";
import { compareYamlKeys } from "./yaml-key-order.ts";
import { yamlNumber, yamlNumberText } from "./yaml-number.ts";
import { YamlWriter } from "./yaml-writer.ts";

/**
 * A value as `sigs.k8s.io/yaml` writes it: to JSON, read as YAML, written by goyaml.v2.
 * There is no JSON here, but what that way does to a value is done. Throws an `EncodingError` where Go fails.
 */
export function encodeYaml(value: GoValue): string {
  return new YamlWriter(dialect).write(value);
}

const dialect: YamlDialect = { shape, entries, version: 2 };

function shape(value: GoValue): Exclude<JsonShape, number> {
  if (typeof value === "string") return passThroughJson(value);
  const json = jsonShape(value);
  if (typeof json === "number") return new NumberText(yamlNumber(json));
  if (json instanceof NumberText) return new NumberText(yamlNumberText(json.text));
  if (json instanceof Fields) return newMap(json.entries);
  return typeof json === "string" ? passThroughJson(json) : json;
}

/** So short that its JSON cannot reach the length that a key may have. */
const shortKey = 170;
const longestJsonKey = 1024;

function entries(map: GoObject): (readonly [string, GoValue])[] {
  const keys = Object.keys(map);
  if (keys.some((key) => key.length > shortKey || notPassed.test(key))) return changedEntries(map, keys);
  if (keys.length > 1) keys.sort(compareYamlKeys);
  return keys.map((key) => [key, map[key]]);
}

/** Of keys that JSON makes the same, the last in JSON's order stays. */
function changedEntries(map: GoObject, keys: readonly string[]): (readonly [string, GoValue])[] {
  const passed = new Map(keys.toSorted(compareStrings).map((key) => [passKeyThroughJson(key), map[key]]));
  return [...passed].toSorted(([left], [right]) => compareYamlKeys(left, right));
}

function passKeyThroughJson(key: string): string {
  const json = jsonString(key);
  // The YAML reader takes nothing for a key that is longer, or goes over a line break.
  const isTooLong = json.length > longestJsonKey && Array.from(json).length > longestJsonKey;
  if (isTooLong || key.includes("\x85")) throw new EncodingError("yaml: did not find expected ',' or '}'");
  return passThroughJson(key);
}

/** What the YAML reader refuses or changes in the JSON that lies between a value and its YAML. */
const notPassed = /[\x7f-\x9f\ufffe\uffff]|\p{Surrogate}/u;

function passThroughJson(text: string): string {
  if (!notPassed.test(text)) return text;
  try {
    const value = readFirstYamlDocument(jsonString(text));
    return typeof value === "string" ? value : text;
  } catch (error) {
    throw error instanceof YamlProblem ? new EncodingError(error.message) : error;
  }
}
