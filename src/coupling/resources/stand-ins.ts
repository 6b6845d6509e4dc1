import type { Insertion } from "#template";

/** Nothing in these means anything to YAML, wherever they stand: a word, or a text between quotes. */
const harmless = /^(?:\w[-\w ./+=@]*|(["'])[-\w ./+=@]*\1)?$/;
const stringOfJson = /"(?:[^"\\]|\\.)*"/gs;

/**
 * No keyboard has these, and a value that holds one is not harmless: only what stands in for a value can have them.
 * A value that begins with the first may be a list or a map there; with the second, it is part of a text.
 */
const [opening, openingOfText, closing] = ["\u{e000}", "\u{e002}", "\u{e001}"];
const anything = new RegExp(`^${opening}\\d+${closing}$`);
const each = new RegExp(`[${opening}${openingOfText}](\\d+)${closing}`, "g");

/** A value of the other side, where a text has it. */
export interface StandingValue {
  /** The action that printed it. */
  readonly action: string;
  /** Empty for a string within JSON, of which there is nothing to warn. */
  readonly value: string;
}

/** Words that stand in for the values which the other side gave, as far as these could be more than a word in YAML. */
export class StandIns {
  /** By the number of the word. */
  readonly #values: StandingValue[] = [];

  get areNeeded(): boolean {
    return this.#values.length > 0;
  }

  /** The actions that printed the values, each once. */
  get actions(): string[] {
    return [...new Set(this.#values.map(({ action }) => action))].toSorted();
  }

  /**
   * What stands in for a value: all of it but what the author put before it by `indent` and `nindent`. Of JSON that the author
   * made, it is the strings that somebody else may have given.
   */
  for({ text, before, action, last }: Insertion): string {
    const margin = marginOf(text, last);
    const value = text.slice(margin.length);
    if (harmless.test(value)) return text;
    if (last?.name === "toJson" || last?.name === "toPrettyJson") {
      return text.replaceAll(stringOfJson, (string) =>
        harmless.test(string) ? string : `"${this.#word(openingOfText, { action, value: "" })}"`,
      );
    }
    const isText = before === '"' || before === "'" || last?.name === "quote" || last?.name === "squote";
    const word = this.#word(isText ? openingOfText : opening, { action, value });
    if (value.trim() === "") return margin;
    // Space parts a value from what is before it.
    return `${margin}${margin === "" && /^\s/.test(value) ? " " : ""}${word}`;
  }

  /** The values of a text with their words in it, each with the characters beside it. */
  *in(text: string): Generator<StandingValue & { readonly before: string; readonly after: string }> {
    for (const { 0: word, 1: number, index } of text.matchAll(each)) {
      const standing = this.#values[Number(number)];
      if (standing) yield { ...standing, before: text[index - 1] ?? "", after: text[index + word.length] ?? "" };
    }
  }

  #word(start: string, standing: StandingValue): string {
    this.#values.push(standing);
    return `${start}${this.#values.length - 1}${closing}`;
  }
}

/** Whether there is nothing but a word that may stand in for a list or a map, too. */
export function standsForAnything(text: string): boolean {
  return anything.test(text);
}

export function hasStandIn(text: string): boolean {
  return text.includes(closing);
}

function marginOf(text: string, last: Insertion["last"]): string {
  if (last?.number === undefined || (last.name !== "indent" && last.name !== "nindent")) return "";
  return text.slice(0, last.number + (last.name === "nindent" ? 1 : 0));
}
