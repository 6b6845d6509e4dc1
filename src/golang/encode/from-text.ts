import { readFirstYamlDocument, YamlProblem } from "#yaml";
import { toBytes } from "../value/bytes.ts";
import { isGoObject, kindName } from "../value/kind.ts";
import { newMap } from "../value/map-view.ts";
import { quote } from "../value/quote.ts";
import { TypedNil } from "../value/typed-values.ts";
import type { GoValue } from "../value/value.ts";
import { type DecodedJson, decodeJson } from "./decode-json.ts";
import { parseToml, TomlError } from "./toml-parser.ts";

const mapType = "map[string]interface {}";
const listType = "[]interface {}";

/** Helm's `fromYaml`: a map, which has a key `Error` where the text is not a map in YAML. */
export function fromYaml(text: string): GoValue {
  const { value, error } = decodeYaml(text, mapType);
  return error === undefined ? (value ?? {}) : { Error: error };
}

/** Helm's `fromYamlArray`: a list, or an error as its only item. */
export function fromYamlArray(text: string): GoValue {
  const { value, error } = decodeYaml(text, listType);
  return error === undefined ? (value ?? []) : [error];
}

/** Helm's `fromJson`. Other than `fromYaml` it gives a nil map for null. */
export function fromJson(text: string): GoValue {
  const { value, error } = fitting(decodeJson(text), mapType);
  if (error === undefined) return value ?? new TypedNil(mapType);
  return { ...(isGoObject(value) ? value : {}), Error: error };
}

/** Helm's `fromJsonArray`. */
export function fromJsonArray(text: string): GoValue {
  const { value, error } = fitting(decodeJson(text), listType);
  return error === undefined ? (value ?? new TypedNil(listType)) : [error];
}

function decodeYaml(text: string, type: string): DecodedJson {
  try {
    const decoded = fitting({ value: readFirstYamlDocument(decodeUtf16(text), quote), error: undefined }, type);
    if (decoded.error === undefined) return decoded;
    return { value: null, error: `error unmarshaling JSON: while decoding JSON: ${decoded.error}` };
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    return { value: null, error: `error converting YAML to JSON: ${error.message}` };
  }
}

/** Bytes that begin with the mark of UTF-16 are read as such. */
function decodeUtf16(text: string): string {
  if (text.startsWith("\udcff\udcfe")) return new TextDecoder("utf-16le").decode(toBytes(text));
  return text.startsWith("\udcfe\udcff") ? new TextDecoder("utf-16be").decode(toBytes(text)) : text;
}

const jsonNames: Readonly<Record<string, string>> = { float64: "number", slice: "array", map: "object" };

/** A value of another type than the expected one is an error. */
function fitting(decoded: DecodedJson, type: string): DecodedJson {
  const { value, error = "" } = decoded;
  // A number too large for a float is null here; as the whole text it is still no map.
  const kind = value === null && error.startsWith("json: cannot unmarshal number") ? "float64" : kindName(value);
  if (kind === "invalid" || kind === (type === mapType ? "map" : "slice")) return decoded;
  const name = jsonNames[kind] ?? kind;
  return { value: null, error: `json: cannot unmarshal ${name} into Go value of type ${type}` };
}

/** Helm's `fromToml`: a map, which has a key `Error` where the text is not TOML. */
export function fromToml(text: string): GoValue {
  try {
    return parseToml(text);
  } catch (error) {
    if (error instanceof TomlError) return newMap([["Error", error.message]]);
    throw error;
  }
}
