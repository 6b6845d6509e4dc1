import { isBlank, isBlankOrEnd, isBreak, isFlowIndicator } from "./characters.ts";
import type { Cursor } from "./cursor.ts";

/**
 * Reads a scalar without quotes, and with it all blanks and line breaks behind it.
 * `indent` is the column that its further lines must reach; inside brackets only tabs care.
 */
export function scanPlain(cursor: Cursor, indent: number, inFlow: boolean): string {
  let value = takeRun(cursor, inFlow);
  cursor.hasBrokenLine = false;
  while (isBreak(cursor.code())) {
    const fold = takeFold(cursor, indent);
    cursor.hasBrokenLine = true;
    if ((!inFlow && cursor.column < indent) || cursor.code() === 0x23 || cursor.atDocumentMarker()) break;
    const run = takeRun(cursor, inFlow);
    if (run === "") break;
    value += fold + run;
    cursor.hasBrokenLine = false;
  }
  return value;
}

const question = 0x3f;

/** One line of it, up to the last character that is not a blank; the cursor goes beyond the blanks. */
function takeRun(cursor: Cursor, inFlow: boolean): string {
  const { text, position: start, isLibyaml } = cursor;
  let at = start;
  let end = start;
  for (;;) {
    let code = text.charCodeAt(at);
    while (!isBlankOrEnd(code)) {
      if (code === 0x3a && isBlankOrEnd(text.charCodeAt(at + 1))) break;
      if (inFlow) {
        if (isFlowIndicator(code) && !(isLibyaml && code === question)) break;
        if (isLibyaml && code === 0x3a && isFlowIndicator(text.charCodeAt(at + 1))) {
          cursor.position = at;
          throw cursor.failure("found unexpected ':'");
        }
      }
      at += 1;
      code = text.charCodeAt(at);
    }
    if (at > start && !isBlank(text.charCodeAt(at - 1))) end = at;
    if (!isBlank(code)) break;
    while (isBlank(code)) {
      at += 1;
      code = text.charCodeAt(at);
    }
    if (code === 0x23) break;
  }
  cursor.position = at;
  return text.slice(start, end);
}

/** Line breaks and the indentation behind them. One line feed becomes a space, further ones stay. */
function takeFold(cursor: Cursor, indent: number): string {
  const first = cursor.takeBreak();
  let rest = "";
  for (;;) {
    const code = cursor.code();
    if (isBlank(code)) {
      if (code === 0x09 && cursor.column < indent)
        throw cursor.failure("found a tab character that violates indentation");
      cursor.position += 1;
    } else if (isBreak(code)) {
      rest += cursor.takeBreak();
    } else {
      break;
    }
  }
  if (first !== "\n") return first + rest;
  return rest === "" ? " " : rest;
}
