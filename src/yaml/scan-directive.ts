import { isBlankOrEnd, isBreakOrEnd, isDigit, isWord } from "./characters.ts";
import type { Cursor } from "./cursor.ts";
import { scanTagDirective, type WrittenTag } from "./scan-tag.ts";

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
