import type { GoValue } from "#golang";
import type { ActionObserver, ActionRun } from "./action-observer.ts";
import { type ActionNode, type Expression, nodeText, operandsOf, partsOf } from "./syntax-tree.ts";
import { isExhaustion, TemplateError } from "./template-error.ts";

/** A field that an action printed although it has no value. */
export interface MissingRead {
  /** The name of the template. */
  readonly template: string;
  readonly line: number;
  /** Such as `.vars.image`. */
  readonly expression: string;
}

/** An author who uses one of these provides for a value that is not there. */
const guards = new Set(
  "default coalesce ternary empty hasKey dig get and or not eq ne has compact kindIs kindOf typeIs typeOf".split(" "),
);

const [mostFound, mostLooks, longestExpression] = [20, 100, 100];

interface ActionLooks {
  readonly operands: readonly (Expression | undefined)[];
  left: number;
}

/**
 * Finds fields without a value in what a rendering prints: a misspelt name becomes an empty text without any error. Conditions
 * are not examined, and neither are actions that call one of `guards`. In a loop, the first rounds are.
 */
export class MissingReads implements ActionObserver {
  readonly #found = new Map<Expression, MissingRead>();
  readonly #looks = new Map<ActionNode, ActionLooks>();

  get found(): readonly MissingRead[] {
    return [...this.#found.values()];
  }

  onAction({ node, tree, operands }: ActionRun): void {
    if (operands === undefined || this.#found.size >= mostFound) return;
    const looks = this.#looks.get(node) ?? { operands: examined(node), left: mostLooks };
    this.#looks.set(node, looks);
    if (looks.left === 0 || looks.operands.every((operand) => operand === undefined)) return;
    looks.left -= 1;
    for (const [index, value] of valuesOr(operands).entries()) {
      const operand = looks.operands[index];
      if (operand === undefined || (value !== undefined && value !== null) || this.#found.has(operand)) continue;
      const line = tree.text.slice(0, operand.position).split("\n").length;
      this.#found.set(operand, { template: tree.name, line, expression: shortText(operand) });
    }
  }
}

/** In the order of the operands; undefined for one that is not examined. */
function examined({ pipe }: ActionNode): (Expression | undefined)[] {
  const isGuarded = partsOf(pipe).functions.some((name) => guards.has(name));
  return operandsOf(pipe).map((operand) => {
    const isRead = operand.kind === "field" || (operand.kind === "variable" && operand.fields.length > 0);
    return isRead && !isGuarded ? operand : undefined;
  });
}

/** The operands are computed once more, which may fail for one that the action did not need. */
function valuesOr(values: () => readonly GoValue[]): readonly GoValue[] {
  try {
    return values();
  } catch (error) {
    if (!(error instanceof TemplateError) || isExhaustion(error)) throw error;
    return [];
  }
}

function shortText(operand: Expression): string {
  return nodeText(operand).slice(0, longestExpression);
}
