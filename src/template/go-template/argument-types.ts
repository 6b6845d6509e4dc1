import {
  type ArgumentValue,
  Bytes,
  type GoObject,
  type GoValue,
  Int,
  isGoObject,
  isPlainMap,
  Named,
  type ParameterType,
  Slice,
  Struct,
  TypedNil,
  typeName,
} from "#golang";
import { type Frame, fail } from "./frame.ts";

const goNames: Readonly<Partial<Record<ParameterType, string>>> = {
  any: "interface {}",
  reflect: "reflect.Value",
  "[]any": "[]interface {}",
  "map[string]any": "map[string]interface {}",
  "[]map[string]any": "[]map[string]interface {}",
  "[]byte": "[]uint8",
};

/** A parameter's type as Go writes it. */
export function goTypeName(type: ParameterType): string {
  return goNames[type] ?? type;
}

const emptyMap: GoObject = Object.freeze(Object.create(null));

/** What `nil` is for a parameter of that type; `undefined` in place of an entry if it cannot be nil. */
const nils: Readonly<Partial<Record<ParameterType, { readonly value: ArgumentValue }>>> = {
  any: { value: null },
  reflect: { value: undefined },
  "[]string": { value: [] },
  "[]any": { value: [] },
  "map[string]any": { value: emptyMap },
  "[]map[string]any": { value: new TypedNil("[]map[string]interface {}") },
  "[]byte": { value: new TypedNil("[]uint8") },
};

/** Nil as an argument, in an object; `undefined` if the type has no nil. */
export function nilOf(type: ParameterType): { readonly value: ArgumentValue } | undefined {
  return nils[type];
}

/** The value as implementations receive it, wrapped so that it can be `undefined`; `undefined` if Go would not assign it. */
function assigned(value: GoValue, type: ParameterType): { readonly value: ArgumentValue } | undefined {
  switch (type) {
    case "any":
    case "reflect":
      return { value };
    case "string":
      return typeof value === "string" ? { value } : undefined;
    case "bool":
      return typeof value === "boolean" ? { value } : undefined;
    case "float64":
      return typeof value === "number" ? { value } : undefined;
    case "[]any":
      if (Array.isArray(value)) return { value };
      return isNil(value, "[]interface {}") ? nils[type] : undefined;
    case "[]string":
      if (value instanceof Slice && value.element === "string") return { value: value.items };
      return isNil(value, "[]string") ? nils[type] : undefined;
    case "map[string]any":
      if (isGoObject(value)) return { value };
      // A named map type is assignable to its underlying type.
      if (value instanceof Named && isGoObject(value.underlying)) return { value: value.underlying };
      return isNil(value, "map[string]interface {}") ? nils[type] : undefined;
    case "[]map[string]any":
      return typeName(value) === "[]map[string]interface {}" ? { value } : undefined;
    case "[]byte":
      return value instanceof Bytes || isNil(value, "[]uint8") ? { value } : undefined;
    case "time.Time":
    case "sprig.certificate":
    case "*semver.Version":
      // A pointer is followed if the function asks for what it points to.
      return value instanceof Struct && (value.type === type || value.type === `*${type}`) ? { value } : undefined;
    case "time.Duration":
      return value instanceof Named && value.type === type && value.underlying instanceof Int
        ? { value: value.underlying.value }
        : undefined;
    case "int":
    case "int32":
    case "int64":
    case "uint":
    case "uint32":
    case "uint64":
      return value instanceof Int && value.kind === type ? { value: value.value } : undefined;
  }
  return undefined;
}

function isNil(value: GoValue, type: string): boolean {
  return value instanceof TypedNil && value.type === type;
}

/** Checks and converts an argument as Go's reflection does. */
export type ConvertArgument = (frame: Frame, value: GoValue) => ArgumentValue;

/** The conversion of an argument for a parameter of that type. */
export function converter(type: ParameterType): ConvertArgument {
  if (type === "reflect") return (_, value) => value;
  if (type === "any") return (_, value) => (value === undefined ? null : value);
  if (type === "string")
    return (frame, value) => (typeof value === "string" ? value : convertSlowly(frame, value, type));
  if (type === "bool")
    return (frame, value) => (typeof value === "boolean" ? value : convertSlowly(frame, value, type));
  if (type === "map[string]any")
    return (frame, value) => (isPlainMap(value) ? value : convertSlowly(frame, value, type));
  return (frame, value) => convertSlowly(frame, value, type);
}

function convertSlowly(frame: Frame, value: GoValue, type: ParameterType): ArgumentValue {
  if (value === undefined) {
    const nil = nils[type];
    return nil ? nil.value : fail(frame, `invalid value; expected ${goTypeName(type)}`);
  }
  const result = assigned(value, type);
  if (result) return result.value;
  const actual = value === null ? "interface {}" : typeName(value);
  return fail(frame, `wrong type for value; expected ${goTypeName(type)}; got ${actual}`);
}
