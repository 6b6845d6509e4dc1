import {
  YamlEntries,
  YamlPlainText,
  readFirstYamlDocument,
  type YamlDialect,
  YamlProblem,
  type YamlShape,
  YamlWriter,
} from "#yaml";
import { compareStrings, toBytes } from "../value/bytes.ts";
import { formatShortest } from "../value/format-float.ts";
import { newMap } from "../value/map-view.ts";
import type { GoObject, GoValue } from "../value/value.ts";
import { EncodingError, Fields, isShapeList, jsonShape, NumberText } from "./json-shape.ts";
import { jsonString, unsupportedNumber } from "./json-writer.ts";
import { compareYamlKeys } from "./yaml-key-order.ts";

/**
 * A value as `sigs.k8s.io/yaml` writes it: to JSON, read as YAML, written by goyaml.v2.
 * No JSON is written here, but values change as they do on that way. Throws an `EncodingError` where Go fails.
 */
export function encodeYaml(value: GoValue): string {
  return new YamlWriter(dialect).write(value);
}

const dialect: YamlDialect<GoValue> = {
  shape,
  style: { foldsLines: true, indentsLists: false, allowsTabsInLiterals: false, needsQuotes: () => false },
  toBytes,
};

function shape(value: GoValue): YamlShape<GoValue> {
  if (typeof value === "string") return passThroughJson(value);
  const json = jsonShape(value);
  if (json === null || typeof json === "boolean") return json;
  if (typeof json === "string") return passThroughJson(json);
  if (typeof json === "number") return new YamlPlainText(yamlNumber(json));
  if (json instanceof NumberText) return new YamlPlainText(yamlNumberText(json.text));
  if (isShapeList(json)) return json;
  return new YamlEntries(entries(json instanceof Fields ? newMap(json.entries) : json));
}

const lowestInteger = -(2n ** 63n);
const highestInteger = 2n ** 64n - 1n;
const integer = /^-?[0-9]+$/;

/** A float64 as it comes out behind JSON and goyaml.v2: as an integer if it is one of at most 64 bits. */
function yamlNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (!Number.isFinite(value)) throw unsupportedNumber(value);
  return yamlNumberText(String(value));
}

/** The same for a number that is given as text. */
function yamlNumberText(text: string): string {
  if (!integer.test(text)) return formatShortest(Number(text));
  const value = BigInt(text);
  return value >= lowestInteger && value <= highestInteger ? value.toString() : formatShortest(Number(text));
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
  // The YAML reader accepts no key that is longer or contains a line break.
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
