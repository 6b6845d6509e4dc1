import { type Exact, WholeFloat } from "../object/exact.ts";

/** 10 or 2 to the power of it; the unit of a value is the nano, the smallest that Kubernetes knows. */
const decimal: Readonly<Record<string, number>> = { n: 0, u: 3, m: 6, "": 9, k: 12, M: 15, G: 18, T: 21, P: 24, E: 27 };
const binary: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const written = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/;
const plainCpu = /^\d+(\.\d+)?m?$/;

/** Whether two texts are the same amount: `1Gi` and `1024Mi`. Other texts are the same if they are equal. */
export function areSameQuantity(left: Exact, right: Exact): boolean {
  const [one, other] = [textOf(left), textOf(right)];
  if (one === undefined || other === undefined) return false;
  if (one === other) return true;
  const value = nanos(one);
  return value !== undefined && value === nanos(other);
}

/** The same for processor time, of which only decimals and thousandths are understood: `1`, `1.0` and `1000m`. */
export function areSameCpu(left: Exact, right: Exact): boolean {
  const [one, other] = [textOf(left), textOf(right)];
  if (one === undefined || other === undefined) return false;
  return one === other || (plainCpu.test(one) && plainCpu.test(other) && areSameQuantity(one, other));
}

/** Less than zero if the one is less than the other; `undefined` if one of them is not a quantity. */
export function compareQuantities(one: string, other: string): number | undefined {
  const [left, right] = [nanos(one), nanos(other)];
  if (left === undefined || right === undefined) return undefined;
  const [[a = "0", aPower = "0"], [b = "0", bPower = "0"]] = [left.split("e"), right.split("e")];
  const lowest = Math.min(Number(aPower), Number(bPower));
  const scaled = (digits: string, power: string) => BigInt(digits) * 10n ** BigInt(Number(power) - lowest);
  const difference = scaled(a, aPower) - scaled(b, bPower);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function textOf(value: Exact): string | undefined {
  if (typeof value === "string") return value;
  if (value instanceof WholeFloat) return String(value.value);
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

/** As digits and a power of ten, so that no amount is rounded. */
function nanos(text: string): string | undefined {
  const [, sign, digits, suffix = "", exponent] = written.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const [whole = "", fraction = ""] = digits.split(".");
  let amount = BigInt(`${whole}${fraction}` || "0");
  if (suffix in binary) amount *= 2n ** BigInt(binary[suffix] ?? 0);
  let power = (decimal[suffix] ?? 9) + Number(exponent ?? 0) - fraction.length;
  if (amount === 0n) return "0";
  while (amount % 10n === 0n) {
    amount /= 10n;
    power += 1;
  }
  return `${sign === "-" ? "-" : ""}${amount}e${power}`;
}
