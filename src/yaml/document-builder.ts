import { AliasBudget } from "./alias-budget.ts";
import { merge, type NodeBuilder, type YamlLibrary } from "./node-builder.ts";
import { resolvePlain, resolveTagged, type Scalar, TagMismatch } from "./resolve-scalar.ts";
import type { EntryPositions } from "./text-position.ts";
import { goSyntax, keyOfName, keyText, typedName } from "./typed-key.ts";
import { YamlProblem } from "./yaml-problem.ts";
import { copyValue, isYamlMap, setYamlKey, type YamlMap, type YamlValue } from "./yaml-value.ts";

/** The quick way of reading met something that it cannot judge; the text is read again with every detail kept. */
export class NeedsCarefulReading extends Error {
  override readonly name = "NeedsCarefulReading";
}

/** How to read a document with every detail kept. */
export interface CarefulReading {
  readonly quote: (text: string) => string;
}

export interface BuilderOptions<Leaf extends Scalar> {
  /** Default: goyaml. */
  readonly library?: YamlLibrary;
  /** What a scalar becomes in the value. */
  readonly leaf: (scalar: Scalar) => Leaf;
  /** Complain about keys that come twice, instead of letting the last one win. */
  readonly refusesDuplicates?: boolean;
  /** Notes where everything stands; aliases then share what they stand for. */
  readonly positions?: EntryPositions;
  /** For pyyaml: what a plain scalar means, if not what PyYAML says. */
  readonly resolvePlain?: (text: string) => Scalar;
  /** For pyyaml: called for a key that comes twice, whose last value counts. */
  readonly onDuplicate?: (map: YamlMap<Leaf>, name: string, position: number) => void;
  /** Maps get typed names, and what has no meaning is collected. Without it, the first such thing throws `NeedsCarefulReading`. */
  readonly careful?: CarefulReading;
}

/** A node that aliases may stand for. */
interface Anchored<Leaf> {
  /** Until its end has been read there is none, and an alias would make it contain itself. */
  value?: YamlValue<Leaf>;
  readonly nodesBefore: number;
  nodes: number;
  height: number;
}

/**
 * Gives the nodes of one document their meaning, as goyaml.v2's decoder would.
 * What is YAML but means nothing, such as `!!int x`, is reported by `finish` only,
 * because Go reads a document to its end before it looks for meaning.
 */
export class DocumentBuilder<Leaf extends Scalar> implements NodeBuilder<Leaf> {
  readonly #options: BuilderOptions<Leaf>;
  readonly #anchors = new Map<string, Anchored<Leaf>>();
  readonly #budget = new AliasBudget();
  readonly #problems: YamlProblem[] = [];
  readonly #duplicates: string[] = [];
  #firstDuplicate = 0;
  /** Where the node that is being read begins, for messages. */
  position = 0;

  constructor(options: BuilderOptions<Leaf>) {
    this.#options = options;
    this.#budget.nodes = 1;
  }

  scalar(text: string, isPlain: boolean, tag: string | undefined): Leaf {
    this.#budget.nodes += 1;
    if (tag === undefined) return this.#leaf(isPlain ? resolvePlain(text) : text);
    try {
      return this.#leaf(this.#asJson(resolveTagged(tag, text)));
    } catch (error) {
      if (!(error instanceof TagMismatch)) throw error;
      this.#defer(error.message);
      return this.#options.leaf(null);
    }
  }

  /** Bytes that are not UTF-8 become U+FFFD in JSON; messages show them as they are. */
  #asJson(scalar: Scalar): Scalar {
    return typeof scalar === "string" && !this.#options.careful ? scalar.toWellFormed() : scalar;
  }

  #leaf(scalar: Scalar): Leaf {
    const isOdd = typeof scalar === "number" && !Number.isFinite(scalar);
    if (isOdd && !this.#options.careful) throw new NeedsCarefulReading();
    return this.#options.leaf(scalar);
  }

  /** A list or a map begins. */
  collection(): void {
    this.#budget.nodes += 1;
  }

  /** Go ignores the tags of lists and maps. */
  tagged<Value extends YamlValue<Leaf>>(value: Value): Value {
    return value;
  }

  /** A node begins that aliases may stand for; the function returned takes its value, and how much deeper it goes. */
  open(anchor: string): (value: YamlValue<Leaf>, height: number) => void {
    const anchored: Anchored<Leaf> = { nodesBefore: this.#budget.nodes, nodes: 0, height: 0 };
    this.#anchors.set(anchor, anchored);
    return (value, height) => {
      anchored.value = value;
      anchored.nodes = this.#budget.nodes - anchored.nodesBefore;
      anchored.height = height;
    };
  }

  /** What an alias stands for, and how deep that is. */
  alias(name: string): { readonly value: YamlValue<Leaf>; readonly height: number } {
    const anchored = this.#anchors.get(name);
    if (!anchored) throw new YamlProblem(`unknown anchor '${name}' referenced`, "decoder", this.position);
    const { value, nodes, height } = anchored;
    this.#budget.nodes += 1;
    if (value === undefined) {
      this.#defer(`anchor '${name}' value contains itself`);
      return { value: this.#options.leaf(null), height };
    }
    this.#budget.repeat(nodes);
    if (!this.#budget.isExceeded) return { value: this.#options.positions ? value : copyValue(value), height };
    this.#defer("document contains excessive aliasing");
    return { value: this.#options.leaf(null), height };
  }

  isMergeKey(text: string, isPlain: boolean, tag: string | undefined): boolean {
    if (text !== "<<") return false;
    return tag === undefined ? isPlain : tag === "!" || tag === "tag:yaml.org,2002:merge";
  }

  /** A scalar as a key. */
  key(text: string, isPlain: boolean, tag: string | undefined): Scalar | typeof merge {
    if (this.isMergeKey(text, isPlain, tag)) return merge;
    if (tag !== undefined) return this.scalar(text, isPlain, tag);
    this.#budget.nodes += 1;
    return isPlain ? resolvePlain(text) : text;
  }

  /** Anything else as a key. */
  checkKey(key: YamlValue<Leaf>): void {
    if (!Array.isArray(key) && !isYamlMap(key)) return;
    this.#defer(() => `invalid map key: ${goSyntax(key, this.#options.careful?.quote ?? JSON.stringify)}`);
  }

  /** Adds an entry. `position` is that of the key, `line` that of the value. */
  put(map: YamlMap<Leaf>, key: YamlValue<Scalar>, value: YamlValue<Leaf>, position: number, line: number): void {
    const { careful } = this.#options;
    const name = typeof key === "string" && !careful ? key : careful ? typedName(key) : keyText(key);
    if (name !== undefined) this.#set(map, name, value, { key, position, line });
    else if (!careful) throw new NeedsCarefulReading();
  }

  #set(map: YamlMap<Leaf>, name: string, value: YamlValue<Leaf>, { key, position, line }: Origin): void {
    if (this.#options.refusesDuplicates && Object.hasOwn(map, name)) {
      const { careful } = this.#options;
      if (!careful) throw new NeedsCarefulReading();
      if (this.#duplicates.length === 0) this.#firstDuplicate = position;
      const shown = key === null ? "<nil>" : goSyntax(key, careful.quote);
      this.#duplicates.push(`line ${line + 1}: key ${shown} already set in map`);
      return;
    }
    this.#options.positions?.record(map, name, position);
    setYamlKey(map, name, value);
  }

  /** How many problems there are so far; `merge` drops those of its value if that value cannot be merged. */
  get problems(): number {
    return this.#problems.length;
  }

  /** The entries come in where `<<` stands: they replace those before it, and give way to those behind it. */
  merge(map: YamlMap<Leaf>, value: YamlValue<Leaf>, isAlias: boolean, line: number, problems: number): void {
    if (isYamlMap(value)) {
      const { positions } = this.#options;
      for (const [name, field] of Object.entries(value)) {
        const position = positions?.find(value, name) ?? this.position;
        this.#set(map, name, field, { key: this.#options.careful ? keyOfName(name) : name, position, line });
      }
      return;
    }
    // An alias that contains itself has had its complaint.
    if (isAlias && this.#problems.length > problems) return;
    if (!Array.isArray(value) || isAlias || !value.every((part) => isYamlMap(part))) {
      this.#problems.length = problems;
      this.#defer("map merge requires map or sequence of maps as the value");
      return;
    }
    this.#budget.nodes -= 1;
    for (const part of value.toReversed()) this.merge(map, part, false, line, problems);
  }

  #defer(problem: string | (() => string)): void {
    if (!this.#options.careful) throw new NeedsCarefulReading();
    const text = typeof problem === "string" ? problem : problem();
    this.#problems.push(new YamlProblem(text, "decoder", this.position));
  }

  /** Throws the problem that Go would report. */
  finish(): void {
    if (this.#budget.isExceeded) this.#defer("document contains excessive aliasing");
    const [problem] = this.#problems;
    if (problem) throw problem;
    if (this.#duplicates.length === 0) return;
    const lines = this.#duplicates.join("\n  ");
    throw new YamlProblem(`unmarshal errors:\n  ${lines}`, "decoder", this.#firstDuplicate);
  }
}

/** Where an entry comes from: its key as it was written and where that is, and the line of its value. */
interface Origin {
  readonly key: YamlValue<Scalar>;
  readonly position: number;
  readonly line: number;
}
