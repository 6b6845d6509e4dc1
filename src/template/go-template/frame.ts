import { type Budget, byteLength, type CallContext, type GoValue, quote } from "#golang";
import type { ActionObserver } from "./action-observer.ts";
import { type ActionNode, type Node, nodeText, type Tree } from "./syntax-tree.ts";
import { OutputBuffer } from "./output-buffer.ts";
import type { TaintTracker } from "./secret-marks.ts";
import { isExhaustion, TemplateError } from "./template-error.ts";

/** What a map that lacks a key gives; `empty` is not one of Go's: it never prints `<no value>`. */
export type MissingKey = "default" | "zero" | "error" | "empty";

/** A template ready to run. */
export interface CompiledTemplate<Body> {
  readonly tree: Tree;
  readonly body: Body;
}

/** Finds the templates that a template calls. */
export interface TemplateSource {
  find(name: string): CompiledTemplate<Walk> | undefined;
}

const noObservers: readonly ActionObserver[] = [];

/** One rendering, shared by all templates that take part. */
export class Run {
  readonly #output = new OutputBuffer();
  readonly source: TemplateSource;
  readonly context: CallContext;
  readonly budget: Budget;
  readonly secrets: TaintTracker | undefined;
  readonly #observers: readonly ActionObserver[];
  /** A field, because every action asks. */
  readonly isObserved: boolean;

  constructor(source: TemplateSource, context: CallContext, secrets?: TaintTracker, observers = noObservers) {
    this.#observers = observers;
    this.isObserved = observers.length > 0;
    this.source = source;
    this.context = context;
    this.budget = context.budget;
    this.secrets = secrets;
  }

  /** Text of a template. */
  write(text: string, bytes: number): void {
    this.budget.write(bytes);
    this.#output.write(text);
    if (this.isObserved) for (const observer of this.#observers) observer.onText?.(text);
  }

  /** What an action prints. */
  insert(text: string, bytes: number): void {
    this.budget.write(bytes);
    this.#output.write(text);
  }

  /** An action was run; `operands` computes what it read. */
  observe(
    node: ActionNode,
    { tree, isCalled }: Frame,
    printed: string,
    operands: (() => readonly GoValue[]) | undefined,
  ): void {
    const action = { node, tree, isCalled, printed, operands, budget: this.budget };
    for (const observer of this.#observers) observer.onAction(action);
  }

  /** What has been written. */
  get output(): string {
    return this.#output.text;
  }
}

/** One template being executed. */
export class Frame {
  readonly run: Run;
  readonly tree: Tree;
  /** Variables, by the number that the compiler gave them; `$` is the first. */
  readonly slots: GoValue[];
  /** The node that was evaluated last, for messages, as in Go. */
  node: Node | undefined = undefined;
  /** Dot came out of a container of interfaces: messages show that, and `slice` behaves differently. */
  isDotWrapped = false;

  /** Another template called it. */
  readonly isCalled: boolean;

  constructor(run: Run, tree: Tree, dot: GoValue, isCalled = false) {
    this.isCalled = isCalled;
    this.run = run;
    this.tree = tree;
    this.slots = [dot];
  }
}

/** Computes a value. `undefined` is Go's invalid value, `null` its nil interface. */
export type Evaluate = (frame: Frame, dot: GoValue) => GoValue;

/** How a statement ended: a `break` or `continue` is on its way to its loop. */
export type StatementResult = 0 | 1 | 2;
export const ran: StatementResult = 0;
export const broke: StatementResult = 1;
export const continued: StatementResult = 2;

/** Executes statements. */
export type Walk = (frame: Frame, dot: GoValue) => StatementResult;

/**
 * The error to throw on: an exceeded limit becomes an error of the template. The end of JavaScript's stack does not yet, because
 * no stack is left to explain it there.
 */
export function explained(frame: Frame, error: unknown): unknown {
  return error instanceof Error && error.name === "LimitError" ? templateError(frame, error.message, error) : error;
}

/** The same for the outermost template, which can report the end of the stack, too. */
export function explainedAtLast(frame: Frame, error: unknown): unknown {
  if (!isExhaustion(error)) return explained(frame, error);
  const problem = /length/.test(error.message) ? "makes a text or list that is too long" : "is nested too deeply";
  return templateError(frame, problem, error);
}

/** Ends the execution with an error at the node that was evaluated last. */
export function fail(frame: Frame, problem: string, cause?: unknown): never {
  throw templateError(frame, problem, cause);
}

function templateError(frame: Frame, problem: string, cause: unknown): TemplateError {
  const { tree, node } = frame;
  const details = { phase: "execute", templateName: tree.name, cause } as const;
  if (!node) return new TemplateError(`template: ${tree.name}: ${problem}`, details);
  const before = tree.text.slice(0, node.position);
  const lines = before.split("\n");
  const line = lines.length;
  const column = byteLength(lines.at(-1) ?? "");
  const place = `${tree.parseName}:${line}:${column}`;
  const text = `template: ${place}: executing ${quote(tree.name)} at <${shownNode(node)}>: ${problem}`;
  return new TemplateError(text, { ...details, line, column });
}

function shownNode(node: Node): string {
  try {
    return nodeText(node);
  } catch (error) {
    if (isExhaustion(error)) return "…";
    throw error;
  }
}
