import {
  FunctionError,
  type GoFunction,
  goFunction,
  type GoValue,
  Int,
  int64,
  printValue,
  variadicFunction,
} from "#golang";
import type { Cast } from "./cast.ts";
import { nearestInt, parseInt64 } from "./parse-int64.ts";

/** Whole numbers: int64, which wraps around. */
export function arithmetic({ toInt64, toFloat64 }: Cast): Record<string, GoFunction> {
  const max = variadicFunction(["any"], "any", (values) => int64(extreme(values, (a, b) => a > b)));
  function extreme(values: readonly GoValue[], isBetter: (a: bigint, b: bigint) => boolean): bigint {
    return values.map((value) => toInt64(value)).reduce((best, value) => (isBetter(value, best) ? value : best));
  }
  return {
    add: variadicFunction([], "any", (values) => int64(values.reduce((sum, value) => sum + toInt64(value), 0n))),
    add1: goFunction(["any"], ([value]) => int64(toInt64(value) + 1n)),
    sub: goFunction(["any", "any"], ([a, b]) => int64(toInt64(a) - toInt64(b))),
    mul: variadicFunction(["any"], "any", (values) =>
      int64(values.reduce((product: bigint, value) => BigInt.asIntN(64, product * toInt64(value)), 1n)),
    ),
    div: goFunction(["any", "any"], ([a, b]) => int64(toInt64(a) / notZero(toInt64(b)))),
    mod: goFunction(["any", "any"], ([a, b]) => int64(toInt64(a) % notZero(toInt64(b)))),
    max,
    biggest: max,
    min: variadicFunction(["any"], "any", (values) => int64(extreme(values, (a, b) => a < b))),
    int64: goFunction(["any"], ([value]) => int64(toInt64(value))),
    int: goFunction(["any"], ([value]) => new Int("int", toInt64(value))),
    float64: goFunction(["any"], ([value]) => toFloat64(value)),
  };
}

/** Texts as whole numbers. */
export const integerTexts: Record<string, GoFunction> = {
  atoi: goFunction(["string"], ([text]) => new Int("int", nearestInt(text))),
  toDecimal: goFunction(["any"], ([value], { budget }) => int64(parseInt64(printValue(value, budget), 8) ?? 0n)),
};

function notZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new FunctionError("runtime error: integer divide by zero");
  return divisor;
}
