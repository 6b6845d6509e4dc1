import { Scanner } from "./scanner.ts";
import { type TokenKind, tokenKind } from "./token-queue.ts";

/** A node as it is written, for edits that keep every other byte of the text. */
export type SourceNode = SourceScalar | SourceList | SourceMap;

export interface SourceScalar {
  readonly kind: "scalar";
  readonly value: string;
  /** Where its characters begin and end in the text, without quotes. */
  readonly start: number;
  readonly end: number;
  /** Whether the text between `start` and `end` is the value, letter by letter: no escapes, no folded lines. */
  readonly isVerbatim: boolean;
  readonly isPlain: boolean;
  readonly hasAnchor: boolean;
}

export interface SourceList {
  readonly kind: "list";
  readonly items: readonly SourceNode[];
}

export interface SourceMap {
  readonly kind: "map";
  readonly entries: readonly SourceEntry[];
}

export interface SourceEntry {
  readonly key: string;
  readonly value: SourceNode;
  /** The value is an alias of a node that is written elsewhere, or comes from a merge. */
  readonly isShared: boolean;
}

/**
 * The nodes of all documents of a text that `parseYamlDocuments` accepts. Aliases lead to the node they stand for, and
 * `<<` adds the entries of its map that the map itself does not have.
 */
export function readSourceNodes(text: string): SourceNode[] {
  const scanner = new Scanner(text);
  const roots: SourceNode[] = [];
  let reader = new SourceReader(text, scanner);
  for (let kind = scanner.peek(); kind !== tokenKind.streamEnd; kind = scanner.peek()) {
    if (kind <= tokenKind.documentEnd) {
      scanner.next();
      reader = new SourceReader(text, scanner);
    } else {
      const { taken } = scanner.tokens;
      roots.push(reader.node().node);
      if (scanner.tokens.taken === taken) throw new Error("cannot read the nodes of a text that is not valid YAML");
    }
  }
  return roots;
}

interface ReadNode {
  readonly node: SourceNode;
  readonly isAlias: boolean;
}

class SourceReader {
  readonly #text: string;
  readonly #scanner: Scanner;
  readonly #anchors = new Map<string, SourceNode>();

  constructor(text: string, scanner: Scanner) {
    this.#text = text;
    this.#scanner = scanner;
  }

  node(): ReadNode {
    const { tokens } = this.#scanner;
    let anchor: string | undefined;
    let kind = this.#scanner.peek();
    while (kind === tokenKind.anchor || kind === tokenKind.tag) {
      if (kind === tokenKind.anchor) anchor = tokens.text;
      kind = this.#skip();
    }
    if (kind === tokenKind.alias) {
      const node = this.#anchors.get(tokens.text) ?? this.#empty();
      this.#scanner.next();
      return { node, isAlias: true };
    }
    const node = this.#content(kind, anchor !== undefined);
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return { node, isAlias: false };
  }

  #skip(): TokenKind {
    this.#scanner.next();
    return this.#scanner.peek();
  }

  #empty(): SourceScalar {
    const { position } = this.#scanner.tokens;
    const at = { start: position, end: position, isVerbatim: false };
    return { kind: "scalar", value: "", ...at, isPlain: true, hasAnchor: false };
  }

  #content(kind: TokenKind, hasAnchor: boolean): SourceNode {
    if (kind === tokenKind.plain || kind === tokenKind.quoted) return this.#scalar(kind, hasAnchor);
    if (kind === tokenKind.blockSequence) return this.#list(tokenKind.blockEnd);
    if (kind === tokenKind.flowSequence) return this.#list(tokenKind.flowSequenceEnd);
    if (kind === tokenKind.blockMapping) return this.#map(tokenKind.blockEnd);
    if (kind === tokenKind.flowMapping) return this.#map(tokenKind.flowMappingEnd);
    return kind === tokenKind.blockEntry ? this.#indentlessList() : this.#empty();
  }

  #scalar(kind: TokenKind, hasAnchor: boolean): SourceScalar {
    const { text: value, position } = this.#scanner.tokens;
    const isPlain = kind === tokenKind.plain;
    const start = isPlain ? position : position + 1;
    const end = start + value.length;
    const quote = this.#text[position];
    const isEnclosed = isPlain || ((quote === '"' || quote === "'") && this.#text[end] === quote);
    const isVerbatim = isEnclosed && this.#text.startsWith(value, start);
    this.#scanner.next();
    return { kind: "scalar", value, start, end, isVerbatim, isPlain, hasAnchor };
  }

  #list(end: TokenKind): SourceList {
    const items: SourceNode[] = [];
    for (let kind = this.#skip(); kind !== end; kind = this.#scanner.peek()) {
      if (kind === tokenKind.blockEntry || kind === tokenKind.flowEntry) {
        const next = this.#skip();
        if (kind === tokenKind.blockEntry) items.push(endsItem(next) ? this.#empty() : this.node().node);
      } else if (kind === tokenKind.key) items.push({ kind: "map", entries: [this.#entry().entry] });
      else items.push(this.node().node);
    }
    this.#scanner.next();
    return { kind: "list", items };
  }

  /** A list whose dashes stand below the key that it belongs to: nothing ends it but the lack of a further dash. */
  #indentlessList(): SourceList {
    const items: SourceNode[] = [];
    while (this.#scanner.peek() === tokenKind.blockEntry) {
      items.push(endsItem(this.#skip()) ? this.#empty() : this.node().node);
    }
    return { kind: "list", items };
  }

  #map(end: TokenKind): SourceMap {
    const entries: SourceEntry[] = [];
    const merged: SourceEntry[] = [];
    for (let kind = this.#skip(); kind !== end; kind = this.#scanner.peek()) {
      if (kind === tokenKind.flowEntry) {
        this.#scanner.next();
        continue;
      }
      const { isMerge, entry } = kind === tokenKind.key ? this.#entry() : this.#loneKey();
      if (isMerge) merged.push(...mergedEntries(entry.value));
      else entries.push(entry);
    }
    this.#scanner.next();
    const own = new Set(entries.map(({ key }) => key));
    return { kind: "map", entries: [...entries, ...merged.filter(({ key }) => !own.has(key))] };
  }

  #entry(): ReadEntry {
    const kind = this.#skip();
    const key = kind === tokenKind.value ? this.#empty() : this.node().node;
    if (this.#scanner.peek() !== tokenKind.value) return readEntry(key, this.#empty(), false);
    if (endsValue(this.#skip())) return readEntry(key, this.#empty(), false);
    const { node, isAlias } = this.node();
    return readEntry(key, node, isAlias);
  }

  /** `{a, b}` is a map of keys without values. */
  #loneKey(): ReadEntry {
    return readEntry(this.node().node, this.#empty(), false);
  }
}

interface ReadEntry {
  readonly entry: SourceEntry;
  readonly isMerge: boolean;
}

function readEntry(keyNode: SourceNode, value: SourceNode, isShared: boolean): ReadEntry {
  const key = keyNode.kind === "scalar" ? keyNode.value : "";
  const isMerge = keyNode.kind === "scalar" && keyNode.isPlain && key === "<<";
  return { entry: { key, value, isShared }, isMerge };
}

/** The entries that `<<` takes over from a map, or from each map of a list. */
function mergedEntries(node: SourceNode): SourceEntry[] {
  if (node.kind === "list") return node.items.flatMap(mergedEntries);
  return node.kind === "map" ? node.entries.map((entry) => ({ ...entry, isShared: true })) : [];
}

function endsItem(kind: TokenKind): boolean {
  return kind === tokenKind.blockEntry || endsValue(kind);
}

/** Not a dash: below a key, it begins a list. */
function endsValue(kind: TokenKind): boolean {
  return (
    kind <= tokenKind.documentEnd ||
    kind === tokenKind.key ||
    kind === tokenKind.value ||
    kind === tokenKind.blockEnd ||
    kind === tokenKind.flowEntry ||
    kind === tokenKind.flowMappingEnd ||
    kind === tokenKind.flowSequenceEnd
  );
}
