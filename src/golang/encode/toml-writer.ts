import { formatTime } from "../time/format-time.ts";
import { timeOf } from "../time/time-value.ts";
import { utc } from "../time/zone.ts";
import { compareStrings } from "../value/bytes.ts";
import { formatShortest } from "../value/format-float.ts";
import { sprint } from "../value/format.ts";
import { FunctionError } from "../value/go-function.ts";
import { isGoObject, kindName } from "../value/kind.ts";
import { newMap } from "../value/map-view.ts";
import { Bytes, Complex, GoMap, Int, Named, Slice, Struct, TypedNil } from "../value/typed-values.ts";
import type { GoObject, GoValue } from "../value/value.ts";
import { EncodingError, Fields, NumberText } from "./json-shape.ts";

/** What TOML knows of a value; `null` is left out. */
type TomlShape = null | boolean | string | NumberText | readonly GoValue[] | Fields;

/** A value as BurntSushi's TOML encoder writes it, which Helm uses. Throws an `EncodingError` where Go returns an error. */
export function encodeToml(value: GoValue): string {
  if (value === null || value === undefined)
    throw new FunctionError("reflect: call of reflect.Value.Type on zero Value");
  if (value instanceof TypedNil && value.type.startsWith("[]")) return "[]";
  if (value instanceof Complex) throw new EncodingError("unsupported type for key '': complex128");
  const writer = new TomlWriter();
  writer.value([], tomlShape(value));
  return writer.text;
}

class TomlWriter {
  text = "";

  value(key: readonly string[], shape: TomlShape): void {
    if (shape === null) return;
    if (shape instanceof Fields) return this.#table(key, shape);
    if (!isTableList(shape)) return this.#pair(key, shape);
    if (key.length === 0) throw new EncodingError("toml: top-level values must be Go maps or structs");
    for (const item of shape) this.#tableOfList(key, tomlShape(item));
  }

  #tableOfList(key: readonly string[], shape: TomlShape): void {
    if (!(shape instanceof Fields)) return;
    this.#newline();
    this.text += `${indentation(key)}[[${key.map(tomlKey).join(".")}]]`;
    this.#newline();
    this.#fields(key, shape);
  }

  #table(key: readonly string[], shape: Fields): void {
    if (key.length === 1) this.#newline();
    if (key.length > 0) {
      this.text += `${indentation(key)}[${key.map(tomlKey).join(".")}]`;
      this.#newline();
    }
    this.#fields(key, shape);
  }

  /** Plain values come before tables; behind a table they would belong to it. */
  #fields(key: readonly string[], { entries }: Fields): void {
    for (const [name, shape] of inTomlOrder(entries)) this.value([...key, name], shape);
  }

  #pair(key: readonly string[], shape: TomlShape): void {
    const name = key.at(-1);
    if (name === undefined) {
      this.text += inline(shape);
      return;
    }
    this.text += `${indentation(key)}${tomlKey(name)} = ${inline(shape)}`;
    this.#newline();
  }

  #newline(): void {
    if (this.text !== "") this.text += "\n";
  }
}

function indentation(key: readonly string[]): string {
  return "  ".repeat(key.length - 1);
}

function inline(shape: TomlShape): string {
  if (typeof shape === "string") return tomlString(shape);
  if (shape === null || typeof shape === "boolean") return String(shape);
  if (shape instanceof NumberText) return shape.text;
  if (!(shape instanceof Fields)) return `[${shape.map((item) => inline(tomlShape(item))).join(", ")}]`;
  // What is left out leaves its comma.
  const entries = inTomlOrder(shape.entries);
  const parts = entries.map(([name, field], at) => {
    if (field === null) return "";
    return `${tomlKey(name)} = ${inline(field)}${at < entries.length - 1 ? ", " : ""}`;
  });
  return `{${parts.join("")}}`;
}

function inTomlOrder(entries: readonly (readonly [string, GoValue])[]): [string, TomlShape][] {
  const shapes = entries.map(([name, value]): [string, TomlShape] => [name, tomlShape(value)]);
  const isTable = shapes.map(([, shape]) => shape instanceof Fields || isTableList(shape));
  return [...shapes.filter((_, at) => !isTable[at]), ...shapes.filter((_, at) => isTable[at])];
}

/** Whether a list holds nothing but tables, so that it is written as `[[key]]`. */
function isTableList(shape: TomlShape): shape is readonly GoValue[] {
  if (!Array.isArray(shape) || shape.length === 0) return false;
  const items = shape.map((item) => tomlShape(item));
  for (const item of items) {
    if (item === null) throw new EncodingError("toml: cannot encode array with nil element");
    if (Array.isArray(item)) isTableList(item);
  }
  return items.every((item) => item instanceof Fields);
}

function tomlShape(value: GoValue): TomlShape {
  if (value === undefined || value === null || value instanceof TypedNil) return null;
  if (typeof value === "number") return new NumberText(tomlFloat(value));
  if (typeof value !== "object" || Array.isArray(value)) return value;
  if (value instanceof Int) return new NumberText(value.value.toString());
  if (value instanceof Slice) return value.items;
  if (value instanceof Bytes) return Array.from(value.bytes, (byte) => new Int("uint8", BigInt(byte)));
  if (value instanceof GoMap) return mapShape(value);
  if (value instanceof Struct) return structShape(value);
  if (value instanceof Named) return namedShape(value);
  if (value instanceof TypedNil && value.type.startsWith("[]")) return "[]";
  if (value instanceof Complex) throw new EncodingError(`unsupported type: ${kindName(value)}`);
  return isGoObject(value) ? sortedFields(value) : null;
}

function sortedFields(map: GoObject): Fields {
  return new Fields(
    Object.keys(map)
      .toSorted(compareStrings)
      .map((key) => [key, map[key]]),
  );
}

function mapShape({ key, entries }: GoMap): TomlShape {
  if (key !== "string") throw new EncodingError("toml: cannot encode a map with non-string key type");
  return sortedFields(newMap(entries));
}

function structShape(value: Struct): TomlShape {
  const time = timeOf(value);
  const localFormat = time && localFormats.get(time.zone.name);
  if (time && localFormat !== undefined) return new NumberText(formatTime(time.in(utc), localFormat));
  const { json, fields } = value.details;
  const text = json?.();
  if (typeof text === "string") return time ? new NumberText(text) : text;
  return new Fields(Object.entries(fields ?? {}));
}

/** How times are written that TOML read without a zone. */
const localFormats = new Map([
  ["datetime-local", "2006-01-02T15:04:05.999999999"],
  ["date-local", "2006-01-02"],
  ["time-local", "15:04:05.999999999"],
]);

function namedShape(value: Named): TomlShape {
  const { type, underlying } = value;
  if (type === "time.Duration") return sprint([value]);
  if (type !== "json.Number" || typeof underlying !== "string") return tomlShape(underlying);
  if (underlying === "") return new NumberText("0");
  if (/^[-+]?[0-9]+$/.test(underlying) && BigInt.asIntN(64, BigInt(underlying)) === BigInt(underlying))
    return new NumberText(BigInt(underlying).toString());
  const float = Number(underlying);
  if (!Number.isFinite(float))
    throw new EncodingError(`unable to convert ${JSON.stringify(underlying)} to int64 or float64`);
  return new NumberText(tomlFloat(float));
}

/** A float always shows that it is one. */
function tomlFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const text = formatShortest(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A key as TOML writes it: in quotes if it is more than letters, digits, `_` and `-`. */
export function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : tomlString(name);
}

/** A string in double quotes. */
function tomlString(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return `"${text.replace(/["\\\x00-\x1f\x7f]/g, escape)}"`;
}

const shortEscapes = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\f", "\\f"],
  ["\r", "\\r"],
]);

function escape(character: string): string {
  return shortEscapes.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
