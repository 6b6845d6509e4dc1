import { anyText } from "./hostile-text.ts";
import type { Random } from "./random.ts";

/** The words that keys of maps and fields of templates are made of, so that they meet. */
export const keys: readonly string[] = ["a", "b", "c", "name", "list", "map", "text", "x1", "A", "größe"];

/** JSON text of any value: its numbers are written in ways that JavaScript would not. */
export function anyJson(random: Random, depth: number): string {
  const kind = random.below(depth > 0 ? 10 : 7);
  if (kind < 3) return JSON.stringify(anyText(random));
  if (kind < 5) return anyNumber(random);
  if (kind < 6) return random.pick(["true", "false"]);
  if (kind < 7) return "null";
  if (kind < 8) return anyJsonList(random, depth - 1);
  return anyJsonMap(random, depth - 1);
}

export function anyJsonList(random: Random, depth: number): string {
  const count = random.few(5);
  const alike = random.chance(0.4) ? random.pick(["number", "text"]) : "any";
  const item = () =>
    alike === "number"
      ? anyNumber(random)
      : alike === "text"
        ? JSON.stringify(anyText(random))
        : anyJson(random, depth);
  return `[${random.times(count, item).join(",")}]`;
}

export function anyJsonMap(random: Random, depth: number): string {
  // Node 24's JSON.parse mixes up short keys that are written with escapes, if it has seen another one before.
  const anyKey = () => anyText(random).replaceAll(/["\\\p{Cc}]/gu, "_");
  const names = new Set(random.times(random.few(5), () => (random.chance(0.7) ? random.pick(keys) : anyKey())));
  return `{${[...names].map((name) => `${JSON.stringify(name)}:${anyJson(random, depth)}`).join(",")}}`;
}

/** A number as JSON may write it. */
export function anyNumber(random: Random): string {
  const kind = random.below(10);
  if (kind < 4) return `${random.below(12) - 2}`;
  if (kind < 5) return `${random.below(2_000_000) - 1_000_000}`;
  if (kind < 6) return (random.below(2_000) / 8 - 100).toString();
  if (kind < 7) return `${random.below(100)}.${random.below(1_000)}`;
  if (kind < 8) return `${random.pick(["", "-"])}${random.below(10)}.${random.below(1e6)}e${random.below(60) - 30}`;
  return random.pick(awkwardNumbers);
}

const awkwardNumbers = [
  ..."0 -0 0.0 -0.0 1.0 1.50 1e0 1e6 1E6 1e+6 1000000 999999 1e20 1e21 123456789012345678 9007199254740993".split(" "),
  ..."9223372036854775807 9223372036854775808 -9223372036854775808 18446744073709551615 12345678901234567890".split(
    " ",
  ),
  ..."0.1 0.000001 0.0000001 1e-7 3.141592653589793 2147483648 4294967296 1.7976931348623157e308 5e-324 100 21 2.5".split(
    " ",
  ),
];
