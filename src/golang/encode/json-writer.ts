import { compareStrings } from "../value/bytes.ts";
import type { GoValue } from "../value/value.ts";
import { EncodingError } from "./encoding-error.ts";
import { Fields, isShapeList, type JsonShape, jsonShape, NumberText } from "./json-shape.ts";
import { jsonString } from "./json-string.ts";

export interface JsonStyle {
  /** Whether `<`, `>` and `&` become escapes; as in Go they do unless this says no. */
  readonly escapesHtml?: boolean;
  /** Indent by two spaces a level, as `toPrettyJson` does. */
  readonly isPretty?: boolean;
}

/** A value as encoding/json writes it. Throws an `EncodingError` where Go returns an error. */
export function encodeJson(value: GoValue, style: JsonStyle = {}): string {
  return node(jsonShape(value), style, "\n");
}

/** `lineBreak` comes with the indentation of the level that the node is on. */
function node(shape: JsonShape, style: JsonStyle, lineBreak: string): string {
  if (typeof shape === "string") return jsonString(shape, style.escapesHtml);
  if (typeof shape === "number") return jsonNumber(shape);
  if (shape === null || typeof shape === "boolean") return String(shape);
  if (shape instanceof NumberText) return shape.text;
  const inner = `${lineBreak}  `;
  if (isShapeList(shape)) {
    const items: string[] = [];
    for (const item of shape) items.push(node(jsonShape(item), style, inner));
    return brackets("[", items, "]", style, lineBreak);
  }
  const entries = shape instanceof Fields ? shape.entries : sortedEntries(shape);
  const colon = style.isPretty ? ": " : ":";
  const fields: string[] = [];
  for (const [key, value] of entries)
    fields.push(jsonString(key, style.escapesHtml) + colon + node(jsonShape(value), style, inner));
  return brackets("{", fields, "}", style, lineBreak);
}

function sortedEntries(map: { readonly [key: string]: GoValue }): [string, GoValue][] {
  return Object.keys(map)
    .toSorted(compareStrings)
    .map((key) => [key, map[key]]);
}

function brackets(open: string, parts: readonly string[], close: string, style: JsonStyle, lineBreak: string): string {
  if (!style.isPretty || parts.length === 0) return open + parts.join(",") + close;
  return `${open}${lineBreak}  ${parts.join(`,${lineBreak}  `)}${lineBreak}${close}`;
}

/** JavaScript and Go write the same numbers with an exponent, and in the same way. */
function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) throw unsupportedNumber(value);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** What encoding/json says of a number that JSON has no word for. */
export function unsupportedNumber(value: number): EncodingError {
  const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  return new EncodingError(`json: unsupported value: ${name}`);
}
