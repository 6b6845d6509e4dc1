import { type Budget, LimitError } from "./budget.ts";
import { fromBytes, toBytes } from "./bytes.ts";
import { type FormatFlags, noFlags, padded, runeCount } from "./format-flags.ts";
import {
  formatCharacter,
  formatFloatWith,
  formatInteger,
  formatQuotedCharacter,
  formatUnicode,
  type IntegerStyle,
} from "./format-number.ts";
import { typeName } from "./kind.ts";
import { mapView } from "./map-view.ts";
import { canBackquote, quote } from "./quote.ts";
import { Bytes, Complex, Int, Named, Slice, Struct, TypedNil } from "./typed-values.ts";
import type { GoValue } from "./value.ts";

const integerStyles: Readonly<Record<string, IntegerStyle>> = {
  v: { base: 10 },
  d: { base: 10 },
  b: { base: 2 },
  o: { base: 8 },
  O: { base: 8, prefix: "0o" },
  x: { base: 16 },
  X: { base: 16, upper: true },
};

/** Go prints addresses where we have none; this stands for all of them. */
const address = 0xc000012345n;

/** A map that holds itself has no last level; where Go's stack ends its process, this ends the template. */
const deepest = 1_000;

/** Text that grows by additions is kept as a tree, which takes many times its size, so that it is put together at this length. */
const longestTail = 8_192;

/** Writes values as Go's fmt does: one verb and its flags at a time. */
export class Printer {
  /** The end of what is written; the rest is in `#pieces`. */
  out = "";
  readonly #pieces: string[] = [];
  #size = 0;
  flags: FormatFlags = noFlags();
  readonly #budget: Budget | undefined;
  readonly #maximum: number;
  /** Within `%!d(…)` methods are not asked, so that what is wrong shows as it is. */
  #erroring = false;

  constructor(budget: Budget | undefined) {
    this.#budget = budget;
    this.#maximum = budget?.limits.output ?? 1 << 28;
  }

  /** All that is written. */
  get text(): string {
    return this.#pieces.length === 0 ? this.out : this.#pieces.join("") + this.out;
  }

  /** An operand by its verb. */
  argument(value: GoValue, verb: string): void {
    if (value === undefined || value === null) {
      if (verb === "T" || verb === "v") this.out += padded("<nil>", this.flags);
      else this.out += `%!${verb}(<nil>)`;
      return;
    }
    if (verb === "T") this.out += formatText(typeName(value), this.flags);
    else if (verb === "p") this.#pointer(value, verb);
    else this.#value(value, verb, 0);
  }

  #value(value: GoValue, verb: string, depth: number): void {
    if (typeof value === "string") this.#string(value, verb, value);
    else if (typeof value === "number") this.#float(value, verb, value);
    else if (typeof value === "boolean") this.#boolean(value, verb, value);
    else if (value instanceof Int) this.#integer(value.value, isUnsigned(value), verb, value);
    else if (value === undefined || value === null) this.out += this.flags.sharpV ? "interface {}(nil)" : "<nil>";
    else if (value instanceof Complex) this.#complex(value, verb);
    else this.#composite(value, verb, depth);
  }

  /** Ends what grows without end: a width of millions, a list that holds a list twice that holds a list twice … */
  checkSize(): void {
    if (this.#size + this.out.length > this.#maximum)
      throw new LimitError(`makes more than ${this.#maximum} bytes or elements at once`);
    this.#budget?.step();
    if (this.out.length > longestTail) this.#putAway();
  }

  #putAway(): void {
    const { length } = this.out;
    this.#budget?.hold(length);
    this.#size += length;
    // V8 makes a text one piece before it reads one of its characters.
    if (this.out.charCodeAt(length - 1) >= 0) this.#pieces.push(this.out);
    this.out = "";
  }

  #composite(value: GoValue, verb: string, depth: number): void {
    if (depth > deepest) throw new LimitError(`nests deeper than ${deepest} levels`);
    this.checkSize();
    if (value instanceof Bytes && (depth === 0 || "sqxX".includes(verb))) this.#bytes(value, verb, depth);
    else if (this.#byMethod(value, verb)) return;
    else if (value instanceof Named) this.#named(value, verb, depth);
    else if (value instanceof Struct) this.#struct(value, verb, depth);
    else if (value instanceof TypedNil) this.#typedNil(value, verb);
    else if (Array.isArray(value)) this.#elements(value, "[]interface {}", verb, depth);
    else if (value instanceof Slice) this.#elements(value.items, typeName(value), verb, depth);
    else if (value instanceof Bytes) this.#byteElements(value.bytes, verb, depth);
    else this.#map(value, typeName(value), verb, depth);
  }

  /** `String()` or `Error()`, where the verb takes a string. */
  #byMethod(value: GoValue, verb: string): boolean {
    if (this.#erroring) return false;
    if (verb === "w") {
      this.#badVerb(verb, value);
      return true;
    }
    if (this.flags.sharpV) return this.#byGoString(value);
    const text = "vsxXq".includes(verb) ? textOf(value) : undefined;
    if (text === undefined) return false;
    this.#string(text, verb, value);
    return true;
  }

  #byGoString(value: GoValue): boolean {
    const text = value instanceof Struct ? value.details.goText?.() : undefined;
    if (text === undefined) return false;
    this.out += formatText(text, this.flags);
    return true;
  }

  #named(value: Named, verb: string, depth: number): void {
    const inner = value.underlying;
    if (typeof inner === "string") this.#string(inner, verb, value);
    else if (typeof inner === "number") this.#float(inner, verb, value);
    else if (typeof inner === "boolean") this.#boolean(inner, verb, value);
    else if (inner instanceof Int) this.#integer(inner.value, isUnsigned(inner), verb, value);
    else if (Array.isArray(inner)) this.#elements(inner, value.type, verb, depth);
    else if (inner instanceof Slice) this.#elements(inner.items, value.type, verb, depth);
    else if (inner instanceof TypedNil) this.#typedNil(new TypedNil(inner.type), verb, value.type);
    else this.#map(inner, value.type, verb, depth);
  }

  #struct(value: Struct, verb: string, depth: number): void {
    const isPointer = value.type.startsWith("*");
    if (isPointer && depth > 0) {
      this.#pointer(value, verb);
      return;
    }
    const { sharpV, plusV } = this.flags;
    this.out += `${isPointer ? "&" : ""}${sharpV ? value.type.replace(/^\*/, "") : ""}{`;
    let separator = "";
    for (const [name, field] of Object.entries(value.allFields)) {
      this.out += separator;
      if (sharpV || plusV) this.out += `${name}:`;
      this.#value(field, verb, depth + 1);
      separator = sharpV ? ", " : " ";
    }
    this.out += "}";
  }

  #typedNil({ type }: TypedNil, verb: string, shownType = type): void {
    const isMap = type.startsWith("map[");
    if (!isMap && !type.startsWith("[]")) this.#pointer(new TypedNil(type), verb);
    else if (this.flags.sharpV) this.out += `${shownType}(nil)`;
    else if (type === "[]uint8" && "sqxX".includes(verb)) this.#string("", verb, "");
    else this.out += isMap ? "map[]" : "[]";
  }

  #elements(items: readonly GoValue[], type: string, verb: string, depth: number): void {
    const { sharpV } = this.flags;
    this.out += sharpV ? `${type}{` : "[";
    let separator = "";
    for (const item of items) {
      this.checkSize();
      this.out += separator;
      this.#value(item, verb, depth + 1);
      separator = sharpV ? ", " : " ";
    }
    this.out += sharpV ? "}" : "]";
  }

  #map(value: GoValue, type: string, verb: string, depth: number): void {
    const { sharpV } = this.flags;
    const view = mapView(value);
    this.out += sharpV ? `${type}{` : "map[";
    let separator = "";
    for (const key of view?.keys() ?? []) {
      this.checkSize();
      this.out += separator;
      this.#value(key, verb, depth + 1);
      this.out += ":";
      this.#value(view?.get(key), verb, depth + 1);
      separator = sharpV ? ", " : " ";
    }
    this.out += sharpV ? "}" : "]";
  }

  #bytes({ bytes }: Bytes, verb: string, depth: number): void {
    if (verb === "s") this.out += formatText(fromBytes(bytes), this.flags);
    else if (verb === "q") this.out += formatQuoted(fromBytes(bytes), this.flags);
    else if (verb === "x" || verb === "X") this.out += formatHexadecimal(bytes, verb, this.flags);
    else if (verb === "v" && this.flags.sharpV)
      this.out += `[]byte{${joinBytes(bytes, ", ", (byte) => `0x${byte.toString(16)}`)}}`;
    else this.#byteElements(bytes, verb, depth);
  }

  /** As a list of integers; chart files are long, so none is made for each byte. */
  #byteElements(bytes: Uint8Array, verb: string, depth: number): void {
    const { sharpV } = this.flags;
    const before = this.out;
    const shown = joinBytes(bytes, sharpV ? ", " : " ", (byte) => {
      this.out = "";
      this.#value(new Int("uint8", BigInt(byte)), verb, depth + 1);
      return this.out;
    });
    this.out = before + (sharpV ? `[]uint8{${shown}}` : `[${shown}]`);
    this.checkSize();
  }

  #string(text: string, verb: string, whole: GoValue): void {
    if (verb === "s" || (verb === "v" && !this.flags.sharpV)) this.out += formatText(text, this.flags);
    else if (verb === "q" || verb === "v") this.out += formatQuoted(text, this.flags);
    else if (verb === "x" || verb === "X") this.out += formatHexadecimal(toBytes(text), verb, this.flags);
    else this.#badVerb(verb, whole);
  }

  #boolean(value: boolean, verb: string, whole: GoValue): void {
    if (verb === "t" || verb === "v") this.out += padded(String(value), this.flags);
    else this.#badVerb(verb, whole);
  }

  #integer(value: bigint, unsigned: boolean, verb: string, whole: GoValue): void {
    const style = integerStyles[verb];
    if (verb === "v" && this.flags.sharpV && unsigned)
      this.out += formatInteger(value, { base: 16 }, { ...this.flags, sharp: true });
    else if (style) this.out += formatInteger(value, style, this.flags);
    else if (verb === "c") this.out += formatCharacter(value, this.flags);
    else if (verb === "q") this.out += formatQuotedCharacter(value, this.flags);
    else if (verb === "U") this.out += formatUnicode(value, this.flags);
    else this.#badVerb(verb, whole);
  }

  #float(value: number, verb: string, whole: GoValue): void {
    if (verb === "v") this.out += formatFloatWith(value, "g", -1, this.flags);
    else if ("bgGxX".includes(verb)) this.out += formatFloatWith(value, verb, -1, this.flags);
    else if ("feE".includes(verb)) this.out += formatFloatWith(value, verb, 6, this.flags);
    else if (verb === "F") this.out += formatFloatWith(value, "f", 6, this.flags);
    else this.#badVerb(verb, whole);
  }

  #complex(value: Complex, verb: string): void {
    if (!"vbgGxXfFeE".includes(verb)) {
      this.#badVerb(verb, value);
      return;
    }
    const { flags } = this;
    this.out += "(";
    this.#float(value.real, verb, value);
    this.flags = { ...flags, plus: true };
    this.#float(value.imaginary, verb, value);
    this.flags = flags;
    this.out += "i)";
  }

  #pointer(value: GoValue, verb: string): void {
    const isNil = value instanceof TypedNil;
    const isStructPointer = value instanceof Struct && value.type.startsWith("*");
    if (!isNil && !isStructPointer && mapView(value) === undefined && !isSlice(value)) {
      this.#badVerb(verb, value);
      return;
    }
    const where = isNil ? 0n : address;
    const leading = { ...this.flags, sharp: !this.flags.sharp };
    if (verb === "p") this.out += formatInteger(where, { base: 16 }, leading);
    else if (verb === "v" && this.flags.sharpV)
      this.out += `(${typeName(value)})(${isNil ? "nil" : `0x${where.toString(16)}`})`;
    else if (verb === "v")
      this.out += isNil ? padded("<nil>", this.flags) : formatInteger(where, { base: 16 }, leading);
    else if ("bodxX".includes(verb)) this.#integer(where, true, verb, value);
    else this.#badVerb(verb, value);
  }

  #badVerb(verb: string, value: GoValue): void {
    const before = this.#erroring;
    this.#erroring = true;
    this.out += `%!${verb}(${typeName(value)}=`;
    this.#value(value, "v", 0);
    this.out += ")";
    this.#erroring = before;
  }
}

function isUnsigned({ kind }: Int): boolean {
  return kind.startsWith("u");
}

/** Asks for the text of a byte only once. */
function joinBytes(bytes: Uint8Array, separator: string, write: (byte: number) => string): string {
  const texts: string[] = [];
  return Array.from(bytes, (byte) => (texts[byte] ??= write(byte))).join(separator);
}

function isSlice(value: GoValue): boolean {
  return Array.isArray(value) || value instanceof Slice || value instanceof Bytes;
}

/** What the value says of itself, if its type has `String()` or `Error()`. */
function textOf(value: GoValue): string | undefined {
  if (value instanceof Struct) return value.details.text?.();
  if (value instanceof Named) return value.text?.();
  return undefined;
}

function truncated(text: string, { precision }: FormatFlags): string {
  if (precision === undefined || text.length <= precision || runeCount(text) <= precision) return text;
  let end = 0;
  for (let count = 0; count < precision; count += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** `%s`. */
function formatText(text: string, flags: FormatFlags): string {
  return padded(truncated(text, flags), flags);
}

/** `%q`: between backquotes if `#` asks for that and it can be. */
function formatQuoted(text: string, flags: FormatFlags): string {
  const shown = truncated(text, flags);
  const isRaw = flags.sharp && canBackquote(shown);
  return padded(isRaw ? `\`${shown}\`` : quote(shown, { ascii: flags.plus }), flags);
}

/** `%x` and `%X` of bytes. */
function formatHexadecimal(bytes: Uint8Array, verb: "x" | "X", flags: FormatFlags): string {
  const { precision, space, sharp } = flags;
  const shown = precision !== undefined && precision < bytes.length ? bytes.subarray(0, precision) : bytes;
  const digits = Array.from(shown, (byte) => byte.toString(16).padStart(2, "0"));
  const prefix = sharp && shown.length > 0 ? "0x" : "";
  const text = prefix + digits.join(space ? ` ${prefix}` : "");
  return padded(verb === "X" ? text.toUpperCase() : text, flags);
}
