import type { GoValue } from "#golang";
import type { CompileOptions } from "./compile-expression.ts";
import { compileTree, compileValue } from "./compile-tree.ts";
import { type CompiledTemplate, Frame, explained, explainedAtLast, type Run, type Walk } from "./frame.ts";
import type { Tree } from "./node.ts";
import { isExhaustion, TemplateError } from "./template-error.ts";

/** One template of a set, compiled when it is first needed. Sets that were cloned share it. */
export class TemplateEntry {
  readonly tree: Tree;
  readonly #options: CompileOptions;
  #compiled: CompiledTemplate<Walk> | undefined;
  #value: ReturnType<typeof compileValue> | "none";

  constructor(tree: Tree, options: CompileOptions) {
    this.tree = tree;
    this.#options = options;
  }

  get compiled(): CompiledTemplate<Walk> {
    this.#compiled ??= this.#compile(() => compileTree(this.tree, this.#options));
    return this.#compiled;
  }

  /** If it is exactly one action, that. */
  get value(): ReturnType<typeof compileValue> {
    this.#value ??= this.#compile(() => compileValue(this.tree, this.#options)) ?? "none";
    return this.#value === "none" ? undefined : this.#value;
  }

  #compile<Result>(compile: () => Result): Result {
    try {
      return compile();
    } catch (error) {
      if (!isExhaustion(error)) throw error;
      const { name } = this.tree;
      const text = `template: ${name}: nests deeper than can be computed`;
      throw new TemplateError(text, { phase: "execute", templateName: name, cause: error });
    }
  }
}

/** Runs what was compiled, one template deeper than whatever runs already. */
export function runTemplate<Result>(
  { tree, body }: CompiledTemplate<(frame: Frame, dot: GoValue) => Result>,
  data: GoValue,
  run: Run,
): Result {
  const dot = data ?? undefined;
  const frame = new Frame(run, tree, dot);
  const { budget } = run;
  const { depth } = budget;
  try {
    budget.enter();
    return body(frame, dot);
  } catch (error) {
    throw depth === 0 ? explainedAtLast(frame, error) : explained(frame, error);
  } finally {
    budget.returnTo(depth);
  }
}
