import {
  type Budget,
  byteLength,
  type CallContext,
  FunctionError,
  type GoFunction,
  goFunction,
  type GoValue,
  canonicalBytes,
  printValue,
  quote,
  trimSpace,
  variadicFunction,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import { fromByteText, sliceBytes, toByteText } from "./byte-text.ts";
import { strval } from "./strval.ts";

/** Finds, cuts and repeats text. */
export const strings: Record<string, GoFunction> = {
  contains: keepingPlace(
    goFunction(["string", "string"], ([part, text]) => withBytes(part, text, (a, b) => b.includes(a))),
  ),
  hasPrefix: keepingPlace(goFunction(["string", "string"], ([prefix, text]) => hasPrefix(prefix, text))),
  hasSuffix: keepingPlace(goFunction(["string", "string"], ([suffix, text]) => hasSuffix(suffix, text))),
  trimPrefix: goFunction(["string", "string"], ([prefix, text]) =>
    hasPrefix(prefix, text) ? withoutPrefix(text, prefix) : text,
  ),
  trimSuffix: goFunction(["string", "string"], ([suffix, text]) =>
    hasSuffix(suffix, text) ? withoutSuffix(text, suffix) : text,
  ),
  substr: goFunction(["int", "int", "string"], ([start, end, text]) => {
    if (start < 0n) return sliceBytes(text, 0n, end);
    return sliceBytes(text, start, end < 0n || end > byteLength(text) ? undefined : end);
  }),
  trunc: goFunction(["int", "string"], ([count, text]) => {
    const length = BigInt(byteLength(text));
    if (count < 0n && length + count > 0n) return sliceBytes(text, length + count, undefined);
    return count >= 0n && length > count ? sliceBytes(text, 0n, count) : text;
  }),
  repeat: goFunction(["int", "string"], ([count, text], context) => canonicalBytes(repeat(text, count, context))),
  replace: goFunction(["string", "string", "string"], ([old, replacement, text], context) =>
    replaceAll(text, old, replacement, context),
  ),
  plural: goFunction(["string", "string", "int"], ([one, many, count]) => (count === 1n ? one : many)),
  indent: keepingPlace(goFunction(["int", "string"], ([spaces, text], context) => indent(text, spaces, context))),
  nindent: keepingPlace(
    goFunction(["int", "string"], ([spaces, text], context) => `\n${indent(text, spaces, context)}`),
  ),
  quote: keepingPlace(
    variadicFunction([], "any", (values, { budget }) => words(values, (value) => quote(strval(value, budget)), budget)),
  ),
  squote: keepingPlace(
    variadicFunction([], "any", (values, { budget }) =>
      words(values, (value) => `'${printValue(value, budget)}'`, budget),
    ),
  ),
  cat: keepingPlace(
    variadicFunction([], "any", (values, { budget }) => words(values, (value) => printValue(value, budget), budget)),
  ),
  toString: keepingPlace(goFunction(["any"], ([value], { budget }) => strval(value, budget))),
};

/** In sprig 2.22, `trunc` cuts at the end only. */
export const plugStrings: Record<string, GoFunction> = {
  trunc: goFunction(["int", "string"], ([count, text]) =>
    byteLength(text) <= count ? text : sliceBytes(text, 0n, count),
  ),
};

/** A piece of invalid UTF-8 may be part of a character: then bytes are compared. */
function withBytes(piece: string, text: string, compare: (piece: string, text: string) => boolean): boolean {
  return piece.isWellFormed() ? compare(piece, text) : compare(toByteText(piece), toByteText(text));
}

function hasPrefix(prefix: string, text: string): boolean {
  return withBytes(prefix, text, (a, b) => b.startsWith(a));
}

function hasSuffix(suffix: string, text: string): boolean {
  return withBytes(suffix, text, (a, b) => b.endsWith(a));
}

function withoutPrefix(text: string, prefix: string): string {
  if (prefix.isWellFormed()) return text.slice(prefix.length);
  return sliceBytes(text, BigInt(byteLength(prefix)), undefined);
}

function withoutSuffix(text: string, suffix: string): string {
  if (suffix.isWellFormed()) return text.slice(0, text.length - suffix.length);
  return sliceBytes(text, 0n, BigInt(byteLength(text) - byteLength(suffix)));
}

function repeat(text: string, count: bigint, { budget }: CallContext): string {
  if (count < 0n) throw new FunctionError("strings: negative Repeat count");
  const length = BigInt(byteLength(text)) * count;
  if (length >= 1n << 63n) throw new FunctionError("strings: Repeat output length overflow");
  budget.make(length);
  return text.repeat(length === 0n ? 0 : Number(count));
}

function replaceAll(text: string, old: string, replacement: string, { budget }: CallContext): string {
  if (!old.isWellFormed())
    return fromByteText(toByteText(text).replaceAll(toByteText(old), () => toByteText(replacement)));
  // Go puts the replacement around each character, JavaScript would put it into pairs of surrogates.
  const parts = old === "" ? ["", ...Array.from(text), ""] : text.split(old);
  if (parts.length === 1) return text;
  budget.make(text.length + parts.length * replacement.length);
  return canonicalBytes(parts.join(replacement));
}

function indent(text: string, spaces: bigint, context: CallContext): string {
  const pad = repeat(" ", spaces, context);
  if (!text.includes("\n")) return pad + text;
  const lines = text.split("\n");
  context.budget.make(text.length + lines.length * pad.length);
  return pad + lines.join(`\n${pad}`);
}

function words(values: readonly GoValue[], write: (value: GoValue) => string, budget: Budget): string {
  const texts = values.filter((value) => value !== null && value !== undefined).map((value) => write(value));
  budget.make(texts.reduce((size, text) => size + text.length + 1, 0));
  return canonicalBytes(texts.join(" "));
}

const trimAll = goFunction(["string", "string"], ([characters, text]) => trimCharacters(text, characters));

/** Trims characters at both ends of a text. */
export const trimming: Record<string, GoFunction> = {
  trim: goFunction(["string"], ([text]) => trimSpace(text)),
  trimAll,
  trimall: trimAll,
};

/** Go's `strings.Trim`, which reads invalid UTF-8 as U+FFFD. */
function trimCharacters(text: string, characters: string): string {
  const trimmed = new Set(characters.toWellFormed());
  const wellFormed = text.toWellFormed();
  let start = 0;
  let end = text.length;
  while (start < end) {
    const character = String.fromCodePoint(wellFormed.codePointAt(start) ?? 0);
    if (!trimmed.has(character)) break;
    start += character.length;
  }
  while (end > start) {
    const isPair = wellFormed.charCodeAt(end - 1) >> 10 === 0x37;
    const character = wellFormed.slice(end - (isPair ? 2 : 1), end);
    if (!trimmed.has(character)) break;
    end -= character.length;
  }
  return text.slice(start, end);
}
