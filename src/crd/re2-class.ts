import { bothCases, characterOf, type RegExpCursor, hasCase, type RegExpPart, Untranslatable } from "./re2-letters.ts";

/** JavaScript's `\s`; RE2's is ASCII only. https://tc39.es/ecma262/#prod-WhiteSpace */
const space = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const anyCharacter: RegExpPart = { pattern: "(?s:.)", matchesHalves: true };
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11 };
/** The general categories that both syntaxes have. */
const category = /^[pP]\{(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)\}/;

/** An escape outside of a class. */
export function readEscape(cursor: RegExpCursor): RegExpPart {
  const letter = cursor.characters[cursor.at + 1] ?? "";
  if (letter === "b" || letter === "B") {
    cursor.at += 2;
    return { pattern: `\\${letter}`, matchesHalves: false };
  }
  const escaped = readEscaped(cursor);
  if (escaped.set === space) {
    return { pattern: `[${escaped.isNegated ? "^" : ""}${space}]`, matchesHalves: escaped.isNegated };
  }
  if (escaped.set !== undefined) return { pattern: insideClass(escaped), matchesHalves: escaped.isNegated };
  return { pattern: single(escaped.codePoint, cursor.ignoresCase), matchesHalves: false };
}

function single(codePoint: number, ignoresCase: boolean): string {
  const character = String.fromCodePoint(codePoint);
  return ignoresCase && hasCase(character) ? `[${bothCases(character)}]` : characterOf(codePoint);
}

type Escaped =
  | { readonly codePoint: number; readonly set?: undefined }
  /** The inside of a class. */
  | { readonly set: string; readonly isNegated: boolean };

function readEscaped(cursor: RegExpCursor): Escaped {
  const rest = cursor.characters.slice(cursor.at + 1, cursor.at + 32).join("");
  const letter = rest[0] ?? "";
  const take = (length: number): void => void (cursor.at += 1 + length);

  if ("dDwW".includes(letter)) {
    take(1);
    return {
      set: letter === letter.toLowerCase() ? `\\${letter}` : `\\${letter.toLowerCase()}`,
      isNegated: isUpper(letter),
    };
  }
  if (letter === "s" || letter === "S") {
    take(1);
    return { set: space, isNegated: isUpper(letter) };
  }
  if (cursor.isUnicode && (letter === "p" || letter === "P")) {
    const found = category.exec(rest);
    if (!found)
      throw new Untranslatable(`\\${rest.slice(0, 12)}`, "name a general category, such as \\p{L} or \\p{Nd}");
    take(found[0].length);
    return { set: `\\p${found[0].slice(1)}`, isNegated: isUpper(letter) };
  }
  if (/^[1-9]|^k</.test(rest)) throw new Untranslatable("a backreference", "write it without, or as a CEL rule");
  const code = /^(?:x(?<x>[\da-fA-F]{2})|u(?<u>[\da-fA-F]{4})|c(?<c>[A-Za-z]))/.exec(rest);
  const braced = cursor.isUnicode ? /^u\{([\da-fA-F]+)\}/.exec(rest) : null;
  const pair = cursor.isUnicode ? /^u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})/.exec(rest) : null;
  if (braced) {
    take(braced[0].length);
    return { codePoint: Number.parseInt(braced[1] ?? "", 16) };
  }
  if (pair) {
    take(pair[0].length);
    const units = [pair[1], pair[2]].map((hex) => Number.parseInt(hex ?? "", 16));
    return { codePoint: String.fromCharCode(...units).codePointAt(0) ?? 0 };
  }
  if (code?.groups) {
    take(code[0].length);
    const { x, u, c } = code.groups;
    return { codePoint: c === undefined ? Number.parseInt(x ?? u ?? "", 16) : c.toUpperCase().charCodeAt(0) - 64 };
  }
  take(1);
  if (letter === "0") return { codePoint: 0 };
  return { codePoint: controls[letter] ?? letter.codePointAt(0) ?? 0 };
}

function isUpper(letter: string): boolean {
  return letter !== letter.toLowerCase();
}

/** A class, from its `[` to its `]`. */
export function readClass(cursor: RegExpCursor): RegExpPart {
  const idiom = /^\[(?:\^|\\s\\S|\\S\\s|\\d\\D|\\w\\W)\]/.exec(
    cursor.characters.slice(cursor.at, cursor.at + 6).join(""),
  );
  if (idiom) {
    cursor.at += idiom[0].length;
    return anyCharacter;
  }
  cursor.at++;
  const isNegated = cursor.characters[cursor.at] === "^";
  if (isNegated) cursor.at++;
  if (cursor.characters[cursor.at] === "]") throw new Untranslatable("the empty class []", "leave it out");
  let set = "";
  let matchesHalves = isNegated;
  while (cursor.characters[cursor.at] !== "]") {
    const first = readMember(cursor);
    if (first.set !== undefined) {
      set += insideClass(first);
      matchesHalves ||= first.isNegated;
      continue;
    }
    const last = readRangeEnd(cursor) ?? first.codePoint;
    set += rangeOf(first.codePoint, last, cursor.ignoresCase);
  }
  cursor.at++;
  return { pattern: `[${isNegated ? "^" : ""}${set}]`, matchesHalves };
}

function readMember(cursor: RegExpCursor): Escaped {
  const character = cursor.characters[cursor.at] ?? "";
  if (character !== "\\") {
    cursor.at++;
    return { codePoint: character.codePointAt(0) ?? 0 };
  }
  if (cursor.characters[cursor.at + 1] !== "b") return readEscaped(cursor);
  cursor.at += 2;
  return { codePoint: 8 };
}

function readRangeEnd(cursor: RegExpCursor): number | undefined {
  if (cursor.characters[cursor.at] !== "-" || cursor.characters[cursor.at + 1] === "]") return undefined;
  const before = cursor.at;
  cursor.at++;
  const last = readMember(cursor);
  if (last.set === undefined) return last.codePoint;
  // Without the flag u, the hyphen in [a-\d] stands for itself.
  cursor.at = before;
  return undefined;
}

function insideClass(escaped: { readonly set: string; readonly isNegated: boolean }): string {
  if (!escaped.isNegated) return escaped.set;
  if (/^\\[dwp]/.test(escaped.set)) return `\\${escaped.set.charAt(1).toUpperCase()}${escaped.set.slice(2)}`;
  throw new Untranslatable("\\S in a class", "write what the class matches without it");
}

function rangeOf(first: number, last: number, ignoresCase: boolean): string {
  const range = first === last ? characterOf(first) : `${characterOf(first)}-${characterOf(last)}`;
  if (!ignoresCase) return range;
  if (last > 0x7f) bothCases(String.fromCodePoint(last));
  const others = [caseRange(first, last, 0x41, 32), caseRange(first, last, 0x61, -32)];
  return `${range}${others.join("")}`;
}

/** The letters of a range in the other case. */
function caseRange(first: number, last: number, alphabet: number, shift: number): string {
  const from = Math.max(first, alphabet) + shift;
  const to = Math.min(last, alphabet + 25) + shift;
  if (from > to) return "";
  return from === to ? characterOf(from) : `${characterOf(from)}-${characterOf(to)}`;
}
