import type { StandIns, StandingValue } from "./stand-ins.ts";

/** What means something to YAML, so that a value which holds it could become something else than a text. */
const risky = /[\n"']|: | #/;
const quoted = /^(?:'[^'\n]*'|"(?:[^"\\\n]|\\[^\n])*")$/;

/**
 * The actions that put values into a text as they are, although they hold what YAML takes for its own. What went through `quote`,
 * `toJson` or `b64enc` holds nothing of the kind, or stands between quotes.
 */
export function findUnquoted(apart: string, standIns: StandIns): string[] {
  const found = new Set<string>();
  for (const standing of standIns.in(apart)) if (isUnquoted(standing)) found.add(standing.action);
  return [...found].toSorted();
}

function isUnquoted({ value, before, after }: StandingValue & { before: string; after: string }): boolean {
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
