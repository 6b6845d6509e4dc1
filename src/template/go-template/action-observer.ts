import type { Budget, GoValue } from "#golang";
import type { ActionNode, Tree } from "./syntax-tree.ts";

/** An action that was run, and the template that it belongs to. */
export interface ActionRun {
  readonly node: ActionNode;
  readonly tree: Tree;
  /** Another template called this one. */
  readonly isCalled: boolean;
  /** What it printed; empty if it was evaluated to a value instead. */
  readonly printed: string;
  /** Computes once more what the action read. Fails if it needs an operand that the action skipped. Undefined without `reportsOperands`. */
  readonly operands: (() => readonly GoValue[]) | undefined;
  readonly budget: Budget;
}

/** Follows one rendering. It sees the output, and cannot change it. */
export interface ActionObserver {
  /** The text between two actions was written. */
  onText?(text: string): void;
  /** An action was run that declares no variable. */
  onAction(action: ActionRun): void;
}
