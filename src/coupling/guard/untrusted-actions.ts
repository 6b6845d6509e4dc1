import type { Budget } from "#golang";
import type { ActionNode, BranchNode, Expression, PipeNode, Statement, Tree } from "#template";

/** Whether the template's author gave all the data found along these names from the root. */
export type IsAuthorData = (path: readonly string[]) => boolean;

/** What dot is at a statement: the root of the data, or a value that is or is not the author's. */
type Dot = "root" | "author" | "untrusted";

/**
 * The actions of a template that may print data of another author. A function's result is untrusted if one of its arguments
 * is. Without `isAuthorData` all data and every variable count as untrusted, and only constants are the author's.
 */
export function untrustedActions(tree: Tree, budget: Budget, isAuthorData?: IsAuthorData): ReadonlySet<ActionNode> {
  // In a loop, a variable may be set from one that becomes untrusted only further down: repeat until nothing is added.
  for (let known: ReadonlySet<string> = new Set(); ; ) {
    const classifier = new ActionClassifier(isAuthorData, known, budget);
    classifier.list(tree.root, "root");
    if (classifier.untrustedVariables.size === known.size) return classifier.actions;
    known = classifier.untrustedVariables;
  }
}

class ActionClassifier {
  readonly actions = new Set<ActionNode>();
  /** Variables that are set to untrusted data anywhere in the template, as far as is known. */
  readonly untrustedVariables: Set<string>;
  readonly #isAuthorData: IsAuthorData | undefined;

  readonly #budget: Budget;

  constructor(isAuthorData: IsAuthorData | undefined, untrustedVariables: ReadonlySet<string>, budget: Budget) {
    this.#budget = budget;
    this.#isAuthorData = isAuthorData;
    this.untrustedVariables = new Set(untrustedVariables);
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
    const isUntrusted = this.#pipe(node.pipe, dot);
    const inner = node.kind === "with" && isRoot(node.pipe) ? "root" : isUntrusted ? "untrusted" : "author";
    this.list(node.body, node.kind === "if" ? dot : inner);
    if (node.otherwise) this.list(node.otherwise, dot);
  }

  #pipe({ commands, variables }: PipeNode, dot: Dot): boolean {
    let isUntrusted = false;
    // Visits every word, because a word may declare a variable.
    for (const { words } of commands) {
      this.#budget.step(words.length);
      for (const word of words) isUntrusted = this.#isUntrusted(word, dot) || isUntrusted;
    }
    if (isUntrusted) for (const { name } of variables) this.untrustedVariables.add(name);
    return isUntrusted;
  }

  #isUntrusted(node: Expression, dot: Dot): boolean {
    if (node.kind === "dot") return this.#isUntrustedAt([], dot);
    if (node.kind === "field") return this.#isUntrustedAt(node.names, dot);
    if (node.kind === "chain") return this.#isUntrusted(node.operand, dot);
    if (node.kind === "pipe") return this.#pipe(node, dot);
    if (node.kind !== "variable") return false;
    // Where functions change maps, a map that began as the author's may hold anything.
    if (this.#isAuthorData === undefined || this.untrustedVariables.has(node.name)) return true;
    return node.name === "$" && this.#isUntrustedAt(node.fields, "root");
  }

  #isUntrustedAt(path: readonly string[], dot: Dot): boolean {
    if (this.#isAuthorData === undefined || dot === "untrusted") return true;
    return dot === "root" && !this.#isAuthorData(path);
  }
}

function isRoot({ commands, variables }: PipeNode): boolean {
  const [word, ...more] = commands.flatMap(({ words }) => words);
  const isAlone = more.length === 0 && variables.length === 0;
  return isAlone && word?.kind === "variable" && word.name === "$" && word.fields.length === 0;
}
