import {
  type CallContext,
  FunctionError,
  type GoFunction,
  goFunction,
  type GoValue,
  Int,
  int64,
  printValue,
  Slice,
  variadicFunction,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import { type Cast, nearestInt, parseInt64 } from "./cast.ts";

/** Whole numbers: int64, which wraps around. */
export function arithmetic({ toInt64, toFloat64 }: Cast): Record<string, GoFunction> {
  const max = variadicFunction(["any"], "any", (values) => int64(extreme(values, (a, b) => a > b)));
  function extreme(values: readonly GoValue[], isBetter: (a: bigint, b: bigint) => boolean): bigint {
    return values.map((value) => toInt64(value)).reduce((best, value) => (isBetter(value, best) ? value : best));
  }
  return {
    add: keepingPlace(
      variadicFunction([], "any", (values) => int64(values.reduce((sum, value) => sum + toInt64(value), 0n))),
    ),
    add1: goFunction(["any"], ([value]) => int64(toInt64(value) + 1n)),
    sub: keepingPlace(goFunction(["any", "any"], ([a, b]) => int64(toInt64(a) - toInt64(b)))),
    mul: keepingPlace(
      variadicFunction(["any"], "any", (values) =>
        int64(values.reduce((product: bigint, value) => BigInt.asIntN(64, product * toInt64(value)), 1n)),
      ),
    ),
    div: goFunction(["any", "any"], ([a, b]) => int64(toInt64(a) / notZero(toInt64(b)))),
    mod: goFunction(["any", "any"], ([a, b]) => int64(toInt64(a) % notZero(toInt64(b)))),
    max,
    biggest: max,
    min: variadicFunction(["any"], "any", (values) => int64(extreme(values, (a, b) => a < b))),
    int64: keepingPlace(goFunction(["any"], ([value]) => int64(toInt64(value)))),
    int: keepingPlace(goFunction(["any"], ([value]) => new Int("int", toInt64(value)))),
    float64: goFunction(["any"], ([value]) => toFloat64(value)),
  };
}

/** Whole numbers from text. */
export const integerTexts: Record<string, GoFunction> = {
  atoi: keepingPlace(goFunction(["string"], ([text]) => new Int("int", nearestInt(text)))),
  toDecimal: goFunction(["any"], ([value], { budget }) => int64(parseInt64(printValue(value, budget), 8) ?? 0n)),
};

function notZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new FunctionError("runtime error: integer divide by zero");
  return divisor;
}

/** Sequences of whole numbers. */
export const ranges: Record<string, GoFunction> = {
  until: goFunction(["int"], ([stop], context) => integers(numbers(0n, stop, stop < 0n ? -1n : 1n, context))),
  untilStep: goFunction(["int", "int", "int"], ([start, stop, step], context) =>
    integers(numbers(start, stop, step, context)),
  ),
  seq: variadicFunction([], "int", (parameters, context) => sequence(parameters, context).join(" ")),
};

function integers(values: readonly bigint[]): Slice {
  return new Slice(
    "int",
    values.map((value) => new Int("int", value)),
  );
}

/** From `start` up to `stop`, exclusive; none if the step leads away from it. */
function numbers(start: bigint, stop: bigint, step: bigint, { budget }: CallContext): bigint[] {
  const leadsAway = stop < start ? step >= 0n : step <= 0n;
  if (leadsAway) return [];
  const distance = stop < start ? start - stop : stop - start;
  const pace = step < 0n ? -step : step;
  const count = (distance + pace - 1n) / pace;
  budget.makeList(count, 96);
  return Array.from({ length: Number(count) }, (_, index) => start + BigInt(index) * step);
}

/** Like the command `seq`: END, START END, or START STEP END; END is included. */
function sequence(parameters: readonly bigint[], context: CallContext): bigint[] {
  const [first = 0n, second = 0n, third = 0n] = parameters;
  if (parameters.length === 1) return upTo(1n, first < 1n ? -1n : 1n, first, context);
  if (parameters.length === 2) return upTo(first, second < first ? -1n : 1n, second, context);
  return parameters.length === 3 ? upTo(first, second, third, context) : [];
}

function upTo(start: bigint, step: bigint, end: bigint, context: CallContext): bigint[] {
  return numbers(start, end < start ? end - 1n : end + 1n, step, context);
}

/** Rounds to whole numbers of type float64. */
export function rounding({ toFloat64 }: Cast): Record<string, GoFunction> {
  return {
    floor: goFunction(["any"], ([value]) => Math.floor(toFloat64(value))),
    ceil: goFunction(["any"], ([value]) => Math.ceil(toFloat64(value))),
    round: variadicFunction(["any", "int"], "float64", ([value, places, roundOn = 0.5]) =>
      round(toFloat64(value), Number(places), roundOn),
    ),
    maxf: variadicFunction(["any"], "any", (values) => values.map((value) => toFloat64(value)).reduce(maxFloat)),
    minf: variadicFunction(["any"], "any", (values) => values.map((value) => toFloat64(value)).reduce(minFloat)),
  };
}

function round(value: number, places: number, roundOn: number): number {
  const power = powerOfTen(places);
  const shifted = power * value;
  const fraction = Number.isFinite(shifted) ? shifted - Math.trunc(shifted) : Number.NaN;
  return (fraction >= roundOn ? Math.ceil(shifted) : Math.floor(shifted)) / power;
}

/** Go's `math.Pow(10, exponent)`, which is not always the nearest float: it squares 10 as 0.625 times 2 to the power of 4. */
function powerOfTen(exponent: number): number {
  if (exponent === 0) return 1;
  if (exponent === 1) return 10;
  let mantissa = 1;
  let binaryExponent = 0;
  let square = 0.625;
  let squareExponent = 4;
  for (let rest = Math.abs(exponent); rest >= 1; rest = Math.floor(rest / 2)) {
    if (squareExponent > 1 << 12) {
      binaryExponent += squareExponent;
      break;
    }
    if (rest % 2 === 1) {
      mantissa *= square;
      binaryExponent += squareExponent;
    }
    square *= square;
    squareExponent *= 2;
    if (square < 0.5) {
      square += square;
      squareExponent -= 1;
    }
  }
  if (exponent > 0) return timesPowerOfTwo(mantissa, binaryExponent);
  return timesPowerOfTwo(1 / mantissa, -binaryExponent);
}

/** In two steps, because the power alone may be too large or too small for a float. */
function timesPowerOfTwo(mantissa: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return mantissa * 2 ** half * 2 ** (exponent - half);
}

/** Go's `math.Max`: infinity wins over NaN. */
function maxFloat(left: number, right: number): number {
  return left === Infinity || right === Infinity ? Infinity : Math.max(left, right);
}

function minFloat(left: number, right: number): number {
  return left === -Infinity || right === -Infinity ? -Infinity : Math.min(left, right);
}
