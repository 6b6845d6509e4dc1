import type { GoObject, GoValue } from "../value/index.ts";
import type { JsonShape } from "./json-shape.ts";

/** What tells the two versions of goyaml apart that Helm writes with. */
export interface YamlDialect {
  /** What a value is written as; numbers are text already. */
  readonly shape: (value: GoValue) => Exclude<JsonShape, number>;
  /** The entries of a map in the order in which they are written, with the keys that are written. */
  readonly entries: (map: GoObject) => (readonly [string, GoValue])[];
  /** 2 folds long lines and puts the dashes of lists below their keys, 3 does neither. */
  readonly version: 2 | 3;
}
