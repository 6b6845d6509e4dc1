import { merge, type NodeBuilder } from "./node-builder.ts";
import type { Scalar } from "./resolve-scalar.ts";
import type { TagHandles } from "./scan-tag.ts";
import type { Scanner } from "./scanner.ts";
import type { EntryPositions } from "./text-position.ts";
import { type TokenKind, tokenKind } from "./token-queue.ts";
import { YamlProblem } from "./yaml-problem.ts";
import type { YamlList, YamlMap, YamlValue } from "./yaml-value.ts";

/** Go allows 10,000, which neither our stack nor most readers of the value would survive. */
const deepest = 500;

type Key<Leaf> = YamlValue<Leaf> | Scalar | typeof merge;

/** What the nodes of one document are read with. */
export interface NodeSource<Leaf extends Scalar> {
  readonly scanner: Scanner;
  readonly builder: NodeBuilder<Leaf>;
  readonly handles: TagHandles;
  readonly positions: EntryPositions | undefined;
}

/** Reads the nodes of one document by the grammar of libyaml, which PyYAML uses and goyaml.v2 copied. */
export class NodeComposer<Leaf extends Scalar> {
  readonly #scanner: Scanner;
  readonly #builder: NodeBuilder<Leaf>;
  readonly #handles: TagHandles;
  readonly #positions: EntryPositions | undefined;
  #depth = 0;
  /** The greatest depth since the innermost anchor that is open. */
  #reached = 0;

  constructor({ scanner, builder, handles, positions }: NodeSource<Leaf>) {
    this.#scanner = scanner;
    this.#builder = builder;
    this.#handles = handles;
    this.#positions = positions;
  }

  /** The node that begins with the next token. */
  root(): YamlValue<Leaf> {
    return this.#node(this.#scanner.peek(), true, false);
  }

  #skip(): TokenKind {
    this.#scanner.next();
    return this.#scanner.peek();
  }

  #failure(problem: string): YamlProblem {
    const { position, line } = this.#scanner.tokens;
    return new YamlProblem(problem, "parser", position, line);
  }

  #empty(): Leaf {
    return this.#builder.scalar("", true, undefined);
  }

  #node(kind: TokenKind, isBlock: boolean, mayBeIndentless: boolean): YamlValue<Leaf> {
    const { tokens } = this.#scanner;
    if (kind === tokenKind.plain || kind === tokenKind.quoted) {
      const { text } = tokens;
      this.#builder.position = tokens.position;
      this.#scanner.next();
      return this.#builder.scalar(text, kind === tokenKind.plain, undefined);
    }
    if (kind === tokenKind.alias) return this.#alias();
    if (kind !== tokenKind.anchor && kind !== tokenKind.tag) return this.#collection(kind, isBlock, mayBeIndentless);
    const properties = this.#properties(kind);
    return this.#anchored(properties.anchor, () => this.#content(properties.tag, isBlock, mayBeIndentless));
  }

  /** At most one anchor and one tag, in any order. */
  #properties(first: TokenKind): { readonly anchor: string | undefined; readonly tag: string | undefined } {
    const { tokens } = this.#scanner;
    this.#builder.position = tokens.position;
    let anchor: string | undefined;
    let written: { readonly handle: string; readonly suffix: string; readonly problem: YamlProblem } | undefined;
    let kind = first;
    while ((kind === tokenKind.anchor && anchor === undefined) || (kind === tokenKind.tag && written === undefined)) {
      if (kind === tokenKind.anchor) anchor = tokens.text;
      else
        written = { handle: tokens.text, suffix: tokens.suffix, problem: this.#failure("found undefined tag handle") };
      kind = this.#skip();
    }
    // Only now: what cannot be scanned behind a tag comes first.
    const tag = written && this.#handles.resolve(written.handle, written.suffix);
    if (written && tag === undefined) throw written.problem;
    return { anchor, tag };
  }

  #anchored<Value extends YamlValue<Leaf>>(anchor: string | undefined, read: () => Value): Value {
    if (anchor === undefined) return read();
    const close = this.#builder.open(anchor);
    const reachedBefore = this.#reached;
    this.#reached = this.#depth;
    const value = read();
    close(value, this.#reached - this.#depth);
    this.#reached = Math.max(this.#reached, reachedBefore);
    return value;
  }

  /** What follows anchor and tag; nothing is an empty scalar. */
  #content(tag: string | undefined, isBlock: boolean, mayBeIndentless: boolean): YamlValue<Leaf> {
    const kind = this.#scanner.peek();
    if (opensCollection(kind, isBlock, mayBeIndentless))
      return this.#builder.tagged(this.#collection(kind, isBlock, mayBeIndentless), tag);
    if (kind !== tokenKind.plain && kind !== tokenKind.quoted) return this.#builder.scalar("", true, tag);
    const { text } = this.#scanner.tokens;
    this.#scanner.next();
    return this.#builder.scalar(text, kind === tokenKind.plain, tag);
  }

  #alias(): YamlValue<Leaf> {
    const { tokens } = this.#scanner;
    this.#builder.position = tokens.position;
    const { value, height } = this.#builder.alias(tokens.text);
    this.#reach(this.#depth + height);
    this.#scanner.next();
    return value;
  }

  #reach(depth: number): void {
    if (depth > deepest) throw this.#failure(`exceeded max depth of ${deepest}`);
    if (depth > this.#reached) this.#reached = depth;
  }

  #collection(kind: TokenKind, isBlock: boolean, mayBeIndentless: boolean): YamlValue<Leaf> {
    if (!opensCollection(kind, isBlock, mayBeIndentless)) throw this.#failure("did not find expected node content");
    this.#builder.collection();
    this.#depth += 1;
    this.#reach(this.#depth);
    const value = this.#entries(kind);
    this.#depth -= 1;
    return value;
  }

  #entries(kind: TokenKind): YamlList<Leaf> | YamlMap<Leaf> {
    if (kind === tokenKind.blockMapping) return this.#blockMapping();
    if (kind === tokenKind.flowMapping) return this.#flowMapping();
    if (kind === tokenKind.flowSequence) return this.#flowSequence();
    return kind === tokenKind.blockSequence ? this.#blockSequence() : this.#indentlessSequence();
  }

  #blockMapping(): YamlMap<Leaf> {
    const map: YamlMap<Leaf> = {};
    let kind = this.#skip();
    while (kind === tokenKind.key) {
      kind = this.#skip();
      const { position } = this.#scanner.tokens;
      const key = endsBlockEntry(kind) ? this.#empty() : this.#key(kind, true);
      const hasColon = this.#scanner.peek() === tokenKind.value;
      const colonLine = this.#scanner.tokens.line;
      if (hasColon) this.#scanner.next();
      kind = this.#scanner.peek();
      const hasContent = hasColon && !endsBlockEntry(kind);
      const line = hasColon && !hasContent ? colonLine : this.#scanner.tokens.line;
      this.#value(map, key, kind, hasContent, true, position, line);
      kind = this.#scanner.peek();
    }
    if (kind !== tokenKind.blockEnd) throw this.#failure("did not find expected key");
    this.#scanner.next();
    return map;
  }

  #blockSequence(): YamlList<Leaf> {
    const list: YamlList<Leaf> = [];
    let kind = this.#skip();
    while (kind === tokenKind.blockEntry) {
      kind = this.#skip();
      this.#item(list, kind, kind !== tokenKind.blockEntry && kind !== tokenKind.blockEnd, true);
      kind = this.#scanner.peek();
    }
    if (kind !== tokenKind.blockEnd) throw this.#failure("did not find expected '-' indicator");
    this.#scanner.next();
    return list;
  }

  /** A list whose dashes stand below the key that it belongs to: nothing ends it but the lack of a further dash. */
  #indentlessSequence(): YamlList<Leaf> {
    const list: YamlList<Leaf> = [];
    let kind = this.#scanner.peek();
    while (kind === tokenKind.blockEntry) {
      kind = this.#skip();
      this.#item(list, kind, kind !== tokenKind.blockEntry && !endsBlockEntry(kind), true);
      kind = this.#scanner.peek();
    }
    return list;
  }

  #flowMapping(): YamlMap<Leaf> {
    const map: YamlMap<Leaf> = {};
    for (let kind = this.#firstInFlow(tokenKind.flowMappingEnd); kind !== undefined; ) {
      const { position } = this.#scanner.tokens;
      if (kind === tokenKind.key) {
        kind = this.#skip();
        const isEmpty = kind === tokenKind.value || kind === tokenKind.flowEntry || kind === tokenKind.flowMappingEnd;
        this.#flowValue(map, isEmpty ? this.#empty() : this.#key(kind, false), position, tokenKind.flowMappingEnd);
      } else {
        const key = this.#key(kind, false);
        kind = this.#scanner.peek();
        this.#value(map, key, kind, false, false, position, this.#scanner.tokens.line);
      }
      kind = this.#nextInFlow(tokenKind.flowMappingEnd, "did not find expected ',' or '}'");
    }
    return map;
  }

  #flowSequence(): YamlList<Leaf> {
    const list: YamlList<Leaf> = [];
    for (let kind = this.#firstInFlow(tokenKind.flowSequenceEnd); kind !== undefined; ) {
      if (kind === tokenKind.key) {
        this.#positions?.record(list, list.length, this.#scanner.tokens.position);
        list.push(this.#singlePair());
      } else {
        this.#item(list, kind, true, false);
      }
      kind = this.#nextInFlow(tokenKind.flowSequenceEnd, "did not find expected ',' or ']'");
    }
    return list;
  }

  /** The first token of what stands in brackets; `undefined` if nothing does. */
  #firstInFlow(end: TokenKind): TokenKind | undefined {
    const kind = this.#skip();
    if (kind !== end) return kind;
    this.#scanner.next();
    return undefined;
  }

  /** The first token of the next entry; `undefined` behind the closing bracket, before which a comma may stand. */
  #nextInFlow(end: TokenKind, problem: string): TokenKind | undefined {
    let kind = this.#scanner.peek();
    if (kind !== end && kind !== tokenKind.flowEntry) throw this.#failure(problem);
    if (kind === tokenKind.flowEntry) kind = this.#skip();
    if (kind !== end) return kind;
    this.#scanner.next();
    return undefined;
  }

  /** `[key: value]` is a list of a map. */
  #singlePair(): YamlMap<Leaf> {
    const map: YamlMap<Leaf> = {};
    this.#builder.collection();
    this.#depth += 1;
    this.#reach(this.#depth);
    const { position } = this.#scanner.tokens;
    const kind = this.#skip();
    if (kind === tokenKind.value || kind === tokenKind.flowEntry || kind === tokenKind.flowSequenceEnd) {
      // libyaml swallows this token, whatever it is.
      this.#scanner.next();
      this.#flowValue(map, this.#empty(), position, tokenKind.flowSequenceEnd);
    } else {
      this.#flowValue(map, this.#key(kind, false), position, tokenKind.flowSequenceEnd);
    }
    this.#depth -= 1;
    return map;
  }

  #flowValue(map: YamlMap<Leaf>, key: Key<Leaf>, position: number, end: TokenKind): void {
    const hasColon = this.#scanner.peek() === tokenKind.value;
    if (hasColon) this.#scanner.next();
    const kind = this.#scanner.peek();
    const hasContent = hasColon && kind !== tokenKind.flowEntry && kind !== end;
    this.#value(map, key, kind, hasContent, false, position, this.#scanner.tokens.line);
  }

  #item(list: YamlList<Leaf>, kind: TokenKind, hasContent: boolean, isBlock: boolean): void {
    this.#positions?.record(list, list.length, this.#scanner.tokens.position);
    list.push(hasContent ? this.#node(kind, isBlock, false) : this.#empty());
  }

  #value(
    map: YamlMap<Leaf>,
    key: Key<Leaf>,
    kind: TokenKind,
    hasContent: boolean,
    isBlock: boolean,
    position: number,
    line: number,
  ): void {
    const { problems } = this.#builder;
    const value = hasContent ? this.#node(kind, isBlock, isBlock) : this.#empty();
    if (key !== merge) this.#builder.put(map, key, value, position, line);
    else this.#builder.merge(map, value, hasContent && kind === tokenKind.alias, line, problems);
  }

  #key(first: TokenKind, isBlock: boolean): Key<Leaf> {
    if (first === tokenKind.plain || first === tokenKind.quoted) return this.#scalarKey(first, undefined);
    if (first !== tokenKind.anchor && first !== tokenKind.tag)
      return this.#checkedKey(this.#node(first, isBlock, isBlock));
    const { anchor, tag } = this.#properties(first);
    const kind = this.#scanner.peek();
    const isPlain = kind === tokenKind.plain;
    const isScalar = isPlain || kind === tokenKind.quoted;
    if (isScalar && anchor === undefined) return this.#scalarKey(kind, tag);
    const isMerge = isScalar && this.#builder.isMergeKey(this.#scanner.tokens.text, isPlain, tag);
    // An alias for a key stands for its value, not for the text that it becomes as a key.
    const key = this.#anchored(anchor, () => this.#content(tag, isBlock, isBlock));
    return isMerge ? merge : this.#checkedKey(key);
  }

  #scalarKey(kind: TokenKind, tag: string | undefined): Key<Leaf> {
    const { text } = this.#scanner.tokens;
    this.#scanner.next();
    return this.#builder.key(text, kind === tokenKind.plain, tag);
  }

  #checkedKey(key: YamlValue<Leaf>): YamlValue<Leaf> {
    this.#builder.checkKey(key);
    return key;
  }
}

function endsBlockEntry(kind: TokenKind): boolean {
  return kind === tokenKind.key || kind === tokenKind.value || kind === tokenKind.blockEnd;
}

function opensCollection(kind: TokenKind, isBlock: boolean, mayBeIndentless: boolean): boolean {
  if (kind === tokenKind.flowMapping || kind === tokenKind.flowSequence) return true;
  if (kind === tokenKind.blockMapping || kind === tokenKind.blockSequence) return isBlock;
  return kind === tokenKind.blockEntry && mayBeIndentless;
}
