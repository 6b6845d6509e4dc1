interface LiteralNode {
  readonly type: string;
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

interface RuleContext {
  report(problem: { node: LiteralNode; message: string }): void;
}

/** A piece of a pattern that matches one character at a time. */
interface Atom {
  /** The characters below U+0180 that it matches. */
  readonly set: ReadonlySet<number>;
  readonly isOptional: boolean;
  readonly isUnbounded: boolean;
}

const mostSequences = 400;
const codes = Array.from({ length: 0x180 }, (_, code) => code);
const atomAhead = /\[(?:[^\]\\]|\\.)*\]|\\(?:u\{[^}]*\}|u....|x..|[pP]\{[^}]*\}|k<[^>]*>|.)|[^]/y;
const groupAhead = /\((?:\?(?:<[=!]|[=!]|[-a-z]*:|<[^>]*>))?/y;
const quantifierAhead = /(?:[*+?]|\{(?<least>\d+)(?<comma>,(?<most>\d*))?\})\??/y;

/** Reads a pattern into every sequence of atoms that it may stand for; a repeated group stands for two copies of itself. */
class PatternReader {
  readonly #pattern: string;
  readonly #flags: string;
  #at = 0;

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    this.#flags = flags.replaceAll(/[gyd]/g, "");
  }

  sequences(): Atom[][] {
    const found: Atom[][] = [];
    let current: Atom[][] = [[]];
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ")") {
      if (this.#pattern[this.#at] === "|") {
        this.#at += 1;
        found.push(...current);
        current = [[]];
      } else {
        const next = this.#piece();
        current = current.flatMap((before) => next.map((after) => before.concat(after))).slice(0, mostSequences);
      }
    }
    return [...found, ...current];
  }

  #piece(): Atom[][] {
    const group = this.#take(groupAhead)?.[0];
    if (group === undefined) return this.#atom();
    const inner = this.sequences();
    this.#at += 1;
    const { isOptional, isUnbounded } = this.#quantifier();
    if (/^\(\?<?[=!]/.test(group)) return [[]];
    const copies = isUnbounded ? inner.flatMap((first) => inner.map((second) => first.concat(second))) : inner;
    return isOptional ? [[], ...copies] : copies;
  }

  #atom(): Atom[][] {
    const text = this.#take(atomAhead)?.[0] ?? "";
    const quantifier = this.#quantifier();
    if (/^(?:[\^$]|\\[bBk1-9])/.test(text)) return [[]];
    const matcher = new RegExp(`^(?:${text})$`, this.#flags.replace("m", ""));
    return [[{ set: new Set(codes.filter((code) => matcher.test(String.fromCharCode(code)))), ...quantifier }]];
  }

  #quantifier(): { isOptional: boolean; isUnbounded: boolean } {
    const match = this.#take(quantifierAhead);
    const [text = ""] = match ?? [];
    const { least, comma, most } = match?.groups ?? {};
    const isUnbounded = /^[*+]/.test(text) || (comma !== undefined && most === "");
    return { isOptional: /^[*?]/.test(text) || least === "0", isUnbounded };
  }

  #take(ahead: RegExp): RegExpExecArray | undefined {
    ahead.lastIndex = this.#at;
    const match = ahead.exec(this.#pattern);
    this.#at += match?.[0].length ?? 0;
    return match ?? undefined;
  }
}

function overlap(left: Atom, right: Atom): boolean {
  return [...left.set].some((code) => right.set.has(code));
}

/**
 * Whether two unbounded atoms can share the same text: all that stands between them can be skipped or matches it too. A last
 * one that matches everything never makes the first try again.
 */
function sharesText(whole: readonly Atom[]): boolean {
  const last = whole.at(-1);
  const cannotFail = last?.isUnbounded === true && last.isOptional && last.set.size === codes.length;
  const sequence = cannotFail ? whole.slice(0, -1) : whole;
  return sequence.some((first, index) => {
    if (!first.isUnbounded) return false;
    for (const next of sequence.slice(index + 1)) {
      const overlaps = overlap(first, next);
      if (overlaps && next.isUnbounded) return true;
      if (!overlaps && !next.isOptional) return false;
    }
    return false;
  });
}

/** Why matching may take time in the square of a text's length; `undefined` if it does not look so. */
export function slowness(pattern: string, flags: string): string | undefined {
  const sequences = new PatternReader(pattern, flags).sequences();
  if (sequences.some(sharesText)) return "two repetitions can match the same text";
  // Behind `(?<!a)`, `a+` begins only where a run of `a` begins.
  const isAnchored = flags.includes("y") || /^(?:\^|\(\?:\^|\(\?<!)/.test(pattern);
  const scansAgain = ([first, ...others]: readonly Atom[]): boolean =>
    first?.isUnbounded === true && (others.some(({ isOptional }) => !isOptional) || pattern.endsWith("$"));
  return !isAnchored && sequences.some(scansAgain)
    ? "it begins with a repetition, which is tried again from each of its characters"
    : undefined;
}

/** No regular expression takes time in the square of the text's length, which others may have written. */
export const linearPatterns = {
  create(context: RuleContext) {
    return {
      Literal(node: LiteralNode) {
        const problem = node.regex && slowness(node.regex.pattern, node.regex.flags);
        if (problem !== undefined) context.report({ node, message: `${problem}: ${node.regex?.pattern}` });
      },
    };
  },
};
