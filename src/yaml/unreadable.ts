import { YamlProblem } from "./yaml-problem.ts";

/** What YAML 1.1 does not allow in a text, and halves of characters, which stand for bytes that are not UTF-8. */
const notAllowed =
  // oxlint-disable-next-line no-control-regex -- they are what it looks for
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** goyaml.v2 reads so many bytes at a time, and complains about any of them before it looks at the first. */
const chunkSize = 512;

export interface Unreadable {
  /** Reading up to here is possible. */
  readonly limit: number;
  readonly problem: YamlProblem;
}

/** The first character that YAML does not allow, if there is one. */
export function findUnreadable(text: string): Unreadable | undefined {
  const match = notAllowed.exec(text);
  if (!match) return undefined;
  const problem = new YamlProblem(problemAt(text, match.index), "reader", match.index);
  return { limit: chunkStart(text, match.index), problem };
}

function chunkStart(text: string, position: number): number {
  let start = 0;
  let bytes = 0;
  let end = chunkSize;
  for (let at = 0; at <= position; ) {
    const code = text.codePointAt(at) ?? 0;
    const length = isEscapedByte(code) ? 1 : code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes + length > end) {
      start = at;
      end = bytes + chunkSize;
    }
    bytes += length;
    at += code > 0xffff ? 2 : 1;
  }
  return start;
}

/** A byte that is not UTF-8 may come as the lone surrogate U+DC00 plus the byte. */
function isEscapedByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

function problemAt(text: string, position: number): string {
  const first = text.charCodeAt(position);
  if (first < 0xd800 || first > 0xdfff) return "control characters are not allowed";
  if (!isEscapedByte(first)) return "invalid Unicode character";
  return describeBytes(bytesAt(text, position));
}

function bytesAt(text: string, position: number): number[] {
  const bytes: number[] = [];
  for (const character of text.slice(position, position + 4)) {
    const code = character.codePointAt(0) ?? 0;
    if (isEscapedByte(code)) bytes.push(code - 0xdc00);
    else bytes.push(...Buffer.from(character));
  }
  return bytes;
}

function describeBytes([first = 0, ...rest]: number[]): string {
  const length = first < 0xc0 || first > 0xf7 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length === 0) return "invalid leading UTF-8 octet";
  if (rest.length + 1 < length) return "incomplete UTF-8 octet sequence";
  const trailing = rest.slice(0, length - 1);
  if (trailing.some((byte) => (byte & 0xc0) !== 0x80)) return "invalid trailing UTF-8 octet";
  const value = trailing.reduce((sum, byte) => sum * 64 + (byte & 0x3f), first & (0x7f >> length));
  const isOverlong = value < [0, 0, 0x80, 0x800, 0x10000][length]!;
  return isOverlong ? "invalid length of a UTF-8 sequence" : "invalid Unicode character";
}
