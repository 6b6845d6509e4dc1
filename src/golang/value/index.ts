export { Budget, chartLimits, LimitError, type Limits, tenantLimits } from "./budget.ts";
export { byteLength, compareStrings, fromBytes, joined, toBytes } from "./bytes.ts";
export {
  type ArgumentValue,
  type CallContext,
  FunctionError,
  type FunctionSet,
  type GoFunction,
  goFunction,
  type ParameterType,
  variadicFunction,
} from "./go-function.ts";
export { equals, equalsAny, isLess } from "./compare.ts";
export { deepEqual } from "./deep-equal.ts";
export { formatFloat, formatShortest } from "./format-float.ts";
export { printValue, sprint, sprintf, sprintln } from "./format.ts";
export { integersOf } from "./integers-of.ts";
export { elementsOf, isGoObject, isList, isPlainMap, kindName, typeName } from "./kind.ts";
export { type MapView, mapGet, mapView, newMap, sortedKeys } from "./map-view.ts";
export { canBackquote, quote, quoteRune, unquote, unquoteCharacter } from "./quote.ts";
export { type ParsedFloat, parseFloat64, parseInteger } from "./parse-number.ts";
export { isTrue } from "./truth.ts";
export {
  Bytes,
  Complex,
  GoMap,
  Int,
  type IntKind,
  isIntKind,
  int,
  int64,
  Named,
  Slice,
  Struct,
  type StructDetails,
  TypedNil,
} from "./typed-values.ts";
export type { GoObject, GoValue } from "./value.ts";
export { isDigit, isLetter, isPrintable } from "./unicode.ts";
