import { Complex, parseFloat64, parseInteger, quote, unquoteCharacter } from "#golang";

/** A number under every type that can hold it, as Go's constants have no type until they are used. */
export interface NumberConstant {
  readonly text: string;
  readonly int: bigint | undefined;
  readonly uint: bigint | undefined;
  readonly float: number | undefined;
  readonly complex: Complex | undefined;
}

/** Why a text is not a number, in Go's words. */
export class NumberSyntaxError extends Error {
  override readonly name = "NumberSyntaxError";
}

/** `'x'`, which is the number of the character. */
export function characterConstant(text: string): NumberConstant {
  const character = unquoteCharacter(text, 1, "'");
  if (character === undefined) throw new NumberSyntaxError("invalid syntax");
  if (text.slice(character.end) !== "'") throw new NumberSyntaxError(`malformed character constant: ${text}`);
  const int = BigInt(character.value);
  return { text, int, uint: int, float: character.value, complex: undefined };
}

/** As Go's fmt scans one: it takes an `i` for the beginning of `inf`. */
const floatAhead =
  /[+-]?i?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)/y;

/** `1+2i`. */
export function complexConstant(text: string): NumberConstant {
  const real = floatAt(text, 0);
  const imaginary = floatAt(text, real.length);
  const end = text[real.length + imaginary.length];
  if (!/^[+-]/.test(imaginary) || end !== "i") throw new NumberSyntaxError("syntax error scanning complex number");
  return fromComplex(text, complexPart(real), complexPart(imaginary));
}

function floatAt(text: string, at: number): string {
  floatAhead.lastIndex = at;
  return floatAhead.exec(text)?.[0] ?? "";
}

function complexPart(text: string): number {
  const { value, problem } = parseFloat64(text);
  if (problem !== undefined) throw new NumberSyntaxError(`strconv.ParseFloat: parsing ${quote(text)}: ${problem}`);
  return value;
}

function fromComplex(text: string, real: number, imaginary: number): NumberConstant {
  const complex = new Complex(real, imaginary);
  if (imaginary !== 0) return { text, int: undefined, uint: undefined, float: undefined, complex };
  return { text, ...integersOf(real), float: real, complex };
}

function integersOf(float: number): { int: bigint | undefined; uint: bigint | undefined } {
  const whole = Number.isInteger(float) ? BigInt(float) : undefined;
  return {
    int: whole !== undefined && BigInt.asIntN(64, whole) === whole ? whole : undefined,
    uint: whole !== undefined && BigInt.asUintN(64, whole) === whole ? whole : undefined,
  };
}

/** A number without quotes: an integer, a float, or an imaginary one. */
export function numberConstant(text: string): NumberConstant {
  if (text.endsWith("i")) {
    const { value, problem } = parseFloat64(text.slice(0, -1));
    if (problem === undefined) return fromComplex(text, 0, value);
  }
  const signed = parseInteger(text);
  const int = signed !== undefined && BigInt.asIntN(64, signed) === signed ? signed : undefined;
  const hasSign = text.startsWith("+") || text.startsWith("-");
  const fits = signed !== undefined && BigInt.asUintN(64, signed) === signed && (!hasSign || signed === 0n);
  const uint = fits ? signed : undefined;
  const integer = int ?? uint;
  if (integer !== undefined) return { text, int, uint, float: Number(integer), complex: undefined };
  const { value, problem } = parseFloat64(text);
  if (problem !== undefined) throw new NumberSyntaxError(`illegal number syntax: ${quote(text)}`);
  // What reads as a float but looks like an integer is one that is too large.
  if (!/[.eEpP]/.test(text)) throw new NumberSyntaxError(`integer overflow: ${quote(text)}`);
  return { text, ...integersOf(value), float: value, complex: undefined };
}
