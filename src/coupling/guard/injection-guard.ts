import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { keepsPlaceInPlugs } from "#template";
import { parseRendered } from "../resources/parse-rendered.ts";
import type { UntrustedInsertion } from "./placeholder-output.ts";

/**
 * Throws if a value of the other side changes the structure of the text around it: another key, item or document. The author of
 * a plug could otherwise create any object with the rights of the socket. A value may be a list or a map in its own place, as the
 * author of the text intends. `withPlaceholders` is the same text with placeholders for the values.
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

/** Everything outside the values must be the same as with placeholders. */
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

/** Characters that are special in YAML, so that a value with them may not stay text. */
const risky = /[\n"']|: | #/;
const quoted = /^(?:'[^'\n]*'|"(?:[^"\\\n]|\\[^\n])*")$/;

/**
 * The actions that print values with characters that are special in YAML without quoting them. Output of `quote`, `toJson` or
 * `b64enc` has no such characters, or is quoted.
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

/** Harmless in YAML in any position: a word, or quoted text. */
const harmless = /^(?:\w[-\w ./+=@]*|(["'])[-\w ./+=@]*\1)?$/;
/** A word of which parts, too, are only words. */
const plain = /^(?:\w[-\w./+=@]*(?: [\w./+=@][-\w./+=@]*)*)?$/;
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

/** A value of the other side in a text. */
interface PlaceholderValue {
  /** The action that printed it. */
  readonly action: string;
  /** Empty for a string within JSON, which needs no warning. */
  readonly value: string;
}

/** Placeholders for values of the other side that could be more than a word in YAML. */
export class Placeholders {
  /** By the number of the placeholder. */
  readonly #values: PlaceholderValue[] = [];

  get areNeeded(): boolean {
    return this.#values.length > 0;
  }

  /** The actions that printed the values, each once. */
  get actions(): string[] {
    return [...new Set(this.#values.map(({ action }) => action))].toSorted();
  }

  /**
   * The placeholder for a value: it replaces all of it but the indentation by `indent` and `nindent`. In JSON that the author
   * composed, it replaces only the strings.
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
    // A list usually starts in the column of its key; a word there would not be valid YAML.
    if (last?.name === "nindent" && value.startsWith("- ")) {
      return `${margin}- ${this.#word(openingOfItems, { action, value })}`;
    }
    const word = this.#word(isText ? openingOfText : opening, { action, value });
    if (value.trim() === "" && /[\n\r]/.test(value)) return margin;
    // Leading whitespace separates a value from the text before it.
    return `${margin}${margin === "" && /^\s/.test(value) ? " " : ""}${word}`;
  }

  /** The values of a text with placeholders, each with the characters next to it. */
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

/** Whether the text is a single placeholder that may stand for a list or a map. */
function isValuePlaceholder(text: string): boolean {
  return anything.test(text);
}

/** Whether the text is a single placeholder for all items of a list. */
function isListPlaceholder(text: string): boolean {
  return items.test(text);
}

function hasPlaceholder(text: string): boolean {
  return text.includes(closing);
}

/** The indentation before the value: by `indent`, or what looks like it and may come from it. */
function marginOf({ text, last, functions, action }: UntrustedInsertion): string {
  if (last?.number !== undefined && (last.name === "indent" || last.name === "nindent")) {
    return text.slice(0, last.number + (last.name === "nindent" ? 1 : 0));
  }
  const mayBe = functions.includes("indent") || functions.includes("nindent") || /^\$\w+$/.test(action);
  return mayBe ? (/^\n? +/.exec(text)?.[0] ?? "") : "";
}

/** Whether all values of the other side in the action are plain words, and its functions add no structure to them. */
function isComposed({ functions, texts, operands }: UntrustedInsertion): boolean {
  if (!functions.every(keepsPlaceInPlugs) || texts.some((text) => /%[^a-z%]*[cU]/.test(text))) return false;
  const read = operands();
  // Only if the split value is the only one: commas in another value would stay.
  const splits = functions.includes("splitList") || functions.includes("split");
  const isSplit = splits && texts.includes(",") && read?.length === 1;
  const isPlain = (value: unknown): boolean => {
    if (typeof value !== "string") return value === undefined || value === null || typeof value === "boolean";
    return isSplit ? value.split(",").every((part) => plain.test(part)) : plain.test(value);
  };
  return read?.every(isPlain) ?? false;
}
