import { hexValue, isBlank, isBlankOrEnd, isBreakOrEnd, isDigit, isWord } from "./characters.ts";
import type { Cursor } from "./cursor.ts";
import type { YamlLibrary } from "./node-builder.ts";

/** A tag as it is written: `!handle!suffix`; without a handle the suffix is the whole tag. */
export interface WrittenTag {
  readonly handle: string;
  readonly suffix: string;
}

/** Reads `!suffix`, `!!suffix`, `!handle!suffix`, `!<whole tag>` or `!`. */
export function scanTag(cursor: Cursor, inFlow: boolean): WrittenTag {
  const tag = cursor.code(1) === 0x3c ? takeVerbatim(cursor) : takeShorthand(cursor);
  const isEnd = isBlankOrEnd(cursor.code()) || (cursor.isLibyaml && inFlow && cursor.code() === comma);
  if (!isEnd) throw cursor.failure("did not find expected whitespace or line break");
  return tag;
}

const comma = 0x2c;

function takeVerbatim(cursor: Cursor): WrittenTag {
  cursor.position += 2;
  const suffix = takeUri(cursor, "", true);
  if (cursor.code() !== 0x3e) throw cursor.failure("did not find the expected '>'");
  cursor.position += 1;
  return { handle: "", suffix };
}

function takeShorthand(cursor: Cursor): WrittenTag {
  const handle = takeHandle(cursor, false);
  if (handle.length > 1 && handle.endsWith("!")) return { handle, suffix: takeUri(cursor, "") };
  const suffix = takeUri(cursor, handle);
  return suffix === "" ? { handle: "", suffix: "!" } : { handle: "!", suffix };
}

/** Reads what follows `%TAG`: a handle and the prefix it stands for. */
function scanTagDirective(cursor: Cursor): WrittenTag {
  cursor.skipBlanks();
  const handle = takeHandle(cursor, true);
  if (!isBlank(cursor.code())) throw cursor.failure("did not find expected whitespace");
  cursor.skipBlanks();
  const suffix = takeUri(cursor, "", true);
  if (!isBlankOrEnd(cursor.code())) throw cursor.failure("did not find expected whitespace or line break");
  return { handle, suffix };
}

function takeHandle(cursor: Cursor, isDirective: boolean): string {
  const start = cursor.position;
  if (cursor.code() !== 0x21) throw cursor.failure("did not find expected '!'");
  cursor.position += 1;
  while (isWord(cursor.code())) cursor.position += 1;
  if (cursor.code() === 0x21) cursor.position += 1;
  else if (isDirective && cursor.position > start + 1) throw cursor.failure("did not find expected '!'");
  return cursor.text.slice(start, cursor.position);
}

const uriCharacters = new Set(";/?:@&=+$,.!~*'()[]%");
/** libyaml takes these for parts of whole URIs only. */
const flowCharacters = new Set(",[]");

/** `head` is the beginning that turned out not to be a handle; its `!` is not part of the result. */
function takeUri(cursor: Cursor, head: string, isWhole = false): string {
  let uri = head.slice(1);
  const start = cursor.position;
  for (;;) {
    const character = cursor.text.charAt(cursor.position);
    if (!isWord(cursor.code()) && !uriCharacters.has(character)) break;
    if (cursor.isLibyaml && !isWhole && flowCharacters.has(character)) break;
    if (character === "%") {
      uri += takeEscapedCharacter(cursor);
    } else {
      uri += character;
      cursor.position += 1;
    }
  }
  if (head === "" && cursor.position === start) throw cursor.failure("did not find expected tag URI");
  return uri;
}

/** One character of UTF-8, each byte as `%` and two digits. */
function takeEscapedCharacter(cursor: Cursor): string {
  const bytes: number[] = [];
  let length = 1;
  while (bytes.length < length) {
    const [high, low] = [hexValue(cursor.code(1)), hexValue(cursor.code(2))];
    if (cursor.code() !== 0x25 || high < 0 || low < 0) throw cursor.failure("did not find URI escaped octet");
    const byte = high * 16 + low;
    if (bytes.length === 0) length = sequenceLength(cursor, byte);
    else if ((byte & 0xc0) !== 0x80) throw cursor.failure("found an incorrect trailing UTF-8 octet");
    bytes.push(byte);
    cursor.position += 3;
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function sequenceLength(cursor: Cursor, first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc0 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf8) return 4;
  throw cursor.failure("found an incorrect leading UTF-8 octet");
}

/** Reads a line that begins with `%`: the version of `%YAML`, or what `%TAG` declares, its prefix as suffix. */
export function scanDirective(cursor: Cursor): string | WrittenTag {
  cursor.position += 1;
  const directive = takeDirective(cursor, takeName(cursor));
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.code())) throw cursor.failure("did not find expected comment or line break");
  cursor.takeBreak();
  return directive;
}

function takeDirective(cursor: Cursor, name: string): string | WrittenTag {
  if (name === "YAML") return takeVersion(cursor);
  if (name === "TAG") return scanTagDirective(cursor);
  throw cursor.failure("found unknown directive name");
}

function takeName(cursor: Cursor): string {
  const start = cursor.position;
  while (isWord(cursor.code())) cursor.position += 1;
  if (cursor.position === start) throw cursor.failure("could not find expected directive name");
  if (!isBlankOrEnd(cursor.code())) throw cursor.failure("found unexpected non-alphabetical character");
  return cursor.text.slice(start, cursor.position);
}

function takeVersion(cursor: Cursor): string {
  cursor.skipBlanks();
  const major = takeNumber(cursor);
  if (cursor.code() !== 0x2e) throw cursor.failure("did not find expected digit or '.' character");
  cursor.position += 1;
  return `${major}.${takeNumber(cursor)}`;
}

function takeNumber(cursor: Cursor): number {
  const start = cursor.position;
  while (isDigit(cursor.code())) {
    if (cursor.position === start + 2) throw cursor.failure("found extremely long version number");
    cursor.position += 1;
  }
  if (cursor.position === start) throw cursor.failure("did not find expected version number");
  return Number(cursor.text.slice(start, cursor.position));
}

/** The handles of a document's tags: the two that every document has, and those that `%TAG` declares. */
export class TagHandles {
  readonly #prefixes = new Map<string, string>();
  readonly #versions: readonly string[];
  #hasVersion = false;

  constructor(library: YamlLibrary = "goyaml") {
    this.#versions = library === "pyyaml" ? ["1.1", "1.2"] : ["1.1"];
  }

  /** Takes up a `%YAML` line. Returns what is wrong with it, if something is. */
  declareVersion(version: string): string | undefined {
    if (this.#hasVersion) return "found duplicate %YAML directive";
    this.#hasVersion = true;
    return this.#versions.includes(version) ? undefined : "found incompatible YAML document";
  }

  /** Takes up a `%TAG` line. Returns what is wrong with it, if something is. */
  declare(handle: string, prefix: string): string | undefined {
    if (this.#prefixes.has(handle)) return "found duplicate %TAG directive";
    this.#prefixes.set(handle, prefix);
    return undefined;
  }

  /** The whole tag, or `undefined` if its handle was never declared. */
  resolve(handle: string, suffix: string): string | undefined {
    if (handle === "") return suffix;
    const prefix = this.#prefixes.get(handle) ?? standardPrefixes.get(handle);
    return prefix === undefined ? undefined : prefix + suffix;
  }
}

const standardPrefixes = new Map([
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
]);
