import type { ComposedDocument } from "./composer.ts";
import { resolvePlain, type Scalar, TagMismatch, WholeFloat } from "./resolve-scalar.ts";
import type { YamlList, YamlMap, YamlValue } from "./yaml-value.ts";

// A simple text has neither tabs nor controls, nor what only YAML takes for a line break, nor halves of characters.
const beyondAscii = String.raw`\xa0-\u2027\u202a-\ud7ff`;
const comment = `#[ -~${beyondAscii}]*`;
/** What a plain scalar consists of, blanks and colons apart. */
const solid = `[!-9;-~${beyondAscii}]`;
const plain = String.raw`(?:[\w$()+./;<=\\^~${beyondAscii}]|-(?=${solid}))${solid}*(?:(?::+| +(?!#))${solid}+)*`;
const quoted = String.raw`"[ !#-[\]-~${beyondAscii}]*"|'[ -&(-~${beyondAscii}]*'`;
const flow = String.raw`\{[ -z|~]*\}|\[[ -Z\\^-~]*\]`;
const content = `(${plain}|${quoted}|${flow})`;
/** None that JavaScript gives a meaning or an order of its own. */
const key = String.raw`([A-Za-z/$][\w./-]{0,200}):`;

/**
 * A line: its indentation, a dash, a key and its value; or only a dash and its value. One pattern for all of it, because V8 compiles
 * patterns to machine code at once, but functions only after they have run for long.
 */
const linePattern = new RegExp(
  String.raw`^( *)(?! )(?:${comment}|(?:(- +)?${key}(?: +${content})?|- +${content})(?: +${comment})?)? *$`,
);
/** What may stand before the first line with content. */
const preamble = new RegExp(String.raw`(?: *(?:${comment})?\n)*(?:--- *\n(?: *(?:${comment})?\n)*)?`, "y");
const flowScalar = String.raw`([\w./+][\w./+-]*|${quoted})`;
const flowPair = new RegExp(String.raw`[{,] *${key} +${flowScalar} *(?=[,}])`, "y");
const flowItem = new RegExp(String.raw`[[,] *${flowScalar} *(?=[,\]])`, "y");

const deepest = 100;
/** As many lines are remembered. */
const mostLines = 5_000;

/** Thrown at what is not simple: it may be wrong, or only unusual. */
class NotSimple extends Error {
  override readonly name = "NotSimple";
}

/** What a line says. */
interface Line {
  readonly column: number;
  /** How far a dash and the blanks behind it reach; 0 without a dash. */
  readonly dash: number;
  /** The key; `undefined` behind a dash that has none. */
  readonly name: string | undefined;
  /** The value: a scalar, what stands in brackets, or nothing yet. */
  readonly value: { readonly scalar: Scalar } | { readonly flow: string } | undefined;
}

/** Lines that were read, blank ones as `undefined`. Documents that resemble each other share most, and reading one costs more than finding it. */
export type KnownLines = Map<string, Line | undefined>;

export interface SimpleReading<Leaf extends Scalar> {
  readonly leaf: (scalar: Scalar) => Leaf;
  /** What a plain scalar means. Default: what Go says. */
  readonly resolvePlain?: (text: string) => Scalar;
  readonly refusesDuplicates?: boolean;
  /** Shared by the readings of many documents. It keeps their texts in memory. */
  readonly knownLines?: KnownLines;
}

/**
 * Reads a text that is one document of simple lines, as most are: lists and maps by indentation, scalars of one line, brackets that
 * are not nested. `undefined` for anything else, right or wrong.
 */
export function readSimpleDocument<Leaf extends Scalar>(
  text: string,
  reading: SimpleReading<Leaf>,
): ComposedDocument<Leaf> | undefined {
  try {
    return new SimpleReader(reading).read(text);
  } catch (error) {
    if (error instanceof NotSimple || error instanceof TagMismatch) return undefined;
    throw error;
  }
}

/** A list or map that may go on in the next line, with the column of its entries. */
interface Open<Leaf> {
  readonly column: number;
  readonly list: YamlList<Leaf> | undefined;
  readonly map: YamlMap<Leaf> | undefined;
}

class SimpleReader<Leaf extends Scalar> {
  readonly #reading: SimpleReading<Leaf>;
  readonly #known: KnownLines;
  readonly #resolve: Resolve;
  readonly #open: Open<Leaf>[] = [];
  #root: YamlValue<Leaf> | undefined;
  /** The key of the line before, if its value did not begin there. */
  #pending: string | undefined;

  constructor(reading: SimpleReading<Leaf>) {
    this.#reading = reading;
    this.#known = reading.knownLines ?? new Map();
    this.#resolve = reading.resolvePlain ?? resolvePlain;
  }

  read(text: string): ComposedDocument<Leaf> | undefined {
    const begin = skipPreamble(text);
    for (let at = begin, end = 0; at < text.length; at = end + 1) {
      end = text.indexOf("\n", at);
      if (end < 0) end = text.length;
      const line = this.#line(text.slice(at, end));
      if (line === undefined) continue;
      if (line.name !== undefined) this.#entry(line, line.name);
      else this.#listAt(line.column).push(this.#value(line));
    }
    const [first] = this.#open;
    if (this.#root === undefined || !first) return undefined;
    const line = text.slice(0, begin).split("\n").length - 1;
    return { value: this.#root, position: begin + first.column, line };
  }

  #line(written: string): Line | undefined {
    const known = this.#known.get(written);
    if (known !== undefined || this.#known.has(written)) return known;
    const line = readLine(written, this.#resolve);
    if (this.#known.size >= mostLines) this.#known.clear();
    this.#known.set(written, line);
    return line;
  }

  #entry(line: Line, name: string): void {
    const map = line.dash === 0 ? this.#mapAt(line.column) : this.#mapInList(line);
    if (this.#reading.refusesDuplicates && Object.hasOwn(map, name)) throw new NotSimple();
    map[name] = this.#value(line);
    this.#pending = line.value === undefined ? name : undefined;
  }

  #mapInList({ column, dash }: Line): YamlMap<Leaf> {
    const map: YamlMap<Leaf> = {};
    this.#listAt(column).push(map);
    this.#open.push({ column: column + dash, list: undefined, map });
    return map;
  }

  /** The map whose keys stand in this column. */
  #mapAt(column: number): YamlMap<Leaf> {
    let top = this.#close(column);
    // The dashes of a list may stand right below the key that it belongs to.
    if (top?.list && top.column === column) {
      this.#open.pop();
      top = this.#open.at(-1);
    }
    if (top?.map && top.column === column) return top.map;
    const map: YamlMap<Leaf> = {};
    this.#enter(map, { column, list: undefined, map });
    return map;
  }

  /** The list whose dashes stand in this column. */
  #listAt(column: number): YamlList<Leaf> {
    const top = this.#close(column);
    if (top?.list && top.column === column) return top.list;
    const list: YamlList<Leaf> = [];
    this.#enter(list, { column, list, map: undefined });
    return list;
  }

  /** Closes what is further right; gives the innermost that is left. */
  #close(column: number): Open<Leaf> | undefined {
    let top = this.#open.at(-1);
    while (top && top.column > column) {
      this.#open.pop();
      this.#pending = undefined;
      top = this.#open.at(-1);
    }
    return top;
  }

  /** A list or map begins, which only the document or a key without a value can have. */
  #enter(value: YamlValue<Leaf>, open: Open<Leaf>): void {
    const parent = this.#open.at(-1)?.map;
    if (parent && this.#pending !== undefined && this.#open.length < deepest) parent[this.#pending] = value;
    else if (this.#root === undefined) this.#root = value;
    else throw new NotSimple();
    this.#pending = undefined;
    this.#open.push(open);
  }

  #value({ value }: Line): YamlValue<Leaf> {
    if (value === undefined) return this.#reading.leaf(null);
    if ("scalar" in value) return this.#reading.leaf(value.scalar);
    return value.flow.startsWith("{") ? this.#flowMap(value.flow) : this.#flowList(value.flow);
  }

  #flowMap(written: string): YamlMap<Leaf> {
    const map: YamlMap<Leaf> = {};
    for (let at = written === "{}" ? 1 : 0; at < written.length - 1; at = flowPair.lastIndex) {
      flowPair.lastIndex = at;
      const [, name = "", field = ""] = flowPair.exec(written) ?? [];
      refuseUnusualKey(name, this.#resolve);
      if (this.#reading.refusesDuplicates && Object.hasOwn(map, name)) throw new NotSimple();
      map[name] = this.#reading.leaf(scalarOf(field, this.#resolve));
    }
    return map;
  }

  #flowList(written: string): YamlList<Leaf> {
    const list: YamlList<Leaf> = [];
    for (let at = written === "[]" ? 1 : 0; at < written.length - 1; at = flowItem.lastIndex) {
      flowItem.lastIndex = at;
      const [, item = ""] = flowItem.exec(written) ?? [];
      if (item === "") throw new NotSimple();
      list.push(this.#reading.leaf(scalarOf(item, this.#resolve)));
    }
    return list;
  }
}

type Resolve = (text: string) => Scalar;

/** What a line says; `undefined` if it is blank but for a comment. */
function readLine(written: string, resolve: Resolve): Line | undefined {
  const match = linePattern.exec(written);
  if (match === null) throw new NotSimple();
  const { 1: indentation = "", 2: dash = "", 3: name, 4: field, 5: item } = match;
  const column = indentation.length;
  if (name === undefined)
    return item === undefined ? undefined : { column, dash: 1, name, value: valueOf(item, resolve) };
  refuseUnusualKey(name, resolve);
  return { column, dash: dash.length, name, value: field === undefined ? undefined : valueOf(field, resolve) };
}

/** Refuses a key that is not read as a string. */
function refuseUnusualKey(name: string, resolve: Resolve): void {
  if (resolve(name) !== name) throw new NotSimple();
}

function valueOf(written: string, resolve: Resolve): Exclude<Line["value"], undefined> {
  return written.startsWith("{") || written.startsWith("[")
    ? { flow: written }
    : { scalar: scalarOf(written, resolve) };
}

function scalarOf(written: string, resolve: Resolve): Scalar {
  if (written.startsWith('"') || written.startsWith("'")) return written.slice(1, -1);
  const scalar = resolve(written);
  const number = scalar instanceof WholeFloat ? scalar.value : scalar;
  if (typeof number === "number" && !Number.isFinite(number)) throw new NotSimple();
  return scalar;
}

/** Where the first line with content begins. */
function skipPreamble(text: string): number {
  preamble.lastIndex = 0;
  preamble.exec(text);
  return preamble.lastIndex;
}
