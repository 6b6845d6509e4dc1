import type { Scalar } from "./resolve-scalar.ts";
import type { YamlMap, YamlValue } from "./yaml-value.ts";

/** The library whose reading counts: the one of kubectl and Helm, or the one of qontract's tools. */
export type YamlLibrary = "goyaml" | "pyyaml";

/** The key `<<`, which takes over the entries of another map. */
export const merge = Symbol("merge");

/** Gives the nodes of one document their meaning. */
export interface NodeBuilder<Leaf extends Scalar> {
  /** Where the node that is being read begins, for messages. */
  position: number;
  scalar(text: string, isPlain: boolean, tag: string | undefined): Leaf;
  /** A list or a map begins. */
  collection(): void;
  /** A list or map that has this tag, or none. */
  tagged<Value extends YamlValue<Leaf>>(value: Value, tag: string | undefined): Value;
  /** A node begins that aliases may stand for; the function returned takes its value, and how much deeper it goes. */
  open(anchor: string): (value: YamlValue<Leaf>, height: number) => void;
  /** What an alias stands for, and how deep that is. */
  alias(name: string): { readonly value: YamlValue<Leaf>; readonly height: number };
  isMergeKey(text: string, isPlain: boolean, tag: string | undefined): boolean;
  /** A scalar as a key. */
  key(text: string, isPlain: boolean, tag: string | undefined): Scalar | typeof merge;
  /** Anything else as a key. */
  checkKey(key: YamlValue<Leaf>): void;
  /** Adds an entry. `position` is that of the key, `line` that of the value. */
  put(map: YamlMap<Leaf>, key: YamlValue<Scalar>, value: YamlValue<Leaf>, position: number, line: number): void;
  /** How many problems there are so far, for `merge`. */
  readonly problems: number;
  /** Takes over the entries of what stands behind `<<`. */
  merge(map: YamlMap<Leaf>, value: YamlValue<Leaf>, isAlias: boolean, line: number, problems: number): void;
  /** Throws what could only be judged at the end of the document. */
  finish(): void;
}
