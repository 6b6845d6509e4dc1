import { fromBytes, type GoFunction, goFunction, toBytes } from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import { toByteText } from "./byte-text.ts";

/** Base64 and base32. Invalid input gives the text of Go's error as the result, not an error. */
export const baseEncoding: Record<string, GoFunction> = {
  b64enc: keepingPlace(
    goFunction(["string"], ([text], { budget }) => {
      budget.make(2 * text.length);
      return Buffer.from(toBytes(text)).toString("base64");
    }),
  ),
  b64dec: goFunction(["string"], ([text]) => {
    const corrupt = corruptBase64(toByteText(text));
    if (corrupt !== undefined) return `illegal base64 data at input byte ${corrupt}`;
    return fromBytes(Buffer.from(text, "base64"));
  }),
  b32enc: goFunction(["string"], ([text], { budget }) => {
    budget.takeApart(text);
    return encodeBase32(toBytes(text));
  }),
  b32dec: goFunction(["string"], ([text], { budget }) => {
    budget.takeApart(text);
    const bytes = toByteText(text).replaceAll(/[\r\n]/g, "");
    const end = endOfBase32(bytes);
    if ("corrupt" in end) return `illegal base32 data at input byte ${end.corrupt}`;
    return fromBytes(decodeBase32(bytes.slice(0, end.digits)));
  }),
};

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const digits64 = new Set(`${letters}${letters.toLowerCase()}0123456789+/`);
const digits32 = `${letters}234567`;

/** The offset at which Go refuses base64, else `undefined`. Line breaks count, but are ignored. */
export function corruptBase64(text: string): number | undefined {
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (digits64.has(character)) digits += 1;
    else if (character === "=") return corruptPadding(text, at, digits % 4);
    else if (!isLineBreak(character)) return at;
  }
  return digits % 4 === 0 ? undefined : text.length - (digits % 4);
}

/** The first `=` stands at `at`, behind the given number of digits. */
function corruptPadding(text: string, at: number, digits: number): number | undefined {
  if (digits < 2) return at;
  let next = afterLineBreaks(text, at + 1);
  if (digits === 2) {
    if (next === text.length) return next;
    if (text[next] !== "=") return next - 1;
    next = afterLineBreaks(text, next + 1);
  }
  return next < text.length ? next : undefined;
}

function afterLineBreaks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isLineBreak(text[at] ?? "")) at += 1;
  return at;
}

function isLineBreak(character: string): boolean {
  return character === "\n" || character === "\r";
}

/** The number of digits before the padding, or the offset at which Go refuses the text. Go ignores what follows the padding. */
function endOfBase32(text: string): { readonly digits: number } | { readonly corrupt: number } {
  for (let at = 0; at < text.length; at += 1) {
    const place = at % 8;
    const rest = text.length - at - 1;
    const character = text[at] ?? "";
    if (character === "=" && place >= 2 && rest < 8) {
      if (rest + place < 7) return { corrupt: text.length };
      const padding = text.slice(at + 1, at + 8 - place);
      const wrong = padding.search(/[^=]/);
      if (wrong >= 0) return { corrupt: at + wrong };
      return place === 3 || place === 6 ? { corrupt: at } : { digits: at };
    }
    if (!digits32.includes(character)) return { corrupt: at };
  }
  const missing = text.length % 8;
  return missing === 0 ? { digits: text.length } : { corrupt: text.length - missing };
}

function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 5; count -= 5) text += digits32[(bits >> (count - 5)) & 31];
    bits &= 31;
  }
  if (count > 0) text += digits32[(bits << (5 - count)) & 31];
  return text.padEnd(Math.ceil(text.length / 8) * 8, "=");
}

function decodeBase32(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let bits = 0;
  let count = 0;
  let at = 0;
  for (const character of text) {
    bits = ((bits << 5) | digits32.indexOf(character)) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes[at] = (bits >> count) & 0xff;
    at += 1;
  }
  return bytes;
}
