import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { readDocuments } from "./read-documents.ts";

/** Nothing in these means anything to YAML. */
const harmless = /^(?:.{0,2}|\w[-\w ./+=@]*)$/;
const standIn = "standInForAValue";

/**
 * Throws if a value of the other side reaches beyond the place where the text has it: a further key beside it, an item, a
 * document. Whoever plugs in would make whatever they like with the rights of the socket. A value that is a list or a map where
 * it stands is fine, because whoever wrote the text wants that.
 */
export function keepInPlace(
  text: string,
  documents: readonly JsonObject[],
  foreign: ReadonlyMap<string, string>,
  field: string,
): void {
  const risky = [...foreign].filter(([, value]) => !harmless.test(value) && text.includes(value));
  if (risky.length === 0) return;
  // A value may be part of another one.
  const values = risky.map(([, value]) => value).toSorted((one, other) => other.length - one.length);
  const harmlessText = values.reduce((left, value) => left.replaceAll(value, standInFor(value)), text);
  if (isSameShape([...documents], documentsOf(harmlessText, field))) return;
  throw new InputError(
    `${risky
      .map(([name]) => name)
      .toSorted()
      .join(", ")} would be more than a value there`,
    {
      where: field,
      next: "pass it through quote or toJson",
    },
  );
}

/** Space at the ends parts a value from what is beside it. */
function standInFor(value: string): string {
  const [before, after] = [/^\s/.test(value) ? " " : "", value.endsWith("\n") ? "\n" : ""];
  return `${before}${standIn}${after}`;
}

function documentsOf(text: string, field: string): JsonObject[] {
  try {
    return readDocuments(text, field);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

function isSameShape(value: JsonValue, plain: JsonValue): boolean {
  if (plain === standIn) return true;
  if (isJsonList(value) && isJsonList(plain)) {
    return value.length === plain.length && value.every((item, index) => isSameShape(item, plain[index] ?? null));
  }
  if (!isJsonObject(value) || !isJsonObject(plain)) return !isStructure(value) && !isStructure(plain);
  const [entries, others] = [Object.entries(value), Object.entries(plain)];
  return (
    entries.length === others.length &&
    entries.every(([key, item], index) => {
      const [other, otherItem = null] = others[index] ?? [""];
      return (key === other || other.includes(standIn)) && isSameShape(item, otherItem);
    })
  );
}

function isStructure(value: JsonValue): boolean {
  return typeof value === "object" && value !== null;
}
