import { Secret } from "#base";
import type { KubeObject, ObjectRef } from "#kube";
import type { Side } from "../kinds/names.ts";

/** A key's value, where it came from, and whether it is secret. */
export interface ResolvedValue {
  readonly value: string;
  /** For people: `configSecretName sec`, `configTemplate`, `default`, `vars.image`. */
  readonly source: string;
  /** It was read from a Secret or computed from what was, or the interface says so; it must not be shown. */
  readonly isSecret: boolean;
  /** Random or the clock had a part in it: it would be another one the next time. */
  readonly isUnstable: boolean;
  /** The sources that had a value for the key, too, and lost; weakest first. */
  readonly overrode?: readonly string[];
  /** There where it is secret: for as long as this lives, `redact` masks the value in any text. */
  readonly masked?: Secret;
}

export type ResolvedMap = ReadonlyMap<string, ResolvedValue>;

/** An object that was read, and which side's service account read it. */
export interface SourceRef extends ObjectRef {
  readonly namespace: string;
  readonly side: Side;
  /** Where the reference stands, such as `spec.configSecretName` or `spec.vars[0]`. */
  readonly field: string;
}

/** A key that some source has and the socket's interface does not. */
export interface DroppedKey {
  readonly side: Side;
  readonly key: string;
  readonly source: string;
}

/** Everything that an attempt to couple or update resolves before it writes. */
export interface ResolvedInputs {
  readonly plugData: ResolvedMap;
  readonly socketData: ResolvedMap;
  readonly plugVars: ResolvedMap;
  readonly socketVars: ResolvedMap;
  readonly plugConfig: ResolvedMap;
  readonly socketConfig: ResolvedMap;
  /** Of the configs. */
  readonly dropped: readonly DroppedKey[];
}

export interface ResolvedResults {
  readonly plugResult: ResolvedMap;
  readonly socketResult: ResolvedMap;
  readonly dropped: readonly DroppedKey[];
}

/** What the apparatus of a side answered to the stage; all of it is secret. */
export type AnsweredResults = Readonly<Partial<Record<Side, ReadonlyMap<string, Secret>>>>;

/** The stages are done, and a required result is not there yet; nothing has failed. */
export interface WaitingResults {
  /** For people: which results are missing. */
  readonly waiting: string;
}

/** One object, as the service account of one side sees it. */
export interface SourceReader {
  /**
   * Undefined: there is no such object. Where it is forbidden, the error names account, verb, resource and namespace.
   * An attempt asks for each object once.
   */
  read(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** Told of values that were made of what was read, before anything can be said that holds them. */
  hold?(values: ResolvedMap): void;
}

/** A value before it is known whether another source has a stronger one. */
export interface OfferedValue {
  readonly value: string;
  readonly isSecret?: boolean;
  readonly isUnstable?: boolean;
}

export interface OfferedValues {
  /** For people, as `ResolvedValue.source` says. */
  readonly source: string;
  readonly values: Iterable<readonly [key: string, value: OfferedValue]>;
}

/** Weakest first: of the sources that have a key, the last one wins. */
export function mergeSources(sources: readonly OfferedValues[]): ResolvedMap {
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

/** Every value of a config is text: objects and lists are written as compact JSON. Undefined: null, which is no value. */
export function valueText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
