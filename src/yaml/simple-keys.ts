import type { Cursor } from "./cursor.ts";
import type { YamlProblem } from "./yaml-problem.ts";

const longestKey = 1024;

/** A token that may turn out to begin a key. */
class SimpleKey {
  isPossible = false;
  /** It stands where only a key may stand. */
  isRequired = false;
  /** Tokens wait in the queue until it is known what becomes of it. */
  isAwaited = false;
  number = 0;
  position = 0;
  line = 0;
  column = 0;
}

/** The tokens that may still turn out to begin a key: one for the block context, and one for each bracket that is open. */
export class SimpleKeys {
  readonly #cursor: Cursor;
  readonly #levels: SimpleKey[] = [new SimpleKey()];
  #top = 0;
  /** No level below this one has a possible key. */
  #lowest = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  #at(level: number): SimpleKey {
    return (this.#levels[level] ??= new SimpleKey());
  }

  /** Whether the token with this number may still become a key, so that what stands before it is not known yet. */
  mayClaim(number: number): boolean {
    while (this.#lowest < this.#top && !this.#at(this.#lowest).isPossible) this.#lowest += 1;
    const key = this.#at(this.#lowest);
    return key.isPossible && key.isAwaited && key.number === number && this.#isInReach(key);
  }

  /** The token with this number, which begins at the cursor, may become a key. */
  save(level: number, number: number, isRequired: boolean): void {
    this.drop(level);
    const { position, line, column } = this.#cursor;
    const key = this.#at(level);
    key.isPossible = true;
    key.isRequired = isRequired;
    key.isAwaited = true;
    key.number = number;
    key.position = position;
    key.line = line;
    key.column = column;
    if (level < this.#lowest) this.#lowest = level;
  }

  /** The key that the `:` at the cursor belongs to, if there is one. */
  claim(level: number): Readonly<SimpleKey> | undefined {
    const key = this.#at(level);
    if (!key.isPossible || !this.#isInReach(key)) return undefined;
    key.isPossible = false;
    return key;
  }

  /** Nothing here becomes a key any more. */
  drop(level: number): void {
    const key = this.#at(level);
    if (key.isPossible && key.isRequired) throw this.#missingColon();
    key.isPossible = false;
  }

  /** A bracket opens; its token has this number. */
  open(level: number, number: number): void {
    this.#top = level;
    const key = this.#at(level);
    key.isPossible = false;
    key.number = number;
  }

  /** A bracket closes. goyaml.v2 forgets to wait for the `:` behind brackets in which no key could begin: `[]: a` is a list. */
  close(level: number): void {
    const key = this.#at(level);
    if (key.number === this.#at(level + 1).number && !this.#cursor.isLibyaml) key.isAwaited = false;
    this.#top = level;
    if (level < this.#lowest) this.#lowest = level;
  }

  /** A key is of one line and at most 1024 characters. */
  #isInReach(key: SimpleKey): boolean {
    if (key.line === this.#cursor.line && !this.#isFarBehind(key.position)) return true;
    if (key.isRequired) throw this.#missingColon();
    key.isPossible = false;
    return false;
  }

  #isFarBehind(start: number): boolean {
    const { text, position } = this.#cursor;
    if (position - start <= longestKey) return false;
    const pairs = text.slice(start, position).match(/[\ud800-\udbff]/g)?.length ?? 0;
    return position - start - pairs > longestKey;
  }

  #missingColon(): YamlProblem {
    return this.#cursor.failure("could not find expected ':'");
  }
}
