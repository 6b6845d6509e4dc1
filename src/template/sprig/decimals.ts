import { FunctionError, type GoFunction, goFunction, type GoValue, int, variadicFunction } from "#golang";
import { sprigCast } from "./cast.ts";

/** `value` times ten to the power of `exponent`, as shopspring/decimal keeps it. */
interface Decimal {
  readonly value: bigint;
  readonly exponent: number;
}

type Operation = (left: Decimal, right: Decimal) => Decimal;

/** Fractions computed in decimal, so that 0.1 plus 0.2 is 0.3. */
export const decimals: Record<string, GoFunction> = {
  add1f: goFunction(["any"], ([value]) => compute([value, int(1)], add)),
  addf: variadicFunction([], "any", (values) => compute([0, ...values], add)),
  subf: variadicFunction(["any"], "any", (values) => compute(values, subtract)),
  mulf: variadicFunction(["any"], "any", (values) => compute(values, multiply)),
  divf: variadicFunction(["any"], "any", (values) => compute(values, divide)),
};

function compute([first, ...others]: readonly GoValue[], operation: Operation): number {
  let result = decimalOf(first);
  for (const other of others) result = operation(result, decimalOf(other));
  return toFloat(result);
}

function decimalOf(value: GoValue): Decimal {
  return fromFloat(sprigCast.toFloat64(value));
}

/** The fewest digits that read back as the same float. */
function fromFloat(value: number): Decimal {
  if (!Number.isFinite(value)) {
    const text = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    throw new FunctionError(`Cannot create a Decimal from ${text}`);
  }
  const [mantissa = "0", power = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { value: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function toFloat({ value, exponent }: Decimal): number {
  return Number(`${value}e${exponent}`);
}

function scaledTo({ value, exponent }: Decimal, lower: number): bigint {
  return value * 10n ** BigInt(exponent - lower);
}

function add(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent);
  return { value: scaledTo(left, exponent) + scaledTo(right, exponent), exponent };
}

function subtract(left: Decimal, right: Decimal): Decimal {
  return add(left, { value: -right.value, exponent: right.exponent });
}

function multiply(left: Decimal, right: Decimal): Decimal {
  return { value: left.value * right.value, exponent: left.exponent + right.exponent };
}

const divisionPrecision = 16;

/** Rounded to 16 decimals, halves away from zero. */
function divide(left: Decimal, right: Decimal): Decimal {
  if (right.value === 0n) throw new FunctionError("decimal division by 0");
  const shift = left.exponent - right.exponent + divisionPrecision;
  const dividend = shift < 0 ? left.value : left.value * 10n ** BigInt(shift);
  const divisor = shift < 0 ? right.value * 10n ** BigInt(-shift) : right.value;
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  const roundsUp = 2n * magnitude(rest) >= magnitude(divisor);
  const away = dividend < 0n === divisor < 0n ? 1n : -1n;
  return { value: roundsUp ? quotient + away : quotient, exponent: -divisionPrecision };
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
