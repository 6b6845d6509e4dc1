import type { Budget } from "./budget.ts";
import { canonicalBytes } from "./bytes.ts";
import { type FormatFlags, noFlags } from "./format-flags.ts";
import { kindName, typeName } from "./kind.ts";
import { formatShortest } from "./format-float.ts";
import { Printer } from "./printer.ts";
import { Int, Named } from "./typed-values.ts";
import type { GoValue } from "./value.ts";

/** `%v` without flags of what needs no `Printer`. */
function simpleText(value: GoValue): string | undefined {
  if (typeof value === "string") return value;
  if (value instanceof Int) return value.value.toString();
  if (typeof value === "number") return formatShortest(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  return value === undefined || value === null ? "<nil>" : undefined;
}

/** Go's `%v`. */
export function printValue(value: GoValue, budget?: Budget): string {
  const simple = simpleText(value);
  if (simple !== undefined) return simple;
  const printer = new Printer(budget);
  printer.argument(value, "v");
  return printer.text;
}

/** Go's `fmt.Sprint`: spaces only between operands of which neither is a string. */
export function sprint(args: readonly GoValue[], budget?: Budget): string {
  const texts: string[] = [];
  let size = 0;
  let previousIsString = true;
  for (const arg of args) {
    const isString = kindName(arg) === "string";
    if (!isString && !previousIsString) texts.push(" ");
    const text = printValue(arg, budget);
    texts.push(text);
    size += text.length + 1;
    previousIsString = isString;
  }
  budget?.make(size);
  return canonicalBytes(texts.join(""));
}

/** Go's `fmt.Sprintln`. */
export function sprintln(args: readonly GoValue[], budget?: Budget): string {
  const texts = args.map((arg) => printValue(arg, budget));
  budget?.make(texts.reduce((sum, text) => sum + text.length, 0));
  return canonicalBytes(`${texts.join(" ")}\n`);
}

/** Go's `fmt.Sprintf`, its complaints about wrong operands included. */
export function sprintf(format: string, args: readonly GoValue[], budget?: Budget): string {
  const out = new Directives(format, args, budget).run();
  budget?.make(out.length);
  return canonicalBytes(out);
}

const largestNumber = 1_000_000;
const digitsAhead = /\d*/y;

class Directives {
  readonly #format: string;
  readonly #args: readonly GoValue[];
  readonly #printer: Printer;
  #at = 0;
  #next = 0;
  /** Explicit indexes were used, so that operands left over are not an error. */
  #reordered = false;
  #goodIndex = true;

  constructor(format: string, args: readonly GoValue[], budget: Budget | undefined) {
    this.#format = format;
    this.#args = args;
    this.#printer = new Printer(budget);
  }

  run(): string {
    const format = this.#format;
    for (;;) {
      const percent = format.indexOf("%", this.#at);
      this.#printer.out += format.slice(this.#at, percent < 0 ? undefined : percent);
      if (percent < 0) break;
      this.#at = percent + 1;
      this.#directive();
    }
    if (!this.#reordered && this.#next < this.#args.length) this.#extra();
    return this.#printer.text;
  }

  #directive(): void {
    const format = this.#format;
    const printer = this.#printer;
    const flags = noFlags();
    printer.flags = flags;
    this.#goodIndex = true;
    while (setFlag(flags, format[this.#at])) this.#at += 1;
    let afterIndex = this.#index();
    if (format[this.#at] === "*") {
      this.#at += 1;
      this.#starWidth(flags);
      afterIndex = false;
    } else {
      flags.width = this.#number();
      if (afterIndex && flags.width !== undefined) this.#goodIndex = false;
    }
    if (format[this.#at] === "." && this.#at + 1 < format.length) {
      this.#at += 1;
      if (afterIndex) this.#goodIndex = false;
      afterIndex = this.#index();
      if (format[this.#at] === "*") {
        this.#at += 1;
        this.#starPrecision(flags);
        afterIndex = false;
      } else {
        flags.precision = this.#number() ?? 0;
      }
    }
    if (!afterIndex) this.#index();
    const code = format.codePointAt(this.#at);
    if (code === undefined) {
      printer.out += "%!(NOVERB)";
      return;
    }
    this.#at += code > 0xffff ? 2 : 1;
    this.#verb(code >= 0xd800 && code <= 0xdfff ? "\ufffd" : String.fromCodePoint(code));
  }

  #verb(verb: string): void {
    const printer = this.#printer;
    const { flags } = printer;
    if (verb === "%") printer.out += "%";
    else if (!this.#goodIndex) printer.out += `%!${verb}(BADINDEX)`;
    else if (this.#next >= this.#args.length) printer.out += `%!${verb}(MISSING)`;
    else {
      if (verb === "v" || verb === "w") {
        flags.sharpV = flags.sharp;
        flags.plusV = flags.plus;
        flags.sharp = false;
        flags.plus = false;
      }
      printer.argument(this.#args[this.#next], verb);
      printer.checkSize();
      this.#next += 1;
    }
  }

  #extra(): void {
    const printer = this.#printer;
    printer.flags = noFlags();
    printer.out += "%!(EXTRA ";
    for (const [index, arg] of this.#args.slice(this.#next).entries()) {
      if (index > 0) printer.out += ", ";
      if (arg !== undefined && arg !== null) printer.out += `${typeName(arg)}=`;
      printer.argument(arg, "v");
    }
    printer.out += ")";
  }

  /** `[3]`: the operand to take next. */
  #index(): boolean {
    if (this.#format[this.#at] !== "[") return false;
    this.#reordered = true;
    const end = this.#format.indexOf("]", this.#at);
    if (end < 0 || this.#format.length - this.#at < 3) {
      this.#at += 1;
      this.#goodIndex = false;
      return false;
    }
    const digits = this.#format.slice(this.#at + 1, end);
    this.#at = end + 1;
    const index = /^\d+$/.test(digits) ? smallNumber(digits) : undefined;
    if (index !== undefined && index >= 1 && index <= this.#args.length) {
      this.#next = index - 1;
      return true;
    }
    this.#goodIndex = false;
    return index !== undefined;
  }

  /** Digits at this position. A number that is too large swallows the rest of the format. */
  #number(): number | undefined {
    digitsAhead.lastIndex = this.#at;
    if (!isDigitAt(this.#format, this.#at)) return undefined;
    const digits = digitsAhead.exec(this.#format)?.[0] ?? "";
    const number = smallNumber(digits);
    this.#at = number === undefined ? this.#format.length : this.#at + digits.length;
    return number;
  }

  #starWidth(flags: FormatFlags): void {
    const width = this.#integerOperand();
    if (width === undefined) this.#printer.out += "%!(BADWIDTH)";
    else if (width < 0) {
      flags.width = -width;
      flags.minus = true;
      flags.zero = false;
    } else flags.width = width;
  }

  #starPrecision(flags: FormatFlags): void {
    const precision = this.#integerOperand();
    if (precision === undefined || precision < 0) this.#printer.out += "%!(BADPREC)";
    else flags.precision = precision;
  }

  #integerOperand(): number | undefined {
    if (this.#next >= this.#args.length) return undefined;
    const arg = this.#args[this.#next];
    this.#next += 1;
    const integer = arg instanceof Named ? arg.underlying : arg;
    if (!(integer instanceof Int)) return undefined;
    const number = Number(integer.value);
    return Math.abs(number) > largestNumber ? undefined : number;
  }
}

/** Digits as Go's fmt reads them: it gives up at the digit after the one that made the number too large. */
function smallNumber(digits: string): number | undefined {
  let number = 0;
  for (const digit of digits) {
    if (number > largestNumber) return undefined;
    number = number * 10 + Number(digit);
  }
  return number;
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function setFlag(flags: FormatFlags, character: string | undefined): boolean {
  if (character === "#") flags.sharp = true;
  else if (character === "0") flags.zero = true;
  else if (character === "+") flags.plus = true;
  else if (character === "-") flags.minus = true;
  else if (character === " ") flags.space = true;
  else return false;
  return true;
}
