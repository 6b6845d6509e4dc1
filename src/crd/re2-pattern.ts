import { readClass, readEscape } from "./re2-class.ts";
import { type RegExpCursor, literalPattern, Untranslatable } from "./re2-letters.ts";

export type Re2Pattern =
  | { readonly pattern: string; readonly problem?: undefined }
  | { readonly problem: string; readonly next: string };

/** Go refuses larger counts: https://pkg.go.dev/regexp/syntax */
const largestRepeat = 1000;

/**
 * Translates a regular expression to RE2, which the API server uses: https://github.com/google/re2/wiki/Syntax
 * Where both differ (`.`, `\s`, `\u0000`, letter case), the translation is explicit; what RE2 cannot express is a problem.
 */
export function toRe2(expression: RegExp): Re2Pattern {
  try {
    return { pattern: translate(expression) };
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    return {
      problem: `RE2, the API server's regular expressions, does not support ${error.message}`,
      next: error.next,
    };
  }
}

/** An RE2 pattern that matches exactly this text. */
export function escapeRe2(text: string): string {
  return Array.from(text, (character) => literalPattern(character, false)).join("");
}

function translate(expression: RegExp): string {
  const flag = Array.from(expression.flags).find((letter) => !"dius".includes(letter));
  if (flag !== undefined) throw new Untranslatable(`the flag ${flag}`, "leave it out");
  if (expression.ignoreCase && expression.unicode) {
    throw new Untranslatable("the flags i and u together", "leave out the flag i and write both cases, such as [aA]");
  }
  const cursor: RegExpCursor = {
    characters: expression.unicode ? Array.from(expression.source) : expression.source.split(""),
    at: 0,
    isUnicode: expression.unicode,
    ignoresCase: expression.ignoreCase,
    dotMatchesAll: expression.dotAll,
  };
  let pattern = "";
  while (cursor.at < cursor.characters.length) pattern += nextPart(cursor);
  return pattern;
}

function nextPart(cursor: RegExpCursor): string {
  const character = cursor.characters[cursor.at] ?? "";
  if (character === "\\") return withoutHalves(cursor, readEscape(cursor));
  if (character === "[") return withoutHalves(cursor, readClass(cursor));
  cursor.at++;
  switch (character) {
    case ".":
      return withoutHalves(cursor, {
        pattern: cursor.dotMatchesAll ? "(?s:.)" : String.raw`[^\n\r\x{2028}\x{2029}]`,
        matchesHalves: true,
      });
    case "(":
      return openGroup(cursor);
    case "{":
      return readRepeat(cursor);
    case "}":
    case "]":
      return `\\${character}`;
    case "^":
    case "$":
    case "|":
    case ")":
    case "*":
    case "+":
    case "?":
      return character;
    default:
      return literalPattern(character, cursor.ignoresCase);
  }
}

/**
 * Without the flag u, JavaScript matches halves of the characters beyond U+FFFF, where RE2 matches characters.
 * In `[^/]*` and `[^/]+` that makes no difference, in `[^/]` and `[^/]{3}` it does.
 */
function withoutHalves(
  cursor: RegExpCursor,
  part: { readonly pattern: string; readonly matchesHalves: boolean },
): string {
  const next = cursor.characters[cursor.at];
  if (!part.matchesHalves || cursor.isUnicode || next === "*" || next === "+") return part.pattern;
  throw new Untranslatable("half of a character beyond U+FFFF, which this matches", "add the flag u");
}

function openGroup(cursor: RegExpCursor): string {
  if (cursor.characters[cursor.at] !== "?") return "(";
  const rest = cursor.characters.slice(cursor.at, cursor.at + 40).join("");
  if (rest.startsWith("?:")) {
    cursor.at += 2;
    return "(?:";
  }
  const name = /^\?<([A-Za-z_$][\w$]*)>/.exec(rest);
  if (name) {
    cursor.at += name[0].length;
    return "(";
  }
  if (/^\?<?[=!]/.test(rest)) {
    throw new Untranslatable(
      `a lookaround, (${rest.slice(0, 3)}`,
      "write it without, or as a second .regex() or a CEL rule",
    );
  }
  throw new Untranslatable(`the group (${rest.slice(0, 3)}`, "write it without");
}

function readRepeat(cursor: RegExpCursor): string {
  const rest = cursor.characters.slice(cursor.at, cursor.at + 40).join("");
  const count = /^(\d+)(?:,(\d*))?\}/.exec(rest);
  if (!count) return String.raw`\{`;
  if (Math.max(Number(count[1]), Number(count[2] ?? 0)) > largestRepeat) {
    throw new Untranslatable(`more than ${largestRepeat} repetitions`, "use .min() and .max() for the length");
  }
  cursor.at += count[0].length;
  return `{${count[0]}`;
}
