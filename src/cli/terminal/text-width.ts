import type { ShellOutput } from "../shell.ts";

const ascii = /^[ -~]*$/;
const invisible = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;
const emoji = /\p{Emoji_Presentation}|\u{FE0F}/u;

/** What Unicode calls wide or fullwidth, unassigned code points between included: https://www.unicode.org/reports/tr11/ */
const wide =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;

/** How many columns of a terminal the text fills. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  return characters(text).reduce((width, character) => width + characterWidth(character), 0);
}

/** How many columns a line may fill; in a file it may be as long as it is. */
export function lineLimit({ isTTY, columns }: Pick<ShellOutput, "isTTY" | "columns">): number {
  return (isTTY && columns) || Infinity;
}

/** The text, or as much of its beginning as fits, with an ellipsis. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const character of characters(text)) {
    left -= characterWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return width > 0 ? `${kept}…` : "";
}

/** The text, or as much of its end as fits, with an ellipsis before it: of a path, the file and line. */
export function cutStart(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const character of characters(text).toReversed()) {
    left -= characterWidth(character);
    if (left < 0) break;
    kept = character + kept;
  }
  return width > 0 ? `…${kept}` : "";
}

/** The text in indented lines that fit, divided at spaces; what follows the first line is indented twice. */
export function wrapText(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    const isStart = line.trim() === "";
    if (!isStart && textWidth(line) + 1 + textWidth(word) > width) {
      lines.push(line);
      line = indent + indent + word;
    } else {
      line += isStart ? word : ` ${word}`;
    }
  }
  return [...lines, line].join("\n");
}

/** As people count them: an accent belongs to its letter, and a family of emoji is one. */
function characters(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function characterWidth(character: string): number {
  if (invisible.test(character)) return 0;
  return emoji.test(character) || wide.test(character) ? 2 : 1;
}

/** Indented lines of two columns. */
export function alignPairs(pairs: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(0, ...pairs.map(([left]) => textWidth(left)));
  return pairs.map(([left, right]) => `  ${left}${" ".repeat(width - textWidth(left))}  ${right}`.trimEnd()).join("\n");
}
