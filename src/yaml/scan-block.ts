import { isBlank, isBreak, isBreakOrEnd, isDigit } from "./characters.ts";
import type { Cursor } from "./cursor.ts";

/** Reads a scalar that begins with `|` or `>`. `parentIndent` is the column of what it belongs to, -1 for a document. */
export function scanBlock(cursor: Cursor, parentIndent: number): string {
  const isLiteral = cursor.code() === 0x7c;
  cursor.position += 1;
  const { chomping, increment } = takeIndicators(cursor);
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.code())) throw cursor.failure("did not find expected comment or line break");
  cursor.takeBreak();

  const explicit = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  const { breaks, indent } = takeEmptyLines(cursor, explicit, parentIndent);
  let value = "";
  let lastBreak = "";
  let emptyLines = breaks;
  let wasMoreIndented = false;
  while (cursor.column === indent && cursor.code() !== 0) {
    const isMoreIndented = isBlank(cursor.code());
    if (!isLiteral && !wasMoreIndented && !isMoreIndented && lastBreak === "\n") {
      if (emptyLines === "") value += " ";
    } else {
      value += lastBreak;
    }
    value += emptyLines + takeLine(cursor);
    wasMoreIndented = isMoreIndented;
    lastBreak = cursor.takeBreak();
    emptyLines = takeEmptyLines(cursor, indent, parentIndent).breaks;
  }
  if (chomping === "-") return value;
  return chomping === "+" ? value + lastBreak + emptyLines : value + lastBreak;
}

/** The digit and the sign may come in either order. */
function takeIndicators(cursor: Cursor): { readonly chomping: string; readonly increment: number } {
  const first = takeChomping(cursor);
  const increment = takeIncrement(cursor);
  return { chomping: first === "" && increment > 0 ? takeChomping(cursor) : first, increment };
}

function takeChomping(cursor: Cursor): string {
  const character = cursor.text.charAt(cursor.position);
  if (character !== "+" && character !== "-") return "";
  cursor.position += 1;
  return character;
}

function takeIncrement(cursor: Cursor): number {
  const code = cursor.code();
  if (!isDigit(code)) return 0;
  if (code === 0x30) throw cursor.failure("found an indentation indicator equal to 0");
  cursor.position += 1;
  return code - 0x30;
}

function takeLine(cursor: Cursor): string {
  const start = cursor.position;
  while (!isBreakOrEnd(cursor.code())) cursor.position += 1;
  return cursor.text.slice(start, cursor.position);
}

/** Line breaks and indentation before the next line with content, which sets the indentation if that is still 0. */
function takeEmptyLines(
  cursor: Cursor,
  indent: number,
  parentIndent: number,
): { readonly breaks: string; readonly indent: number } {
  const limit = indent === 0 ? Infinity : indent;
  let breaks = "";
  let widest = 0;
  for (;;) {
    while (cursor.column < limit && cursor.code() === 0x20) cursor.position += 1;
    widest = Math.max(widest, cursor.column);
    if (cursor.column < limit && cursor.code() === 0x09)
      throw cursor.failure("found a tab character where an indentation space is expected");
    if (!isBreak(cursor.code())) break;
    breaks += cursor.takeBreak();
  }
  return { breaks, indent: indent === 0 ? Math.max(widest, parentIndent + 1, 1) : indent };
}
