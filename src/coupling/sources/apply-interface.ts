import { InputError, isJson } from "#base";
import { matchesWhole } from "#golang";
import type { InterfaceHalf, InterfaceProperty, Side } from "../kinds/index.ts";
import { type DroppedKey, resolved, type ResolvedMap, type ResolvedValue } from "./resolved.ts";

export interface CheckedValues {
  readonly values: ResolvedMap;
  readonly dropped: readonly DroppedKey[];
  /** One sentence for each required key that no source has, sorted. */
  readonly missing: readonly string[];
  /** One sentence for each value that does not match the interface, sorted. */
  readonly mistakes: readonly string[];
}

/**
 * Checks values against a half of the interface. Without one, every key is allowed; an empty one drops everything.
 * An empty text is a value in a config; in a result it counts as missing, because results appear late.
 */
export function applyInterface(
  values: ResolvedMap,
  half: InterfaceHalf | undefined,
  side: Side,
  of: "config" | "result",
): CheckedValues {
  if (half === undefined) return { values, dropped: [], missing: [], mistakes: [] };
  const kept = new Map<string, ResolvedValue>();
  const missing: string[] = [];
  const mistakes: string[] = [];
  for (const key of Object.keys(half).toSorted()) {
    const property = half[key] ?? {};
    const name = `${side} ${of} property '${key}'`;
    const found = values.get(key);
    const isThere = found !== undefined && (of === "config" || found.value !== "");
    if (!isThere && property.required) missing.push(`${name} is required`);
    const value = isThere ? asSensitive(found, property) : defaultOf(property);
    if (value === undefined) continue;
    const mistake = findMistake(value.value, property);
    if (mistake !== undefined) mistakes.push(`${name} ${mistake}`);
    kept.set(key, value);
  }
  const dropped = [...values]
    .filter(([key]) => !Object.hasOwn(half, key))
    .map(([key, { source }]) => ({ side, key, source }));
  return { values: kept, dropped, missing, mistakes };
}

function asSensitive(found: ResolvedValue, { sensitive }: InterfaceProperty): ResolvedValue {
  if (!sensitive || found.isSecret) return found;
  const { value, source, isUnstable, overrode } = found;
  return resolved({ value, isSecret: true, isUnstable }, source, overrode === undefined ? {} : { overrode });
}

/** A required key must come from a source. */
function defaultOf({ default: text = "", required, sensitive = false }: InterfaceProperty): ResolvedValue | undefined {
  return text === "" || required ? undefined : resolved({ value: text, isSecret: sensitive }, "default");
}

type Type = NonNullable<InterfaceProperty["type"]>;

const types: Readonly<Record<Type, { readonly is: (text: string) => boolean; readonly mistake: string }>> = {
  string: { is: () => true, mistake: "" },
  enum: { is: () => true, mistake: "" },
  integer: { is: (text) => /^[+-]?[0-9]+$/.test(text), mistake: "is not an integer" },
  boolean: { is: (text) => text === "true" || text === "false", mistake: "is neither true nor false" },
  url: { is: isUrl, mistake: "is not a URL such as https://example.com/path" },
  json: { is: isJson, mistake: "is not JSON" },
};

/** The problem of a text, worded to follow the name of its key. It never contains the text, which may be secret. */
export function findMistake(text: string, property: InterfaceProperty): string | undefined {
  const { type = "string", enum: values, minLength = 0, pattern } = property;
  if (!types[type].is(text)) return types[type].mistake;
  if (values && !values.includes(text)) return `is not one of ${values.map((each) => JSON.stringify(each)).join(", ")}`;
  if (minLength > 0 && Array.from(text).length < minLength) return `has fewer than ${minLength} characters`;
  return pattern === undefined ? undefined : patternMistake(text, pattern);
}

/** An invalid expression matches nothing. */
function patternMistake(text: string, pattern: string): string | undefined {
  try {
    return matchesWhole(pattern, text) ? undefined : `does not match ${pattern}`;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return `cannot be checked against its pattern: ${error.what}`;
  }
}

function isUrl(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/./.test(text) && URL.canParse(text);
}
