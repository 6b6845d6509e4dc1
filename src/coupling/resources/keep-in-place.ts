import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { readDocuments } from "./read-documents.ts";
import { hasStandIn, standsForAnything, standsForItems } from "./stand-ins.ts";

/**
 * Throws if a value of the other side reaches beyond the place where the text has it: a further key beside it, an item, a
 * document. Whoever plugs in would make whatever they like with the rights of the socket. A value that is a list or a map where
 * it stands is fine, because whoever wrote the text wants that. `apart` is the text with words that stand in for the values.
 */
export function keepInPlace(
  documents: readonly JsonObject[],
  apart: string,
  actions: readonly string[],
  field: string,
): void {
  if (isSameShape([...documents], documentsOf(apart, field))) return;
  throw new InputError(`${namesOf(actions)} would be more than a value there`, {
    where: field,
    next: "pass it through quote or toJson",
  });
}

function documentsOf(text: string, field: string): JsonObject[] {
  try {
    return readDocuments(text, field);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** All that is not the value's must be as it is without the value. */
function isSameShape(value: JsonValue, plain: JsonValue): boolean {
  if (typeof plain === "string" && standsForAnything(plain)) return true;
  if (isJsonList(value) && isJsonList(plain)) {
    const [only, ...more] = plain;
    if (typeof only === "string" && more.length === 0 && standsForItems(only)) return true;
    return value.length === plain.length && value.every((item, index) => isSameShape(item, plain[index] ?? null));
  }
  if (!isJsonObject(value) || !isJsonObject(plain)) return isSameScalar(value, plain);
  const [entries, others] = [Object.entries(value), Object.entries(plain)];
  return (
    entries.length === others.length &&
    entries.every(([key, item], index) => {
      const [other, otherItem = null] = others[index] ?? [""];
      return (key === other || hasStandIn(other)) && isSameShape(item, otherItem);
    })
  );
}

function isSameScalar(value: JsonValue, plain: JsonValue): boolean {
  if (typeof plain === "string" && standsForItems(plain)) return false;
  if (typeof plain === "string" && hasStandIn(plain)) return typeof value !== "object" || value === null;
  return Object.is(value, plain);
}

const [namesTold, charactersTold] = [5, 100];

function namesOf(actions: readonly string[]): string {
  const names = actions.slice(0, namesTold).map((action) => action.slice(0, charactersTold));
  return [...names, ...(actions.length > namesTold ? [`${actions.length - namesTold} more`] : [])].join(", ");
}
