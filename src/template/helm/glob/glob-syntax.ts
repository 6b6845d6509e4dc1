/** A pattern as it is written: a sequence of these. */
export type GlobNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "any" | "super" | "single" | "nothing" }
  | { readonly kind: "list"; readonly characters: string; readonly isNegated: boolean }
  | { readonly kind: "range"; readonly low: string; readonly high: string; readonly isNegated: boolean }
  | { readonly kind: "sequence" | "alternatives"; readonly children: readonly GlobNode[] };

export type GlobSequence = Extract<GlobNode, { readonly kind: "sequence" | "alternatives" }>;

/** The pattern cannot be read. */
export class GlobError extends Error {
  override readonly name = "GlobError";
}

/**
 * Reads a pattern as the glob library of Helm does: `*`, `**`, `?`, `[abc]`, `[!a-z]`, `{a,b}` and `\`.
 * A class holds either one range or a list, and alternatives need not be closed.
 */
export function parseGlob(pattern: string): GlobSequence {
  return new GlobParser(pattern).parse();
}

class GlobParser {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = Array.from(pattern);
  }

  parse(): GlobSequence {
    return { kind: "sequence", children: this.#sequence(0) };
  }

  #sequence(depth: number): GlobNode[] {
    const nodes: GlobNode[] = [];
    for (;;) {
      const character = this.#characters[this.#at];
      if (character === undefined || (depth > 0 && (character === "," || character === "}"))) return nodes;
      this.#at += 1;
      if (character === "{") nodes.push(this.#alternatives(depth + 1));
      else if (character === "[") nodes.push(this.#class());
      else if (character === "?") nodes.push({ kind: "single" });
      else if (character === "*") {
        const isDouble = this.#characters[this.#at] === "*";
        if (isDouble) this.#at += 1;
        nodes.push({ kind: isDouble ? "super" : "any" });
      } else {
        this.#at -= 1;
        const text = this.#text(depth > 0 ? "?*[{}," : "?*[{");
        if (text !== "") nodes.push({ kind: "text", text });
      }
    }
  }

  #alternatives(depth: number): GlobNode {
    const children: GlobNode[] = [];
    for (;;) {
      children.push({ kind: "sequence", children: this.#sequence(depth) });
      if (this.#characters[this.#at++] !== ",") return { kind: "alternatives", children };
    }
  }

  #class(): GlobNode {
    const isNegated = this.#characters[this.#at] === "!";
    if (isNegated) this.#at += 1;
    const low = this.#next();
    if (this.#characters[this.#at] === "-") {
      this.#at += 1;
      const high = this.#next();
      if (this.#next() !== "]") throw new GlobError("a class holds more than one range");
      if (codeOf(high) < codeOf(low)) throw new GlobError("a range runs backwards");
      return { kind: "range", low, high, isNegated };
    }
    this.#at -= 1;
    const characters = this.#text("]");
    if (this.#next() !== "]" || characters === "") throw new GlobError("a class is empty");
    return { kind: "list", characters, isNegated };
  }

  #text(stops: string): string {
    let text = "";
    for (; this.#at < this.#characters.length; this.#at += 1) {
      let character = this.#characters[this.#at] ?? "";
      if (stops.includes(character)) break;
      if (character === "\\") {
        this.#at += 1;
        character = this.#characters[this.#at] ?? "";
      }
      text += character;
    }
    return text;
  }

  #next(): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw new GlobError("the pattern ends within a class");
    return character;
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
