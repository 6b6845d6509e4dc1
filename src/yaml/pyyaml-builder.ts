import { AliasBudget } from "./alias-budget.ts";
import type { BuilderOptions } from "./document-builder.ts";
import { merge, type NodeBuilder } from "./node-builder.ts";
import { pythonFloatText, resolvePyyamlPlain, resolvePyyamlTagged } from "./resolve-pyyaml.ts";
import { type Scalar, TagMismatch, WholeFloat } from "./resolve-scalar.ts";
import { YamlProblem } from "./yaml-problem.ts";
import { copyValue, isYamlMap, setYamlKey, type YamlMap, type YamlValue } from "./yaml-value.ts";

/** A node that aliases may stand for; without a value until its end has been read. */
interface Anchored<Leaf> {
  value?: YamlValue<Leaf>;
  readonly nodesBefore: number;
  nodes: number;
  height: number;
}

const mergeTag = "tag:yaml.org,2002:merge";
const valueTag = "tag:yaml.org,2002:value";

/**
 * Gives the nodes of one document the meaning that PyYAML's SafeLoader and Python's `json.dumps` give them. Of keys that come twice the
 * last one wins, and a key of the map itself wins over a merged one, wherever `<<` stands.
 */
export class PyyamlBuilder<Leaf extends Scalar> implements NodeBuilder<Leaf> {
  readonly #options: BuilderOptions<Leaf>;
  readonly #resolvePlain: (text: string) => Scalar;
  readonly #anchors = new Map<string, Anchored<Leaf>>();
  readonly #budget = new AliasBudget();
  /** The keys that came by `<<` alone, of maps that have such. */
  readonly #merged = new Map<YamlMap<Leaf>, Set<string>>();
  /** The keys that are not strings, as Python compares them, with their texts in JSON. */
  readonly #typed = new Map<YamlMap<Leaf>, Map<string, string>>();
  readonly problems = 0;
  position = 0;

  constructor(options: BuilderOptions<Leaf>) {
    this.#options = options;
    this.#resolvePlain = options.resolvePlain ?? resolvePyyamlPlain;
    this.#budget.nodes = 1;
  }

  scalar(text: string, isPlain: boolean, tag: string | undefined): Leaf {
    this.#budget.nodes += 1;
    return this.#options.leaf(this.#finite(this.#resolve(text, isPlain, tag, this.#resolvePlain)));
  }

  /** JSON has neither infinite numbers nor those that are none. */
  #finite(scalar: Scalar): Scalar {
    const number = scalar instanceof WholeFloat ? scalar.value : scalar;
    if (typeof number !== "number" || Number.isFinite(number)) return scalar;
    throw this.#problem(`json: unsupported value: ${number}`);
  }

  #resolve(text: string, isPlain: boolean, tag: string | undefined, resolvePlain: (text: string) => Scalar): Scalar {
    try {
      if (hasMeaning(tag)) return resolvePyyamlTagged(tag, text);
      if (tag === "!" && text === "") return "";
      return isPlain ? resolvePlain(text) : text;
    } catch (error) {
      throw error instanceof TagMismatch ? this.#problem(error.message) : error;
    }
  }

  #problem(what: string, position = this.position): YamlProblem {
    return new YamlProblem(what, "decoder", position);
  }

  collection(): void {
    this.#budget.nodes += 1;
  }

  tagged<Value extends YamlValue<Leaf>>(value: Value, tag: string | undefined): Value {
    const fitting = Array.isArray(value) ? "tag:yaml.org,2002:seq" : "tag:yaml.org,2002:map";
    if (hasMeaning(tag) && tag !== fitting) throw this.#problem(`cannot decode the tag ${tag}`);
    return value;
  }

  open(anchor: string): (value: YamlValue<Leaf>, height: number) => void {
    if (this.#anchors.has(anchor)) throw this.#problem(`found duplicate anchor '${anchor}'`);
    const anchored: Anchored<Leaf> = { nodesBefore: this.#budget.nodes, nodes: 0, height: 0 };
    this.#anchors.set(anchor, anchored);
    return (value, height) => {
      anchored.value = value;
      anchored.nodes = this.#budget.nodes - anchored.nodesBefore;
      anchored.height = height;
    };
  }

  alias(name: string): { readonly value: YamlValue<Leaf>; readonly height: number } {
    const anchored = this.#anchors.get(name);
    if (!anchored) throw this.#problem(`unknown anchor '${name}' referenced`);
    const { value, nodes, height } = anchored;
    if (value === undefined) throw this.#problem(`anchor '${name}' value contains itself`);
    this.#budget.nodes += 1;
    this.#budget.repeat(nodes);
    this.#refuseExcess();
    return { value: this.#options.positions ? value : copyValue(value), height };
  }

  #refuseExcess(): void {
    if (this.#budget.isExceeded) throw this.#problem("document contains excessive aliasing");
  }

  isMergeKey(text: string, isPlain: boolean, tag: string | undefined): boolean {
    return tag === mergeTag || (text === "<<" && isPlain && !hasMeaning(tag));
  }

  key(text: string, isPlain: boolean, tag: string | undefined): Scalar | typeof merge {
    if (this.isMergeKey(text, isPlain, tag)) return merge;
    this.#budget.nodes += 1;
    const isDefault = tag === valueTag || (text === "=" && isPlain && !hasMeaning(tag));
    return isDefault ? text : this.#finite(this.#resolve(text, isPlain, tag, resolvePyyamlPlain));
  }

  checkKey(key: YamlValue<Leaf>): void {
    if (Array.isArray(key) || isYamlMap(key)) throw this.#problem("invalid map key");
  }

  put(map: YamlMap<Leaf>, key: YamlValue<Scalar>, value: YamlValue<Leaf>, position: number): void {
    if (Array.isArray(key) || isYamlMap(key)) throw this.#problem("invalid map key", position);
    const name = typeof key === "string" ? this.#stringName(map, key, position) : this.#typedName(map, key, position);
    const merged = this.#merged.get(map);
    if (!merged?.delete(name) && Object.hasOwn(map, name)) this.#options.onDuplicate?.(map, name, position);
    this.#options.positions?.record(map, name, position);
    setYamlKey(map, name, value);
  }

  #stringName(map: YamlMap<Leaf>, key: string, position: number): string {
    const typed = this.#typed.get(map);
    if (typed && [...typed.values()].includes(key)) throw this.#sameName(key, position);
    return key;
  }

  /** In Python 1, 1.0 and true are one key, and 1 and "1" are two, which JSON cannot tell apart. */
  #typedName(map: YamlMap<Leaf>, key: Scalar, position: number): string {
    const typed = this.#typed.get(map) ?? new Map<string, string>();
    this.#typed.set(map, typed);
    const identity = key === null ? "null" : String(Number(key instanceof WholeFloat ? key.value : key));
    const known = typed.get(identity);
    if (known !== undefined) return known;
    const name = jsonKey(key);
    if (Object.hasOwn(map, name)) throw this.#sameName(name, position);
    typed.set(identity, name);
    return name;
  }

  #sameName(name: string, position: number): YamlProblem {
    return this.#problem(`key ${JSON.stringify(name)} already set in map`, position);
  }

  merge(map: YamlMap<Leaf>, value: YamlValue<Leaf>): void {
    const parts = Array.isArray(value) ? value.toReversed() : [value];
    const merged = this.#merged.get(map) ?? new Set<string>();
    this.#merged.set(map, merged);
    for (const part of parts) {
      if (!isYamlMap(part)) throw this.#problem("map merge requires map or sequence of maps as the value");
      for (const [name, field] of Object.entries(part)) this.#mergeEntry(map, name, field, part, merged);
    }
  }

  #mergeEntry(
    map: YamlMap<Leaf>,
    name: string,
    field: YamlValue<Leaf>,
    origin: YamlMap<Leaf>,
    merged: Set<string>,
  ): void {
    if (Object.hasOwn(map, name) && !merged.has(name)) return;
    const { positions } = this.#options;
    positions?.record(map, name, positions.find(origin, name) ?? this.position);
    setYamlKey(map, name, field);
    merged.add(name);
  }

  finish(): void {
    this.#refuseExcess();
  }
}

/** The tag `!` is as good as none, unless nothing follows it: then it is an empty text. */
function hasMeaning(tag: string | undefined): tag is string {
  return tag !== undefined && tag !== "!";
}

function jsonKey(key: Scalar): string {
  if (key instanceof WholeFloat) return pythonFloatText(key.value);
  return typeof key === "number" && !Number.isInteger(key) ? pythonFloatText(key) : String(key);
}
