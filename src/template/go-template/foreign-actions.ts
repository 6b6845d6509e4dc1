import type { ActionNode, BranchNode, Expression, PipeNode, Statement, Tree } from "./syntax-tree.ts";

/** Whether what is found along these names from the root of the data, all of it, was given by whoever wrote the template. */
export type IsOwn = (path: readonly string[]) => boolean;

/** What dot means at a place: the root of the data, or something that is or is not the author's own. */
type Dot = "root" | "own" | "foreign";

/**
 * The actions of a template that may print what is not its author's own. Whatever a function makes of a value is whose the value
 * was. Without `isOwn` all data counts as foreign, and every variable: constants are what is left.
 */
export function foreignActions(tree: Tree, isOwn?: IsOwn): ReadonlySet<ActionNode> {
  // A variable may be made of one that is given something foreign further down, in a loop.
  for (let known: ReadonlySet<string> = new Set(); ; ) {
    const reader = new ActionReader(isOwn, known);
    reader.list(tree.root, "root");
    if (reader.assigned.size === known.size) return reader.actions;
    known = reader.assigned;
  }
}

class ActionReader {
  readonly actions = new Set<ActionNode>();
  /** Variables that are given something foreign anywhere in the template, as far as is known. */
  readonly assigned: Set<string>;
  readonly #isOwn: IsOwn | undefined;

  constructor(isOwn: IsOwn | undefined, assigned: ReadonlySet<string>) {
    this.#isOwn = isOwn;
    this.assigned = new Set(assigned);
  }

  list(nodes: readonly Statement[], dot: Dot): void {
    for (const node of nodes) {
      if (node.kind === "action") {
        if (this.#pipe(node.pipe, dot)) this.actions.add(node);
      } else if (node.kind === "if" || node.kind === "with" || node.kind === "range") this.#branch(node, dot);
      else if (node.kind === "template" && node.pipe) this.#pipe(node.pipe, dot);
    }
  }

  #branch(node: BranchNode, dot: Dot): void {
    const isForeign = this.#pipe(node.pipe, dot);
    const inner = node.kind === "with" && isRoot(node.pipe) ? "root" : isForeign ? "foreign" : "own";
    this.list(node.body, node.kind === "if" ? dot : inner);
    if (node.otherwise) this.list(node.otherwise, dot);
  }

  #pipe({ commands, variables }: PipeNode, dot: Dot): boolean {
    let isForeign = false;
    // Each of them, because a word may declare a variable.
    for (const { words } of commands) for (const word of words) isForeign = this.#isForeign(word, dot) || isForeign;
    if (isForeign) for (const { name } of variables) this.assigned.add(name);
    return isForeign;
  }

  #isForeign(node: Expression, dot: Dot): boolean {
    if (node.kind === "dot") return this.#isForeignAt([], dot);
    if (node.kind === "field") return this.#isForeignAt(node.names, dot);
    if (node.kind === "chain") return this.#isForeign(node.operand, dot);
    if (node.kind === "pipe") return this.#pipe(node, dot);
    if (node.kind !== "variable") return false;
    // Where maps are changed, one that began as the author's may hold anything.
    if (this.#isOwn === undefined || this.assigned.has(node.name)) return true;
    return node.name === "$" && this.#isForeignAt(node.fields, "root");
  }

  #isForeignAt(path: readonly string[], dot: Dot): boolean {
    if (this.#isOwn === undefined || dot === "foreign") return true;
    return dot === "root" && !this.#isOwn(path);
  }
}

function isRoot({ commands, variables }: PipeNode): boolean {
  const [word, ...more] = commands.flatMap(({ words }) => words);
  const isAlone = more.length === 0 && variables.length === 0;
  return isAlone && word?.kind === "variable" && word.name === "$" && word.fields.length === 0;
}
