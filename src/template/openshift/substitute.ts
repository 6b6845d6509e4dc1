import { InputError, isJsonObject, type JsonValue } from "#base";
import { decodeJson } from "#golang";

const reference = /\$\{([a-zA-Z0-9_]+)\}/g;
const wholeReference = /^\$\{\{([a-zA-Z0-9_]+)\}\}$/;

/** Whether a text refers to any parameter, declared or not. */
export function refersToParameter(text: string): boolean {
  return text.search(reference) >= 0;
}

/**
 * Substitutes `${NAME}` anywhere in a text, or `${{NAME}}` if it is the whole text; undeclared names stay as they are.
 * Each reference replaces the first place that reads like it, which may be inside a value that was substituted before.
 */
export function substituteText(text: string, values: ReadonlyMap<string, string>): string {
  if (!text.includes("${")) return text;
  const whole = wholeValue(text, values);
  if (whole !== undefined) return whole;
  let filled = text;
  for (const [written, name = ""] of text.matchAll(reference)) {
    const value = values.get(name);
    if (value !== undefined) filled = filled.replace(written, () => value);
  }
  return filled;
}

/**
 * Substitutes in every string of `value`, keys included. A string that is exactly `${{NAME}}` becomes the parameter read as
 * JSON; if that is null, the field is removed.
 */
export function substitute(value: JsonValue, values: ReadonlyMap<string, string>, where: string): JsonValue {
  if (typeof value === "string") return substituteValue(value, values);
  if (Array.isArray(value)) return value.map((item: JsonValue) => substitute(item, values, where));
  if (!isJsonObject(value)) return value;
  const entries: [string, JsonValue][] = [];
  for (const [key, item] of Object.entries(value)) {
    const filled = substitute(item, values, where);
    if (filled !== null || item === null) entries.push([substituteKey(key, values, where), filled]);
  }
  return Object.fromEntries(entries);
}

function substituteKey(key: string, values: ReadonlyMap<string, string>, where: string): string {
  const filled = substituteValue(key, values);
  if (typeof filled === "string") return filled;
  throw new InputError(`expected the key ${key} to become a string, got ${JSON.stringify(filled)}`, {
    where,
    next: `write it with single braces: ${key.replace("{{", "{").replace("}}", "}")}`,
  });
}

function substituteValue(text: string, values: ReadonlyMap<string, string>): JsonValue {
  const whole = text.includes("${") ? wholeValue(text, values) : undefined;
  return whole === undefined ? substituteText(text, values) : parsed(whole);
}

function wholeValue(text: string, values: ReadonlyMap<string, string>): string | undefined {
  const name = wholeReference.exec(text)?.[1];
  return name === undefined ? undefined : values.get(name);
}

/** OpenShift takes invalid JSON as a string: `${{NAME}}` with the value `blue` is `"blue"`. */
function parsed(text: string): JsonValue {
  const { value, error } = decodeJson(text);
  return error === undefined ? value : text;
}
