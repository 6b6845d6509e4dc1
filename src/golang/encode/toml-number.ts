import { parseTime } from "../time/parse-time.ts";
import { timeValue } from "../time/time-value.ts";
import { localZone } from "../time/zone-database.ts";
import { fixedZone } from "../time/zone.ts";
import { FunctionError } from "../value/go-function.ts";
import { Int } from "../value/typed-values.ts";
import type { GoValue } from "../value/value.ts";
import { quote } from "../value/quote.ts";
import { textEnd, shownCharacter, type TomlScanner } from "./toml-scanner.ts";

/** Reads a number, a date or a time that begins with a digit. */
export function scanNumberOrDate(scanner: TomlScanner): GoValue {
  const start = scanner.position;
  if (scanner.next() === "0" && !/^[0-9]$/.test(scanner.peek())) return scanAfterZero(scanner, start);
  scanner.take(/^[0-9]$/);
  const after = scanner.peek();
  if (after === "-" || after === ":") {
    scanner.take(/^[-0-9:TtZz .+]$/);
    return dateTime(scanner, scanner.text.slice(start, scanner.position).trim());
  }
  return scanDecimal(scanner, start);
}

/** Reads a number behind its sign. */
export function scanSigned(scanner: TomlScanner): GoValue {
  const start = scanner.position - 1;
  const character = scanner.next();
  if (character === "i" || character === "n") {
    const [first = "", second = ""] = character === "i" ? "nf" : "an";
    if (!scanner.accept(first) || !scanner.accept(second))
      throw scanner.failure(`invalid float: '${scanner.text.slice(start, scanner.position)}'`);
    return parseTomlFloat(scanner, scanner.text.slice(start, scanner.position));
  }
  if (character === "0" && /^[box]$/.test(scanner.peek())) {
    const seen = scanner.text.slice(start, scanner.position);
    throw scanner.failure(`cannot use sign with non-decimal numbers: '${seen}${scanner.peek()}'`);
  }
  if (character === ".") throw scanner.failure("floats must start with a digit, not '.'");
  if (!/^[0-9]$/.test(character))
    throw scanner.failure(`expected a digit but got ${shownCharacter(character)}`, character === textEnd);
  return scanDecimal(scanner, start);
}

const bases: Readonly<Record<string, { readonly name: string; readonly digit: RegExp }>> = {
  b: { name: "a binary", digit: /^[01_]$/ },
  o: { name: "an octal", digit: /^[0-7_]$/ },
  x: { name: "a hexadecimal", digit: /^[0-9a-fA-F_]$/ },
};

function scanAfterZero(scanner: TomlScanner, start: number): GoValue {
  const base = bases[scanner.peek()];
  if (!base) return /^[_.eE]$/.test(scanner.peek()) ? scanDecimal(scanner, start) : integer(scanner, "0");
  scanner.next();
  const first = scanner.peek();
  if (!base.digit.test(first) || first === "_") {
    const seen = scanner.text.slice(start, scanner.position) + (first === textEnd ? "\0" : first);
    throw scanner.failure(`not ${base.name} number: '${seen}'`);
  }
  scanner.take(base.digit);
  return integer(scanner, scanner.text.slice(start, scanner.position));
}

function scanDecimal(scanner: TomlScanner, start: number): GoValue {
  scanner.take(/^[0-9_]$/);
  const isFloat = /^[.eE]$/.test(scanner.peek());
  if (isFloat) scanner.take(/^[-0-9_.+eE]$/);
  const text = scanner.text.slice(start, scanner.position);
  return isFloat ? parseTomlFloat(scanner, text) : integer(scanner, text);
}

function integer(scanner: TomlScanner, text: string): Int {
  if (!hasGoodUnderscores(text))
    throw scanner.failure(`Invalid integer ${quote(text)}: underscores must be surrounded by digits`);
  if (hasLeadingZero(text)) throw scanner.failure(`Invalid integer ${quote(text)}: cannot have leading zeroes`);
  const digits = text.replaceAll("_", "");
  const value = digits.startsWith("-") ? -BigInt(digits.slice(1)) : BigInt(digits.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value) throw scanner.failure(`${text} is out of range for int64`);
  return new Int("int64", value);
}

const special = new Map([
  ["inf", Infinity],
  ["+inf", Infinity],
  ["-inf", -Infinity],
  ["nan", Number.NaN],
  ["+nan", Number.NaN],
  ["-nan", Number.NaN],
]);

/** The number that a text is which looks like a float. */
export function parseTomlFloat(scanner: TomlScanner, text: string): number {
  const word = special.get(text);
  if (word !== undefined) return word;
  const parts = text.split(/[.eE]/).filter((part) => part !== "");
  if (!parts.every(hasGoodUnderscores))
    throw scanner.failure(`Invalid float ${quote(text)}: underscores must be surrounded by digits`);
  if (hasLeadingZero(parts[0] ?? "")) throw scanner.failure(`Invalid float ${quote(text)}: cannot have leading zeroes`);
  if (/\.(?![0-9])/.test(text))
    throw scanner.failure(`Invalid float ${quote(text)}: '.' must be followed by one or more digits`);
  const digits = text.replaceAll("_", "");
  if (!/^[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(digits))
    throw scanner.failure(`Invalid float value: ${quote(text)}`);
  const value = Number(digits);
  if (!Number.isFinite(value)) throw scanner.failure(`${text} is out of range for float64`);
  return value;
}

function hasLeadingZero(text: string): boolean {
  return /^0[^box]/.test(text) || /^[-+]0./.test(text);
}

/** What may stand beside an underscore is any hexadecimal digit, and the last character must be one. */
function hasGoodUnderscores(text: string): boolean {
  return /[0-9a-fA-F]$/.test(text) && !/(?:^|[^0-9a-fA-F])_/.test(text);
}

/** The layouts that TOML knows, and the zones by which BurntSushi's encoder knows them again. */
const layouts: readonly (readonly [string, string | undefined])[] = [
  ["2006-01-02T15:04:05.999999999Z07:00", undefined],
  ["2006-01-02T15:04:05.999999999", "datetime-local"],
  ["2006-01-02", "date-local"],
  ["15:04:05.999999999", "time-local"],
  ["2006-01-02T15:04Z07:00", undefined],
  ["2006-01-02T15:04", "datetime-local"],
  ["15:04", "time-local"],
];

function dateTime(scanner: TomlScanner, written: string): GoValue {
  const text = written.replace(/[zt ]/g, (character) => (character === "z" ? "Z" : "T"));
  for (const [layout, zoneName] of layouts) {
    const local = localZone();
    const zone = zoneName === undefined ? local : fixedZone(zoneName, local.periodAt(Date.now() / 1000).offset);
    try {
      const time = parseTime(layout, text, zone);
      if (lacksLeadingZero(text, layout)) break;
      return timeValue(time);
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
    }
  }
  throw scanner.failure(`invalid datetime: ${quote(text)}`);
}

/** Go reads numbers of one digit, too; then the separators are not where they should be. */
function lacksLeadingZero(text: string, layout: string): boolean {
  const fixed = /^[^.Z]*/.exec(layout)?.[0] ?? "";
  return Array.from(fixed).some((character, at) => !/[0-9]/.test(character) && text.charAt(at) !== character);
}
