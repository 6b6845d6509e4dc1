import { InputError, isJson } from "#base";
import { matchesWhole } from "#golang";
import type { InterfaceProperty } from "../kinds/interface-schema.ts";

type Type = NonNullable<InterfaceProperty["type"]>;

const types: Readonly<Record<Type, { readonly is: (text: string) => boolean; readonly mistake: string }>> = {
  string: { is: () => true, mistake: "" },
  enum: { is: () => true, mistake: "" },
  integer: { is: (text) => /^[+-]?[0-9]+$/.test(text), mistake: "is not an integer" },
  boolean: { is: (text) => text === "true" || text === "false", mistake: "is neither true nor false" },
  url: { is: isUrl, mistake: "is not a URL such as https://example.com/path" },
  json: { is: isJson, mistake: "is not JSON" },
};

/** What is wrong with a text, to be said behind the name of its key. The text itself is never told: it may be secret. */
export function findMistake(text: string, property: InterfaceProperty): string | undefined {
  const { type = "string", enum: values, minLength = 0, pattern } = property;
  if (!types[type].is(text)) return types[type].mistake;
  if (values && !values.includes(text)) return `is not one of ${values.map((each) => JSON.stringify(each)).join(", ")}`;
  if (minLength > 0 && Array.from(text).length < minLength) return `has less than ${minLength} characters`;
  return pattern === undefined ? undefined : patternMistake(text, pattern);
}

/** An expression that is none lets nothing pass. */
function patternMistake(text: string, pattern: string): string | undefined {
  try {
    return matchesWhole(pattern, text) ? undefined : `does not match ${pattern}`;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return `cannot be held against its pattern: ${error.what}`;
  }
}

function isUrl(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/./.test(text) && URL.canParse(text);
}
