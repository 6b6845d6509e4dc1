import { formatShortest, type GoValue, Int, weigh } from "#golang";
import { equalityKey, compareNumbers, isMultiple } from "./compare-json.ts";
import { singleQuoted } from "./schema-failure.ts";
import { checkFormat, isFormat } from "./formats.ts";
import { type KeywordCheck, jsonType, type KeywordContext } from "./schema.ts";

const typeOrder = ["null", "boolean", "number", "integer", "string", "array", "object"];

/** `type`, `const`, `enum` and `format`: a value that fails one of these is not checked further. */
export function gateChecks({ object, draft, texts }: KeywordContext): KeywordCheck[] {
  const gates: KeywordCheck[] = [];
  const { type, const: constant, enum: choices, format } = object;
  const types = typeof type === "string" ? [type] : texts("type");
  if (types) gates.push(typeCheck(types));
  if (draft >= 6 && constant !== undefined) {
    const expected = equalityKey(constant);
    const text = isContainer(constant) ? "'const' failed" : `value must be ${displayed(constant)}`;
    gates.push((validation) => {
      weigh(validation.value, validation.budget);
      if (equalityKey(validation.value ?? null) !== expected) validation.fail(text);
    });
  }
  if (Array.isArray(choices)) gates.push(enumCheck(choices));
  // In later drafts a format is an annotation only.
  if (draft <= 7 && typeof format === "string" && isFormat(format)) {
    gates.push((validation) => {
      const { value } = validation;
      if (typeof value !== "string") return;
      const problem = checkFormat(format, value);
      if (problem !== undefined) validation.fail(`${singleQuoted(value)} is not valid ${format}: ${problem}`);
    });
  }
  return gates;
}

function typeCheck(types: readonly string[]): KeywordCheck {
  const expected = typeOrder.filter((type) => types.includes(type));
  return (validation) => {
    const { value } = validation;
    const type = jsonType(value);
    if (types.includes(type) || (type === "number" && types.includes("integer") && isWhole(value))) return;
    validation.fail(`got ${type}, want ${expected.join(" or ")}`);
  };
}

function enumCheck(choices: readonly GoValue[]): KeywordCheck {
  const expected = new Set(choices.map(equalityKey));
  const shown = choices.map(displayed).join(", ");
  const text = choices.some(isContainer)
    ? "'enum' failed"
    : `value must be ${choices.length === 1 ? "" : "one of "}${shown}`;
  return (validation) => {
    weigh(validation.value, validation.budget);
    if (!expected.has(equalityKey(validation.value ?? null))) validation.fail(text);
  };
}

function isWhole(value: GoValue): boolean {
  return value instanceof Int || Number.isInteger(value);
}

function isContainer(value: GoValue): boolean {
  return typeof value === "object" && value !== null;
}

function displayed(value: GoValue): string {
  if (typeof value === "string") return singleQuoted(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return "<nil>";
}

/** The keywords for text and numbers. */
export function scalarChecks(context: KeywordContext): KeywordCheck[] {
  return [textCheck(context), numberCheck(context)].filter((check) => check !== undefined);
}

function textCheck({ object, count, regexp }: KeywordContext): KeywordCheck | undefined {
  const [least, most] = [count("minLength"), count("maxLength")];
  const { pattern } = object;
  if (least === undefined && most === undefined && typeof pattern !== "string") return undefined;
  const test = typeof pattern === "string" ? { pattern, matches: regexp(pattern, "pattern") } : undefined;
  return (validation) => {
    const { value } = validation;
    if (typeof value !== "string") return;
    const length = least === undefined && most === undefined ? 0 : Array.from(value).length;
    if (least !== undefined && length < least)
      validation.fail(`minLength: got ${grouped(length)}, want ${grouped(least)}`);
    if (most !== undefined && length > most)
      validation.fail(`maxLength: got ${grouped(length)}, want ${grouped(most)}`);
    if (test && !test.matches(value, validation.budget)) {
      validation.fail(`${singleQuoted(value)} does not match pattern ${singleQuoted(test.pattern)}`);
    }
  };
}

type Bound = readonly [keyword: string, bound: number, isWrong: (comparison: number) => boolean];

function numberCheck({ object, number }: KeywordContext): KeywordCheck | undefined {
  const bounds: Bound[] = [];
  const add = (keyword: string, bound: number | undefined, isWrong: Bound[2]) => {
    if (bound !== undefined) bounds.push([keyword, bound, isWrong]);
  };
  const [least, most, unit] = [number("minimum"), number("maximum"), number("multipleOf")];
  // In draft 4 these are flags that change the meaning of the others.
  const isAboveLeast = object["exclusiveMinimum"] === true;
  const isBelowMost = object["exclusiveMaximum"] === true;
  if (!isAboveLeast) add("minimum", least, (comparison) => comparison < 0);
  if (!isBelowMost) add("maximum", most, (comparison) => comparison > 0);
  add("exclusiveMinimum", isAboveLeast ? least : number("exclusiveMinimum"), (comparison) => comparison <= 0);
  add("exclusiveMaximum", isBelowMost ? most : number("exclusiveMaximum"), (comparison) => comparison >= 0);
  if (bounds.length === 0 && unit === undefined) return undefined;
  return (validation) => {
    const { value } = validation;
    if (typeof value !== "number" && !(value instanceof Int)) return;
    const got = formatted(value);
    for (const [keyword, bound, isWrong] of bounds) {
      if (isWrong(compareNumbers(value, bound))) validation.fail(`${keyword}: got ${got}, want ${formatted(bound)}`);
    }
    if (unit !== undefined && !isMultiple(value, unit))
      validation.fail(`multipleOf: got ${got}, want ${formatted(unit)}`);
  };
}

/** A float as Go prints it, for English readers: 1,000 and 1.5×10⁰⁶. */
function formatted(value: number | Int): string {
  const [mantissa = "", exponent] = formatShortest(value instanceof Int ? Number(value.value) : value).split("e");
  if (exponent !== undefined) return `${mantissa}×10${exponent.replace("+", "").replace(/./g, superscript)}`;
  const [whole = "", fraction] = mantissa.split(".");
  return grouped(whole) + (fraction === undefined ? "" : `.${fraction}`);
}

function superscript(character: string): string {
  return character === "-" ? "⁻" : ("⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(character)] ?? "");
}

/** An integer for English readers: 1,000. */
export function grouped(value: number | string): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
