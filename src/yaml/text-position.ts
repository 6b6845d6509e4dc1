/** A position as people count it: from 1, tabs and all other characters as one. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

const lineBreak = /\r\n|\r|\n/g;

/** The position of an offset. An offset behind the last visible character counts as that character, so that messages never point past the end. */
export function textPositionOf(text: string, position: number): TextPosition {
  const at = Math.min(position, Math.max(text.trimEnd().length - 1, 0));
  let line = 1;
  let start = 0;
  for (const { index, 0: characters } of text.slice(0, at).matchAll(lineBreak)) {
    line += 1;
    start = index + characters.length;
  }
  return { line, column: at - start + 1 };
}

const longestQuote = 80;

/** The line, without its indentation, cut to a length that is still read. */
export function quoteLine(text: string, { line, column }: TextPosition): string {
  const whole = text.split(lineBreak)[line - 1] ?? "";
  const start = Math.max(0, column - longestQuote / 2);
  const cut = whole.slice(start, start + longestQuote);
  return `${start > 0 ? "…" : ""}${cut.trim()}${start + longestQuote < whole.length ? "…" : ""}`;
}

/** Where the entries of lists and maps stand in the text: the offset of an item, or of an entry's key. */
export class EntryPositions {
  readonly #positions = new Map<object, Map<string | number, number>>();

  record(container: object, step: string | number, position: number): void {
    const known = this.#positions.get(container);
    if (known) known.set(step, position);
    else this.#positions.set(container, new Map([[step, position]]));
  }

  find(container: object, step: string | number): number | undefined {
    return this.#positions.get(container)?.get(step);
  }
}
