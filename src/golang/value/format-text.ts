import { type FormatFlags, padded, runeCount } from "./format-flags.ts";
import { canBackquote, quote } from "./quote.ts";

function truncated(text: string, { precision }: FormatFlags): string {
  if (precision === undefined || text.length <= precision || runeCount(text) <= precision) return text;
  let end = 0;
  for (let count = 0; count < precision; count += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** `%s`. */
export function formatText(text: string, flags: FormatFlags): string {
  return padded(truncated(text, flags), flags);
}

/** `%q`: between backquotes if `#` asks for that and it can be. */
export function formatQuoted(text: string, flags: FormatFlags): string {
  const shown = truncated(text, flags);
  const isRaw = flags.sharp && canBackquote(shown);
  return padded(isRaw ? `\`${shown}\`` : quote(shown, { ascii: flags.plus }), flags);
}

/** `%x` and `%X` of bytes. */
export function formatHexadecimal(bytes: Uint8Array, verb: "x" | "X", flags: FormatFlags): string {
  const { precision, space, sharp } = flags;
  const shown = precision !== undefined && precision < bytes.length ? bytes.subarray(0, precision) : bytes;
  const digits = Array.from(shown, (byte) => byte.toString(16).padStart(2, "0"));
  const prefix = sharp && shown.length > 0 ? "0x" : "";
  const text = prefix + digits.join(space ? ` ${prefix}` : "");
  return padded(verb === "X" ? text.toUpperCase() : text, flags);
}
