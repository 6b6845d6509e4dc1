import { redact } from "#base";
import type { Side } from "../kinds/index.ts";
import type { DroppedKey, ResolvedInputs, ResolvedMap, ResolvedResults } from "./resolved.ts";

/** A key, its value and its source, without secrets. */
export interface ExplainedKey {
  readonly key: string;
  /** `***` where it is secret. */
  readonly value: string;
  readonly source: string;
  /** The other sources with the key, weakest first. */
  readonly overrode: readonly string[];
  readonly isSecret: boolean;
  /** It differs each time. */
  readonly isUnstable: boolean;
}

/** One of the maps that templates see. */
export interface ExplainedMap {
  /** As templates name it. */
  readonly name: "plugData" | "socketData" | "plugVars" | "socketVars" | "plugConfig" | "socketConfig" | ResultName;
  readonly side: Side;
  readonly keys: readonly ExplainedKey[];
  /** Keys that the interface does not declare, and their source. */
  readonly dropped: readonly Omit<DroppedKey, "side">[];
}

type ResultName = "plugResult" | "socketResult";

const inputMaps = ["plugData", "socketData", "plugVars", "socketVars", "plugConfig", "socketConfig"] as const;
const resultMaps = ["plugResult", "socketResult"] as const;

/** The source of each value of a coupling; maps without keys are left out, and keys are sorted. */
export function explainValues(inputs: ResolvedInputs, results?: ResolvedResults): ExplainedMap[] {
  const explained = [
    ...inputMaps.map((name) => explain(name, inputs[name], name.endsWith("Config") ? inputs.dropped : [])),
    ...(results ? resultMaps.map((name) => explain(name, results[name], results.dropped)) : []),
  ];
  return explained.filter(({ keys, dropped }) => keys.length + dropped.length > 0);
}

function explain(name: ExplainedMap["name"], map: ResolvedMap, dropped: readonly DroppedKey[]): ExplainedMap {
  const side = name.startsWith("plug") ? "plug" : "socket";
  const keys = [...map].map(([key, { value, source, overrode = [], isSecret, isUnstable }]) => {
    const shown = isSecret ? "***" : redact(value);
    return { key, value: shown, source, overrode, isSecret, isUnstable };
  });
  const own = dropped.filter((each) => each.side === side).map(({ key, source }) => ({ key, source }));
  return { name, side, keys: keys.toSorted(byKey), dropped: own.toSorted(byKey) };
}

function byKey(one: { readonly key: string }, other: { readonly key: string }): number {
  return one.key < other.key ? -1 : Number(one.key > other.key);
}
