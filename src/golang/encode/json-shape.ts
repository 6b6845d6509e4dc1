import { FunctionError } from "../value/go-function.ts";
import { isPlainMap } from "../value/kind.ts";
import { newMap } from "../value/map-view.ts";
import { Bytes, Complex, GoMap, Int, Named, Slice, Struct, TypedNil } from "../value/typed-values.ts";
import type { GoObject, GoValue } from "../value/value.ts";

/** A number as it is to be written. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A struct's fields, which keep their order. */
export class Fields {
  readonly entries: readonly (readonly [string, GoValue])[];

  constructor(entries: readonly (readonly [string, GoValue])[]) {
    this.entries = entries;
  }
}

/** What Go's JSON knows of a value. */
export type JsonShape = null | boolean | string | number | NumberText | readonly GoValue[] | Fields | GoObject;

export function isShapeList(shape: JsonShape): shape is readonly GoValue[] {
  return Array.isArray(shape);
}

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/** Reduces a value to what encoding/json takes it for; the elements of lists and maps stay as they are. */
export function jsonShape(value: GoValue): JsonShape {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return value;
  if (isPlainMap(value)) return value;
  if (value instanceof Int) return new NumberText(value.value.toString());
  if (value instanceof Slice) return value.items;
  if (value instanceof GoMap) return newMap(value.entries);
  if (value instanceof Bytes) return Buffer.from(value.bytes).toString("base64");
  if (value instanceof Struct) return structShape(value);
  if (value instanceof Named) return namedShape(value);
  if (value instanceof TypedNil) return null;
  if (value instanceof Complex) throw new EncodingError("json: unsupported type: complex128");
  return value;
}

function structShape({ type, details }: Struct): JsonShape {
  if (!details.json) return new Fields(Object.entries(details.fields ?? {}));
  try {
    return jsonShape(details.json());
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new EncodingError(`json: error calling MarshalJSON for type ${type}: ${error.message}`);
  }
}

function namedShape({ type, underlying }: Named): JsonShape {
  if (type !== "json.Number" || typeof underlying !== "string") return jsonShape(underlying);
  if (underlying === "") return new NumberText("0");
  if (!jsonNumber.test(underlying))
    throw new EncodingError(`json: invalid number literal ${JSON.stringify(underlying)}`);
  return new NumberText(underlying);
}

/** A value or text that Go's encoders refuse. The message is Go's. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
}
