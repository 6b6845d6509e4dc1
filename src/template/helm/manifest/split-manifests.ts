import { trimSpace } from "#golang";

const blanks = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x20]);

/**
 * Splits rendered text at lines that start with `---`, as Helm does: without parsing, so that even a block scalar is split, and
 * of two adjacent separators the second is text.
 */
export function splitManifests(text: string): string[] {
  const whole = trimSpace(text);
  const documents: string[] = [];
  let begin = whole.startsWith("---") ? skipBlanks(whole, 3) : 0;
  for (;;) {
    const found = whole.indexOf("\n---", begin);
    const end = found < 0 ? whole.length : skipBlanksBack(whole, found, begin);
    if (end > begin) documents.push(trimSpace(whole.slice(begin, end)));
    if (found < 0) return documents;
    begin = skipBlanks(whole, found + 4);
  }
}

function skipBlanksBack(text: string, from: number, least: number): number {
  let at = from;
  while (at > least && blanks.has(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (blanks.has(text.charCodeAt(at))) at += 1;
  return at;
}
