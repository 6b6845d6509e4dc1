import {
  Bytes,
  Complex,
  formatShortest,
  FunctionError,
  GoMap,
  type GoObject,
  type GoValue,
  Int,
  Named,
  newMap,
  Slice,
  sprint,
  Struct,
  TypedNil,
} from "../value/index.ts";
import { Fields, type JsonShape, NumberText } from "./json-shape.ts";
import type { YamlDialect } from "./yaml-dialect.ts";
import { compareYaml3Keys } from "./yaml-key-order.ts";
import { YamlWriter } from "./yaml-writer.ts";

/** A value as goyaml.v3 writes it with an indentation of two, directly and not by way of JSON. */
export function encodePrettyYaml(value: GoValue): string {
  return new YamlWriter(dialect).write(value);
}

const dialect: YamlDialect = { shape, entries, version: 3 };

function entries(map: GoObject): (readonly [string, GoValue])[] {
  return Object.keys(map)
    .toSorted(compareYaml3Keys)
    .map((key) => [key, map[key]]);
}

function shape(value: GoValue): Exclude<JsonShape, number> {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return new NumberText(floatText(value));
  if (typeof value !== "object" || Array.isArray(value)) return value;
  if (value instanceof Int) return new NumberText(value.value.toString());
  if (value instanceof Slice) return value.items;
  if (value instanceof GoMap) return newMap(value.entries);
  if (value instanceof Bytes) return Array.from(value.bytes, (byte) => new Int("uint8", BigInt(byte)));
  if (value instanceof Struct) return structShape(value);
  if (value instanceof Named) return value.type === "time.Duration" ? sprint([value]) : shape(value.underlying);
  if (value instanceof TypedNil)
    return value.type.startsWith("map") ? newMap() : value.type.startsWith("[]") ? [] : null;
  if (value instanceof Complex) throw new FunctionError("cannot marshal type: complex128");
  return value;
}

/** Of types with a text form that is it; of others the fields, under their names in lower case. */
function structShape({ type, details }: Struct): Exclude<JsonShape, number> {
  const text = details.json?.();
  if (typeof text === "string") return type.endsWith("time.Time") ? new NumberText(text) : text;
  const fields = Object.entries(details.fields ?? {});
  return new Fields(fields.map(([name, value]) => [name.toLowerCase(), value]));
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (Number.isFinite(value)) return formatShortest(value);
  return value > 0 ? ".inf" : "-.inf";
}
