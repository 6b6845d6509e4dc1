import { compareStrings } from "../value/bytes.ts";
import type { GoValue } from "../value/value.ts";
import { EncodingError, Fields, isShapeList, type JsonShape, jsonShape, NumberText } from "./json-shape.ts";

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

/** What encoding/json says of a number that JSON cannot express. */
export function unsupportedNumber(value: number): EncodingError {
  const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  return new EncodingError(`json: unsupported value: ${name}`);
}

const plain = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/;
const needsMore = /[<>&\u2028\u2029]/g;

/** A string as encoding/json writes it: `<`, `>` and `&` escaped unless told otherwise, a byte that is not UTF-8 as `\ufffd`. */
export function jsonString(text: string, escapesHtml = true): string {
  if (plain.test(text)) return `"${text}"`;
  if (text.isWellFormed()) return `"${escaped(text, escapesHtml)}"`;
  const parts = text.split(/\p{Surrogate}/u).map((part) => escaped(part, escapesHtml));
  return `"${parts.join("\\ufffd")}"`;
}

function escaped(text: string, escapesHtml: boolean): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(needsMore, (character) => {
      const code = character.charCodeAt(0);
      return code < 0x80 && !escapesHtml ? character : `\\u${code.toString(16).padStart(4, "0")}`;
    });
}
