import { byteLength, fromBytes, FunctionError, toBytes } from "#golang";

/** The text with each byte of its UTF-8 as one character, so that a string's functions count bytes as Go does. */
export function toByteText(text: string): string {
  return Buffer.from(toBytes(text)).toString("latin1");
}

/** The inverse of `toByteText`. */
export function fromByteText(bytes: string): string {
  return fromBytes(Buffer.from(bytes, "latin1"));
}

/** Computes with a text whose offsets are bytes, as they already are in ASCII. */
export function byBytes(text: string, compute: (bytes: string) => string): string {
  if (byteLength(text) === text.length) return compute(text);
  return fromByteText(compute(toByteText(text)));
}

/** Go's `text[start:end]` in bytes, with Go's error for bounds outside the text. */
export function sliceBytes(text: string, start: bigint, end: bigint | undefined): string {
  const length = BigInt(byteLength(text));
  const stop = end ?? length;
  if (stop < 0n) throw outOfRange(`[:${stop}]`);
  if (stop > length) throw outOfRange(`[:${stop}] with length ${length}`);
  if (start < 0n) throw outOfRange(`[${start}:]`);
  if (start > stop) throw outOfRange(`[${start}:${stop}]`);
  return byBytes(text, (bytes) => bytes.slice(Number(start), Number(stop)));
}

function outOfRange(bounds: string): FunctionError {
  return new FunctionError(`runtime error: slice bounds out of range ${bounds}`);
}
