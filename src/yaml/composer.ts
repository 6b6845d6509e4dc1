import { type BuilderOptions, DocumentBuilder } from "./document-builder.ts";
import type { NodeBuilder } from "./node-builder.ts";
import { NodeComposer } from "./node-composer.ts";
import { PyyamlBuilder } from "./pyyaml-builder.ts";
import type { Scalar } from "./resolve-scalar.ts";
import { TagHandles } from "./scan-tag.ts";
import { Scanner } from "./scanner.ts";
import { type TokenKind, tokenKind } from "./token-queue.ts";
import { YamlProblem } from "./yaml-problem.ts";
import type { YamlValue } from "./yaml-value.ts";

/** A document of a text. */
export interface ComposedDocument<Leaf> {
  readonly value: YamlValue<Leaf>;
  /** Where it begins; the line counts from 0. */
  readonly position: number;
  readonly line: number;
}

/** Makes values of a text, document by document. */
export class Composer<Leaf extends Scalar> {
  readonly #scanner: Scanner;
  readonly #options: BuilderOptions<Leaf>;
  #isFirst = true;

  constructor(text: string, options: BuilderOptions<Leaf>) {
    this.#scanner = new Scanner(text, options.library);
    this.#options = options;
  }

  /** How far the text has been looked at. */
  get position(): number {
    return this.#scanner.position;
  }

  /** The next document, or `undefined` at the end of the text. */
  next(): ComposedDocument<Leaf> | undefined {
    const handles = new TagHandles(this.#options.library);
    const isBare = this.#startDocument(handles);
    if (isBare === undefined) return undefined;
    const scanner = this.#scanner;
    const builder: NodeBuilder<Leaf> =
      this.#options.library === "pyyaml" ? new PyyamlBuilder(this.#options) : new DocumentBuilder(this.#options);
    const isEmpty = scanner.peek() <= tokenKind.documentEnd && !isBare;
    const { position, line } = scanner.tokens;
    const nodes = new NodeComposer({ scanner, builder, handles, positions: this.#options.positions });
    const value = isEmpty ? builder.scalar("", true, undefined) : nodes.root();
    if (scanner.peek() === tokenKind.documentEnd) scanner.next();
    builder.finish();
    return { value, position, line };
  }

  /** Whether the document begins without `---`; `undefined` if there is none. */
  #startDocument(handles: TagHandles): boolean | undefined {
    const wasFirst = this.#isFirst;
    this.#isFirst = false;
    const kind = wasFirst ? this.#scanner.peek() : this.#skipDocumentEnds();
    if (kind === tokenKind.streamEnd) return undefined;
    if (wasFirst && !isDirective(kind) && kind !== tokenKind.documentStart) return true;
    this.#directives(handles);
    if (this.#scanner.peek() !== tokenKind.documentStart) throw this.#failure("did not find expected <document start>");
    this.#scanner.next();
    return false;
  }

  #skipDocumentEnds(): TokenKind {
    while (this.#scanner.peek() === tokenKind.documentEnd) this.#scanner.next();
    return this.#scanner.peek();
  }

  #directives(handles: TagHandles): void {
    const { tokens } = this.#scanner;
    for (let kind = this.#scanner.peek(); isDirective(kind); kind = this.#scanner.peek()) {
      const problem =
        kind === tokenKind.versionDirective
          ? handles.declareVersion(tokens.text)
          : handles.declare(tokens.text, tokens.suffix);
      if (problem !== undefined) throw this.#failure(problem);
      this.#scanner.next();
    }
  }

  #failure(problem: string): YamlProblem {
    const { position, line } = this.#scanner.tokens;
    return new YamlProblem(problem, "parser", position, line);
  }
}

function isDirective(kind: TokenKind): boolean {
  return kind === tokenKind.versionDirective || kind === tokenKind.tagDirective;
}
