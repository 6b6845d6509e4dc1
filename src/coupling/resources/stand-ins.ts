import type { Insertion } from "#template";

/** Nothing in these means anything to YAML, wherever they stand: a word, or a text between quotes. */
const harmless = /^(?:\w[-\w ./+=@]*|(["'])[-\w ./+=@]*\1)?$/;
/** A word of which parts, too, are only words. */
const plain = /^(?:\w[-\w./+=@]*(?: [\w./+=@][-\w./+=@]*)*)?$/;
/**
 * What these make of plain words has no structure but that which the author wrote into the action. Others cut, replace or decode,
 * and `printf` may make a character of a number.
 */
const composing = new Set(
  `and or not eq ne lt le gt ge len index print printf println default coalesce ternary empty get hasKey dict list tuple join
   splitList split first last has contains hasPrefix hasSuffix quote squote indent nindent upper lower title toString int int64
   atoi add sub mul cat concat append toJson toPrettyJson b64enc sha256sum`.split(/\s+/),
);
const stringOfJson = /"(?:[^"\\]|\\.)*"/gs;

/**
 * No keyboard has these, and a value that holds one is not harmless: only what stands in for a value can have them.
 * A value that begins with the first may be a list or a map there; with the second, it is part of a text; with the third, it is
 * all items of a list.
 */
const [opening, openingOfText, openingOfItems, closing] = ["\u{e000}", "\u{e002}", "\u{e003}", "\u{e001}"];
const anything = new RegExp(`^${opening}\\d+${closing}$`);
const items = new RegExp(`^${openingOfItems}\\d+${closing}$`);
const each = new RegExp(`[${opening}${openingOfText}${openingOfItems}](\\d+)${closing}`, "g");

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
  for(insertion: Insertion): string {
    const { text, before, action, last } = insertion;
    const margin = marginOf(insertion);
    const value = text.slice(margin.length);
    if (harmless.test(value) || isComposed(insertion)) return text;
    if (last?.name === "toJson" || last?.name === "toPrettyJson") {
      return text.replaceAll(stringOfJson, (string) =>
        harmless.test(string) ? string : `"${this.#word(openingOfText, { action, value: "" })}"`,
      );
    }
    const isText = before === '"' || before === "'" || last?.name === "quote" || last?.name === "squote";
    // The usual place of a list is where its key begins; a word there would not be YAML.
    if (last?.name === "nindent" && value.startsWith("- ")) {
      return `${margin}- ${this.#word(openingOfItems, { action, value })}`;
    }
    const word = this.#word(isText ? openingOfText : opening, { action, value });
    if (/^\s*[\n\r]\s*$/.test(value)) return margin;
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

/** Whether there is nothing but a word that stands in for all items of a list. */
export function standsForItems(text: string): boolean {
  return items.test(text);
}

export function hasStandIn(text: string): boolean {
  return text.includes(closing);
}

/** What the author put before the value, as far as that is known: by `indent`, or it looks like that and may have been. */
function marginOf({ text, last, functions, action }: Insertion): string {
  if (last?.number !== undefined && (last.name === "indent" || last.name === "nindent")) {
    return text.slice(0, last.number + (last.name === "nindent" ? 1 : 0));
  }
  const mayBe = functions.includes("indent") || functions.includes("nindent") || /^\$\w+$/.test(action);
  return mayBe ? (/^\n? +/.exec(text)?.[0] ?? "") : "";
}

/** Whether all that the other side gave to the action is plain words, and nothing in it makes more of them than its author wrote. */
function isComposed({ functions, texts, operands }: Insertion): boolean {
  if (!functions.every((name) => composing.has(name)) || texts.some((text) => /%[^a-z%]*[cU]/.test(text))) return false;
  const read = operands();
  // Beside the value that is split there is no other, whose commas would stay.
  const splits = functions.includes("splitList") || functions.includes("split");
  const isSplit = splits && texts.includes(",") && read?.length === 1;
  const isPlain = (value: unknown): boolean => {
    if (typeof value !== "string") return value === undefined || value === null || typeof value === "boolean";
    return isSplit ? value.split(",").every((part) => plain.test(part)) : plain.test(value);
  };
  return read?.every(isPlain) ?? false;
}
