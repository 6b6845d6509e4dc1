import type { JsonValue } from "#base";

const reference = /\$\{([a-zA-Z0-9_]+)\}/g;
const wholeReference = /^\$\{\{([a-zA-Z0-9_]+)\}\}$/;

/** Whether a text refers to any parameter, declared or not. */
export function refersToParameter(text: string): boolean {
  return text.search(reference) >= 0;
}

/** `${NAME}` anywhere in a text; a name that is no parameter stays as it is written. */
export function substituteText(text: string, values: ReadonlyMap<string, string>): string {
  if (!text.includes("${")) return text;
  return text.replace(reference, (written, name: string) => values.get(name) ?? written);
}

/** Every string of `value`, keys included. A string that is `${{NAME}}` and nothing else becomes the parameter read as JSON. */
export function substitute(value: JsonValue, values: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === "string") return substituteString(value, values);
  if (Array.isArray(value)) return value.map((item: JsonValue) => substitute(item, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [substituteText(key, values), substitute(item, values)]),
  );
}

function substituteString(text: string, values: ReadonlyMap<string, string>): JsonValue {
  const name = wholeReference.exec(text)?.[1];
  const whole = name === undefined ? undefined : values.get(name);
  return whole === undefined ? substituteText(text, values) : parsed(whole);
}

/** OpenShift takes what is no JSON as a text: `${{NAME}}` with the value `blue` is `"blue"`. */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
