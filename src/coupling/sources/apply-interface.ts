import type { InterfaceHalf, InterfaceProperty } from "../kinds/interface-schema.ts";
import type { Side } from "../kinds/names.ts";
import { findMistake } from "./find-mistake.ts";
import { resolved } from "./merge-sources.ts";
import type { DroppedKey, ResolvedMap, ResolvedValue } from "./resolved.ts";

export interface Outcome {
  readonly values: ResolvedMap;
  readonly dropped: readonly DroppedKey[];
  /** One sentence for each required key that no source has, sorted. */
  readonly missing: readonly string[];
  /** One sentence for each value that is not what the interface asks for, sorted. */
  readonly mistakes: readonly string[];
}

/**
 * Holds values against a half of the interface. Without one, anything goes; an empty one drops everything.
 * An empty text in a config is a value; in a result it is none yet, because results appear late.
 */
export function applyInterface(
  values: ResolvedMap,
  half: InterfaceHalf | undefined,
  side: Side,
  of: "config" | "result",
): Outcome {
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
