import type { Bytes, Complex, GoMap, Int, Named, Slice, Struct, TypedNil } from "./typed-values.ts";

/**
 * What a template computes with: Go's values, written so that plain JSON data needs no conversion.
 *
 * - `undefined`: no value at all, what a key that a map lacks gives (Go's zero `reflect.Value`)
 * - `null`: a nil interface
 * - `string`: a Go string; a byte that is not part of valid UTF-8 is the lone surrogate U+DC00 plus the byte (see `bytes.ts`)
 * - `number`: a float64, always; integers are `Int`
 * - an array: `[]interface{}`; a plain object: `map[string]interface{}` (own properties only, whatever its prototype)
 * - everything else is a class of `typed-values.ts`
 */
export type GoValue =
  | undefined
  | null
  | boolean
  | string
  | number
  | Int
  | Complex
  | readonly GoValue[]
  | GoObject
  | Slice
  | GoMap
  | Bytes
  | Struct
  | Named
  | TypedNil;

/** `map[string]interface{}`. Made by us it has no prototype; read it with `Object.hasOwn` or `mapGet`, never by `in`. */
export interface GoObject {
  [key: string]: GoValue;
}
