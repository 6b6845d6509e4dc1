import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { UntrustedInsertion } from "#template";
import { parseRendered } from "./parse-rendered.ts";

/**
 * Throws if a value of the other side reaches beyond the place where the text has it: a further key beside it, an item, a
 * document. Whoever plugs in would make whatever they like with the rights of the socket. A value that is a list or a map where
 * it stands is fine, because whoever wrote the text wants that. `withPlaceholders` is the same text with placeholders for the values.
 */
export function refuseInjection(
  documents: readonly JsonObject[],
  withPlaceholders: string,
  actions: readonly string[],
  field: string,
): void {
  if (isSameShape([...documents], documentsOf(withPlaceholders, field))) return;
  throw new InputError(`${namesOf(actions)} would change the structure of the text`, {
    where: field,
    next: "pass it through quote or toJson",
  });
}

function documentsOf(text: string, field: string): JsonObject[] {
  try {
    return parseRendered(text, field);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** All that is not the value's must be as it is without the value. */
function isSameShape(value: JsonValue, plain: JsonValue): boolean {
  if (typeof plain === "string" && isValuePlaceholder(plain)) return true;
  if (isJsonList(value) && isJsonList(plain)) {
    const [only, ...more] = plain;
    if (typeof only === "string" && more.length === 0 && isListPlaceholder(only)) return true;
    return value.length === plain.length && value.every((item, index) => isSameShape(item, plain[index] ?? null));
  }
  if (!isJsonObject(value) || !isJsonObject(plain)) return isSameScalar(value, plain);
  const [entries, others] = [Object.entries(value), Object.entries(plain)];
  return (
    entries.length === others.length &&
    entries.every(([key, item], index) => {
      const [other, otherItem = null] = others[index] ?? [""];
      return (key === other || hasPlaceholder(other)) && isSameShape(item, otherItem);
    })
  );
}

function isSameScalar(value: JsonValue, plain: JsonValue): boolean {
  if (typeof plain === "string" && isListPlaceholder(plain)) return false;
  if (typeof plain === "string" && hasPlaceholder(plain)) return typeof value !== "object" || value === null;
  return Object.is(value, plain);
}

const [namesTold, charactersTold] = [5, 100];

function namesOf(actions: readonly string[]): string {
  const names = actions.slice(0, namesTold).map((action) => action.slice(0, charactersTold));
  return [...names, ...(actions.length > namesTold ? [`${actions.length - namesTold} more`] : [])].join(", ");
}

/** What means something to YAML, so that a value which holds it could become something else than a text. */
const risky = /[\n"']|: | #/;
const quoted = /^(?:'[^'\n]*'|"(?:[^"\\\n]|\\[^\n])*")$/;

/**
 * The actions that put values into a text as they are, although they hold what YAML takes for its own. What went through `quote`,
 * `toJson` or `b64enc` holds nothing of the kind, or stands between quotes.
 */
export function findUnquoted(withPlaceholders: string, placeholders: Placeholders): string[] {
  const found = new Set<string>();
  for (const placeholder of placeholders.in(withPlaceholders))
    if (isUnquoted(placeholder)) found.add(placeholder.action);
  return [...found].toSorted();
}

function isUnquoted({ value, before, after }: PlaceholderValue & { before: string; after: string }): boolean {
  if (!risky.test(value) || quoted.test(value) || isJson(value)) return false;
  const isInside = (quote: string): boolean => before === quote && after === quote && !value.includes(quote);
  return value.includes("\n") || !(isInside('"') || isInside("'"));
}

function isJson(value: string): boolean {
  if (!/^\s*[[{]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

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
interface PlaceholderValue {
  /** The action that printed it. */
  readonly action: string;
  /** Empty for a string within JSON, of which there is nothing to warn. */
  readonly value: string;
}

/** Words that stand in for the values which the other side gave, as far as these could be more than a word in YAML. */
export class Placeholders {
  /** By the number of the word. */
  readonly #values: PlaceholderValue[] = [];

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
  for(insertion: UntrustedInsertion): string {
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
  *in(text: string): Generator<PlaceholderValue & { readonly before: string; readonly after: string }> {
    for (const { 0: word, 1: number, index } of text.matchAll(each)) {
      const placeholder = this.#values[Number(number)];
      if (placeholder) yield { ...placeholder, before: text[index - 1] ?? "", after: text[index + word.length] ?? "" };
    }
  }

  #word(start: string, placeholder: PlaceholderValue): string {
    this.#values.push(placeholder);
    return `${start}${this.#values.length - 1}${closing}`;
  }
}

/** Whether there is nothing but a word that may stand in for a list or a map, too. */
function isValuePlaceholder(text: string): boolean {
  return anything.test(text);
}

/** Whether there is nothing but a word that stands in for all items of a list. */
function isListPlaceholder(text: string): boolean {
  return items.test(text);
}

function hasPlaceholder(text: string): boolean {
  return text.includes(closing);
}

/** What the author put before the value, as far as that is known: by `indent`, or it looks like that and may have been. */
function marginOf({ text, last, functions, action }: UntrustedInsertion): string {
  if (last?.number !== undefined && (last.name === "indent" || last.name === "nindent")) {
    return text.slice(0, last.number + (last.name === "nindent" ? 1 : 0));
  }
  const mayBe = functions.includes("indent") || functions.includes("nindent") || /^\$\w+$/.test(action);
  return mayBe ? (/^\n? +/.exec(text)?.[0] ?? "") : "";
}

/** Whether all that the other side gave to the action is plain words, and nothing in it makes more of them than its author wrote. */
function isComposed({ functions, texts, operands }: UntrustedInsertion): boolean {
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
