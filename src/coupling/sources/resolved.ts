import { Secret } from "#base";
import type { KubeObject, ObjectRef } from "#kube";
import type { Side } from "../kinds/index.ts";
import type { EmptyValue } from "./empty-values.ts";

/** A key's value, where it came from, and whether it is secret. */
export interface ResolvedValue {
  readonly value: string;
  /** For messages: `configSecretName sec`, `configTemplate`, `default`, `vars.image`. */
  readonly source: string;
  /** It was read or computed from a Secret, or the interface marks it; it must not be shown. */
  readonly isSecret: boolean;
  /** Computed from the clock or random numbers: it differs each time. */
  readonly isUnstable: boolean;
  /** The other sources with a value for the key, weakest first. */
  readonly overrode?: readonly string[];
  /** Set for a secret: while this exists, `redact` masks the value in any text. */
  readonly masked?: Secret;
}

export type ResolvedMap = ReadonlyMap<string, ResolvedValue>;

/** An object to read, and the side whose service account reads it. */
export interface SourceRef extends ObjectRef {
  readonly namespace: string;
  readonly side: Side;
  /** The field with the reference, such as `spec.configSecretName` or `spec.vars[0]`. */
  readonly field: string;
}

/** A key that a source has and the socket's interface does not declare. */
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
  /** What vars and templates of the configs read although it does not exist. */
  readonly empty?: readonly EmptyValue[];
}

export interface ResolvedResults {
  readonly plugResult: ResolvedMap;
  readonly socketResult: ResolvedMap;
  readonly dropped: readonly DroppedKey[];
  /** What templates of the results read although it does not exist. */
  readonly empty?: readonly EmptyValue[];
}

/** The results that apparatuses answered to the stage; all of them are secret. */
export type AnsweredResults = Readonly<Partial<Record<Side, ReadonlyMap<string, Secret>>>>;

/** The stages are done, and a required result is missing; nothing has failed. */
export interface WaitingResults {
  /** Which results are missing. */
  readonly waiting: string;
}

/** One object, as the service account of one side sees it. */
export interface SourceReader {
  /**
   * Undefined: the object does not exist. If it is forbidden, the error names account, verb, resource and namespace.
   * An attempt reads each object once.
   */
  read(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** Called with values computed from what was read, before any message can contain them. */
  hold?(values: ResolvedMap): void;
}

/** A value of one source, before the sources are merged. */
export interface OfferedValue {
  readonly value: string;
  readonly isSecret?: boolean;
  readonly isUnstable?: boolean;
}

export interface OfferedValues {
  /** For messages, as in `ResolvedValue.source`. */
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

/** Values of configs are text: objects and lists become compact JSON. Undefined for null. */
export function valueText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
