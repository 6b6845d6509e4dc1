import { isUtf8 } from "node:buffer";
import { InputError } from "#base";
import { placeOf } from "./text-place.ts";

/** The text of a file: UTF-8, or UTF-16 if it begins with that byte order mark. */
export function decodeText(bytes: Uint8Array, file: string | undefined): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const text = new TextDecoder("utf-8").decode(bytes);
  if (isUtf8(bytes)) return text;
  const { line, column } = placeOf(text, firstReplacement(text, bytes));
  throw new InputError("this is not UTF-8", {
    where: file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`,
    next: "save the file as UTF-8",
  });
}

/** The decoder puts U+FFFD for what it cannot read; the text may hold some of its own before that. */
function firstReplacement(text: string, bytes: Uint8Array): number {
  let at = text.indexOf("\ufffd");
  while (at >= 0) {
    const offset = Buffer.byteLength(text.slice(0, at));
    const isOriginal = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isOriginal) return at;
    at = text.indexOf("\ufffd", at + 1);
  }
  return 0;
}
