import type { Budget } from "./budget.ts";
import type { GoValue } from "./value.ts";

/**
 * The Go types that parameters of template functions have. What an implementation receives for each:
 * any: the value, a missing one as null · reflect: the value as it is, `undefined` if missing · string: string · bool: boolean ·
 * float64: number · int, int64, time.Duration, …: bigint · []string: string[] · []any: array · map[string]any: object (a nil map as an empty one,
 * frozen) · everything else: the value of that type.
 */
export type ParameterType =
  | "any"
  | "reflect"
  | "string"
  | "bool"
  | "float64"
  | "int"
  | "int32"
  | "int64"
  | "uint"
  | "uint32"
  | "uint64"
  | "[]string"
  | "[]any"
  | "map[string]any"
  | "[]map[string]any"
  | "[]byte"
  | "time.Time"
  | "time.Duration"
  | "*semver.Version"
  | "sprig.certificate";

/** What a running template lends to the functions it calls. */
export interface CallContext {
  readonly budget: Budget;
  /** The clock of `now`, `ago` and certificates, in milliseconds since 1970. */
  readonly now: () => number;
  /** The host's function for a name, such as Helm's `lookup`; set by the code that builds the function set. */
  readonly host: Readonly<Record<string, unknown>>;
}

/** What implementations receive for an argument. */
export type ArgumentValue = GoValue | bigint;

/** A function as templates see it: the evaluator checks and converts arguments by the declared types exactly as Go's reflection does. */
export interface GoFunction {
  readonly parameters: readonly ParameterType[];
  /** The last parameter takes any number of arguments. */
  readonly variadic: boolean;
  /** Gets the converted arguments, one array entry an argument (variadic ones included, flat). Throws `FunctionError` to fail. */
  call(args: readonly ArgumentValue[], context: CallContext): GoValue;
  /** The output differs from run to run (random, clock): the caller leaves such renderings out of drift comparison. */
  readonly unstable?: boolean;
}

/** Functions by the name templates call them. */
export type FunctionSet = ReadonlyMap<string, GoFunction>;

type ArgumentOf<T extends ParameterType> = T extends "string"
  ? string
  : T extends "bool"
    ? boolean
    : T extends "float64"
      ? number
      : T extends "int" | "int32" | "int64" | "uint" | "uint32" | "uint64" | "time.Duration"
        ? bigint
        : T extends "[]string"
          ? readonly string[]
          : T extends "[]any"
            ? readonly GoValue[]
            : T extends "map[string]any"
              ? { [key: string]: GoValue }
              : GoValue;

type ArgumentsOf<T extends readonly ParameterType[]> = { -readonly [I in keyof T]: ArgumentOf<T[I]> };

/** Declares a function of fixed arity: `goFunction(["int", "string"], ([length, text]) => …)`. */
export function goFunction<const T extends readonly ParameterType[]>(
  parameters: T,
  call: (args: ArgumentsOf<T>, context: CallContext) => GoValue,
  traits: { readonly unstable?: boolean } = {},
): GoFunction {
  return { parameters, variadic: false, call, ...traits };
}

/** Declares a function whose last parameter repeats: `variadicFunction([], "any", (args) => …)`; the arguments come flat. */
export function variadicFunction<const T extends readonly ParameterType[], const R extends ParameterType>(
  parameters: T,
  rest: R,
  call: (args: [...ArgumentsOf<T>, ...ArgumentOf<R>[]], context: CallContext) => GoValue,
  traits: { readonly unstable?: boolean } = {},
): GoFunction {
  return { parameters: [...parameters, rest], variadic: true, call, ...traits };
}

/** A function's own failure; the evaluator adds where it happened: `template: x:1:2: executing "x" at <…>: error calling f: …`. */
export class FunctionError extends Error {
  override readonly name = "FunctionError";
}
