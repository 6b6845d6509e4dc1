import { Secret } from "#base";
import type { ResolvedMap, ResolvedValue } from "./resolved.ts";

/** A value before it is known whether another source has a stronger one. */
export interface OfferedValue {
  readonly value: string;
  readonly isSecret?: boolean;
  readonly isUnstable?: boolean;
}

export interface Source {
  /** For people, as `ResolvedValue.source` says. */
  readonly source: string;
  readonly values: Iterable<readonly [key: string, value: OfferedValue]>;
}

/** Weakest first: of the sources that have a key, the last one wins. */
export function mergeSources(sources: readonly Source[]): ResolvedMap {
  const merged = new Map<string, ResolvedValue>();
  for (const { source, values } of sources) {
    for (const [key, offered] of values) {
      const weaker = merged.get(key);
      const overrode = weaker && { overrode: [...(weaker.overrode ?? []), weaker.source] };
      merged.set(key, resolved(offered, source, overrode));
    }
  }
  return merged;
}

export function resolved(
  { value, isSecret = false, isUnstable = false }: OfferedValue,
  source: string,
  more: Pick<ResolvedValue, "overrode"> = {},
): ResolvedValue {
  return { value, source, isSecret, isUnstable, ...more, ...(isSecret ? { masked: new Secret(value) } : {}) };
}

export function textsOf(texts: Readonly<Record<string, string>> = {}): [string, OfferedValue][] {
  return Object.entries(texts).map(([key, value]) => [key, { value }]);
}
