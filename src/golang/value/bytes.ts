import { compareText } from "#base";

/**
 * Go strings are bytes, ours are UTF-16. A byte that is not part of valid UTF-8 is kept as the lone surrogate U+DC00 plus the byte,
 * which valid UTF-8 never yields: every Go string has exactly one such form, and ordinary text costs nothing.
 */
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes that Go would hold for `text`. */
export function toBytes(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const parts: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) parts.push(code - 0xdc00);
    else for (const byte of encoder.encode(character)) parts.push(byte);
  }
  return Uint8Array.from(parts);
}

/** The string that Go's conversion of `bytes` gives. */
export function fromBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return fromInvalidBytes(bytes);
  }
}

function fromInvalidBytes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
      at += 1;
      continue;
    }
    text += decoder.decode(bytes.subarray(at, at + length));
    at += length;
  }
  return text;
}

/** Length of the valid UTF-8 sequence at `at`, 0 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length < 2) return length;
  const second = bytes[at + 1] ?? 0;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let next = at + 2; next < at + length; next += 1) {
    const byte = bytes[next] ?? 0;
    if (byte < 0x80 || byte > 0xbf) return 0;
  }
  return length;
}

const beyondAscii = /[^\0-\x7f]/;

/** `len` of a Go string. */
export function byteLength(text: string): number {
  if (!beyondAscii.test(text)) return text.length;
  const escaped = text.isWellFormed() ? 0 : (text.match(/[\udc80-\udcff]/g)?.length ?? 0);
  return Buffer.byteLength(text, "utf8") - 2 * escaped;
}

/** Text put together from pieces may complete a sequence whose bytes came apart; this gives it its one form again. */
export function canonicalBytes(text: string): string {
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** Go's order of strings: by bytes, which is the order of code points where all of them are text. */
export function compareStrings(left: string, right: string): number {
  const areText = left.isWellFormed() && right.isWellFormed();
  return areText ? compareText(left, right) : Buffer.compare(toBytes(left), toBytes(right));
}
