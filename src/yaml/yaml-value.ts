import { type Scalar, WholeFloat } from "./resolve-scalar.ts";

/** A tree of scalars, lists and maps. */
export type YamlValue<Leaf> = Leaf | YamlList<Leaf> | YamlMap<Leaf>;
export type YamlList<Leaf> = YamlValue<Leaf>[];
export interface YamlMap<Leaf> {
  [key: string]: YamlValue<Leaf>;
}

/** Whether it is a map, or a leaf or list. */
export function isYamlMap<Leaf extends Scalar>(value: YamlValue<Leaf>): value is YamlMap<Leaf> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof WholeFloat);
}

/** Every key is an ordinary key, also the one that JavaScript gives a meaning. */
export function setYamlKey<Leaf>(map: YamlMap<Leaf>, key: string, value: YamlValue<Leaf>): void {
  if (key === "__proto__") {
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    map[key] = value;
  }
}

/** So that changing what an alias stands for in one place does not change it in the others. */
export function copyValue<Leaf extends Scalar>(value: YamlValue<Leaf>): YamlValue<Leaf> {
  if (Array.isArray(value)) return value.map((item) => copyValue(item));
  if (!isYamlMap(value)) return value;
  const copy: YamlMap<Leaf> = {};
  for (const [key, field] of Object.entries(value)) setYamlKey(copy, key, copyValue(field));
  return copy;
}
