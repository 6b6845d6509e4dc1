/** What the scanner hands to the composer. Numbers, because both compare one for nearly every character of a file. */
export const tokenKind = {
  streamEnd: 0,
  /** Its text is the version. */
  versionDirective: 1,
  /** Its text is the handle, its suffix the prefix that the handle stands for. */
  tagDirective: 2,
  documentStart: 3,
  documentEnd: 4,
  blockSequence: 5,
  blockMapping: 6,
  blockEnd: 7,
  flowSequence: 8,
  flowSequenceEnd: 9,
  flowMapping: 10,
  flowMappingEnd: 11,
  blockEntry: 12,
  flowEntry: 13,
  key: 14,
  value: 15,
  alias: 16,
  anchor: 17,
  /** Its text is the handle. */
  tag: 18,
  plain: 19,
  /** A scalar with quotes, or a block scalar: always a string unless a tag says otherwise. */
  quoted: 20,
} as const;

export type TokenKind = (typeof tokenKind)[keyof typeof tokenKind];

/**
 * Tokens in their order, numbered from the beginning of the text. Lists of properties instead of a list of objects:
 * a file has about as many tokens as words, and most live for an instant.
 */
export class TokenQueue {
  readonly #kinds: TokenKind[] = [];
  readonly #positions: number[] = [];
  readonly #lines: number[] = [];
  readonly #texts: string[] = [];
  readonly #suffixes: string[] = [];
  #head = 0;
  #tail = 0;
  /** How many tokens have left the queue; also the number of the first one in it. */
  taken = 0;

  get isEmpty(): boolean {
    return this.#head === this.#tail;
  }

  /** The number of the token that is pushed next. */
  get nextNumber(): number {
    return this.taken + this.#tail - this.#head;
  }

  get kind(): TokenKind {
    return this.#kinds[this.#head] ?? tokenKind.streamEnd;
  }

  get position(): number {
    return this.#positions[this.#head] ?? 0;
  }

  get line(): number {
    return this.#lines[this.#head] ?? 0;
  }

  /** What a scalar says, the name of an anchor, the handle of a tag. */
  get text(): string {
    return this.#texts[this.#head] ?? "";
  }

  /** The part of a tag behind its handle. */
  get suffix(): string {
    return this.#suffixes[this.#head] ?? "";
  }

  push(kind: TokenKind, position: number, line: number, text = "", suffix = ""): void {
    this.#write(this.#tail, kind, position, line, text, suffix);
    this.#tail += 1;
  }

  /** Puts a token before the one that has this number, or last if that one is gone. */
  insert(number: number, kind: TokenKind, position: number, line: number): void {
    const at = number < this.taken ? this.#tail : number - this.taken + this.#head;
    for (let from = this.#tail - 1; from >= at; from -= 1) {
      this.#write(
        from + 1,
        this.#kinds[from] ?? kind,
        this.#positions[from] ?? 0,
        this.#lines[from] ?? 0,
        this.#texts[from] ?? "",
        this.#suffixes[from] ?? "",
      );
    }
    this.#write(at, kind, position, line, "", "");
    this.#tail += 1;
  }

  #write(at: number, kind: TokenKind, position: number, line: number, text: string, suffix: string): void {
    this.#kinds[at] = kind;
    this.#positions[at] = position;
    this.#lines[at] = line;
    this.#texts[at] = text;
    this.#suffixes[at] = suffix;
  }

  take(): void {
    this.#head += 1;
    this.taken += 1;
    if (this.#head === this.#tail) this.#head = this.#tail = 0;
  }
}
