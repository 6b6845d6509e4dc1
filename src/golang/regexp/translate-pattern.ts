import { engineClassName } from "./unicode-class.ts";

/** A pattern of Go's as the engine takes it. */
export interface TranslatedPattern {
  readonly text: string;
  /** The names of the groups by their numbers, "" for those without; the whole match is 0. */
  readonly groupNames: readonly string[];
  /** About how many instructions it compiles to. */
  readonly size: number;
  /** How often it names a Unicode class, each of which takes kilobytes. */
  readonly unicodeClasses: number;
  /** The piece of the pattern that a piece of the translation came from. */
  readonly original: (piece: string) => string;
}

/**
 * Go lets group names occur twice, and spells the names of Unicode classes more freely than the engine: here groups are
 * named by their numbers, and classes as the engine likes them. An invalid pattern stays invalid in the same way.
 */
export function translatePattern(pattern: string): TranslatedPattern {
  return new PatternTranslator(pattern).translate();
}

interface Part {
  /** Instructions. */
  readonly size: number;
  /** How often its innermost piece occurs by repetitions within repetitions. */
  readonly copies: number;
}

const unicodeClass = /\\([pP])(?:\{([^}]*)\}|([A-Za-z]))/y;
const otherEscape = /\\(?:Q(?:[^\\]|\\(?!E))*(?:\\E)?|x(?:\{[^}]*\}|[^]{0,2})|[^])?/y;
const classEscape = /\\(?:x(?:\{[^}]*\}|[^]{0,2})|[^])?/y;
const classStart = /\[\^?\]?/y;
const namedGroup = /\(\?P?<(\w+)>/y;
const badlyNamedGroup = /\(\?P?<[^>]*>?/y;
const flags = /\(\?[imsU-]*\)/y;
const plainGroup = /\(\?[imsU-]*:/y;
const repetition = /\{(\d+)(?:,(\d*))?\}/y;

class PatternTranslator {
  readonly #pattern: string;
  readonly #groupNames: string[] = [""];
  readonly #originals = new Map<string, string>();
  /** Places in the translation, and how far they are ahead of theirs in the pattern. */
  readonly #shifts: { readonly from: number; readonly by: number }[] = [];
  readonly #lastNamedClass: number;
  #text = "";
  #at = 0;
  #unicodeClasses = 0;
  /** What is open: the whole, and groups within. */
  readonly #groups: Part[] = [{ size: 1, copies: 1 }];
  /** What a repetition would repeat. */
  #last: Part = { size: 0, copies: 1 };

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#lastNamedClass = pattern.lastIndexOf(":]");
  }

  translate(): TranslatedPattern {
    while (this.#at < this.#pattern.length) this.#step();
    const text = this.#text;
    const size = this.#groups.reduce((sum, group) => sum + group.size, 0);
    const original = (piece: string): string => this.#original(piece);
    return { text, groupNames: this.#groupNames, size, unicodeClasses: this.#unicodeClasses, original };
  }

  #step(): void {
    const pattern = this.#pattern;
    if (this.#unicodeClass()) this.#atom(1);
    else if (pattern.startsWith("\\", this.#at)) this.#atom(this.#copy(otherEscape));
    else if (pattern.startsWith("[", this.#at)) this.#class();
    else if (pattern.startsWith("(", this.#at)) this.#open();
    else if (pattern.startsWith(")", this.#at)) this.#close();
    else if (pattern.startsWith("{", this.#at)) this.#repeat();
    else {
      const [character = ""] = pattern.slice(this.#at, this.#at + 1);
      this.#take(character);
      if ("*+?".includes(character)) this.#grow({ size: 2, copies: 1 });
      else this.#atom(1);
    }
  }

  #atom(size: number, copies = 1): void {
    this.#last = { size, copies };
    this.#grow(this.#last);
  }

  #grow({ size, copies }: Part): void {
    const group = this.#groups.pop() ?? this.#last;
    this.#groups.push({ size: group.size + size, copies: Math.max(group.copies, copies) });
  }

  #take(text: string): void {
    this.#text += text;
    this.#at += text.length;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    return expression.exec(this.#pattern);
  }

  /** Takes over what the expression matches, and gives its length. */
  #copy(expression: RegExp): number {
    const [text = ""] = this.#match(expression) ?? [];
    this.#take(text);
    return text.length;
  }

  #replace(original: string, text: string): void {
    this.#text += text;
    this.#at += original.length;
    if (!this.#originals.has(text)) this.#originals.set(text, original);
    this.#shifts.push({ from: this.#text.length, by: this.#at - this.#text.length });
  }

  #unicodeClass(): boolean {
    const match = this.#match(unicodeClass);
    if (match === null) return false;
    const [whole, letter = "", braced, single = ""] = match;
    this.#unicodeClasses += 1;
    const name = engineClassName(braced ?? single);
    this.#replace(whole, `\\${letter}${braced === undefined ? name : `{${name}}`}`);
    return true;
  }

  #class(): void {
    this.#copy(classStart);
    const pattern = this.#pattern;
    while (this.#at < pattern.length && !pattern.startsWith("]", this.#at)) {
      if (this.#unicodeClass()) continue;
      if (pattern.startsWith("[:", this.#at)) this.#namedClass();
      else if (pattern.startsWith("\\", this.#at)) this.#copy(classEscape);
      else this.#take(pattern.charAt(this.#at));
    }
    this.#take(pattern.slice(this.#at, this.#at + 1));
    this.#atom(1);
  }

  /** Of `[:]` the engine takes the colon for both ends of a name; Go goes on to the next end, or takes the bracket as it is. */
  #namedClass(): void {
    const end = this.#at + 2 <= this.#lastNamedClass ? this.#pattern.indexOf(":]", this.#at + 2) + 2 : this.#at;
    const name = this.#pattern.slice(this.#at, end);
    if (name === "") this.#replace("[", "\\[");
    else {
      if (name.startsWith("[:]")) this.#originals.set("[:]", name);
      this.#take(name);
    }
  }

  #open(): void {
    const named = this.#match(namedGroup);
    if (named !== null) {
      this.#replace(named[0], `(?P<${this.#groupNames.length}>`);
      this.#groupNames.push(named[1] ?? "");
    } else if (this.#copy(flags) > 0) {
      return;
    } else if (this.#copy(badlyNamedGroup) === 0 && this.#copy(plainGroup) === 0) {
      if (!this.#pattern.startsWith("(?", this.#at)) this.#groupNames.push("");
      this.#take("(");
    }
    this.#groups.push({ size: 2, copies: 1 });
  }

  #close(): void {
    this.#take(")");
    const closed = this.#groups.length > 1 ? this.#groups.pop() : undefined;
    if (closed !== undefined) this.#atom(closed.size, closed.copies);
  }

  #repeat(): void {
    const match = this.#match(repetition);
    if (match === null) {
      this.#take("{");
      this.#atom(1);
      return;
    }
    this.#take(match[0]);
    const count = Math.max(Number(match[1]), Number(match[2] ?? 0), 1);
    const { size, copies } = this.#last;
    // More than a thousand copies are a syntax error, which the engine says.
    if (count * copies > 1_000) return;
    this.#last = { size: (size + 1) * count, copies: copies * count };
    this.#grow({ size: this.#last.size - size, copies: this.#last.copies });
  }

  /** The engine names the piece that is wrong, or all from there to the end. */
  #original(piece: string): string {
    const replaced = this.#originals.get(piece);
    if (replaced !== undefined) return replaced;
    if (!this.#text.endsWith(piece)) return piece;
    const start = this.#text.length - piece.length;
    const shift = this.#shifts.findLast(({ from }) => from <= start)?.by ?? 0;
    return this.#pattern.slice(start + shift);
  }
}
