import { type GoFunction, goFunction, variadicFunction } from "#golang";
import type { Cast } from "./cast.ts";

/** Fractions to whole numbers, which stay float64. */
export function rounding({ toFloat64 }: Cast): Record<string, GoFunction> {
  return {
    floor: goFunction(["any"], ([value]) => Math.floor(toFloat64(value))),
    ceil: goFunction(["any"], ([value]) => Math.ceil(toFloat64(value))),
    round: variadicFunction(["any", "int"], "float64", ([value, places, roundOn = 0.5]) =>
      round(toFloat64(value), Number(places), roundOn),
    ),
    maxf: variadicFunction(["any"], "any", (values) => values.map((value) => toFloat64(value)).reduce(max)),
    minf: variadicFunction(["any"], "any", (values) => values.map((value) => toFloat64(value)).reduce(min)),
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

/** Go's `math.Max`: infinity counts more than NaN. */
function max(left: number, right: number): number {
  return left === Infinity || right === Infinity ? Infinity : Math.max(left, right);
}

function min(left: number, right: number): number {
  return left === -Infinity || right === -Infinity ? -Infinity : Math.min(left, right);
}
