import {
  type Budget,
  byteLength,
  elementsOf,
  type GoValue,
  Int,
  int,
  isTrue,
  mapView,
  Named,
  printValue,
  quote,
  Struct,
} from "#golang";
import { type CompileOptions, ExpressionCompiler } from "./compile-expression.ts";
import {
  broke,
  type CompiledTemplate,
  continued,
  type Evaluate,
  explained,
  fail,
  Frame,
  type StatementResult,
  ran,
  type Walk,
} from "./frame.ts";
import { retyped } from "./index-value.ts";
import {
  type ActionNode,
  type BranchNode,
  operandsOf,
  pipeOf,
  type Statement,
  type TemplateNode,
  type TextNode,
  type Tree,
} from "./syntax-tree.ts";
import { elementType } from "./read-field.ts";

/** Compiles a template to closures. */
export function compileTree(tree: Tree, options: CompileOptions, budget: Budget): CompiledTemplate<Walk> {
  const compiler = new StatementCompiler(options, budget);
  compiler.scope.declare("$");
  return { tree, body: compiler.list(tree.root) };
}

/** Compiles a template that is one action without declarations, to be evaluated rather than printed. */
export function compileValue(
  tree: Tree,
  options: CompileOptions,
  budget: Budget,
): CompiledTemplate<Evaluate> | undefined {
  const [only, ...others] = tree.root;
  if (only?.kind !== "action" || others.length > 0 || only.pipe.variables.length > 0) return undefined;
  const compiler = new StatementCompiler(options, budget);
  compiler.scope.declare("$");
  const evaluate = compiler.pipeline(only.pipe);
  const operands = compiler.operands(only);
  if (!operands) return { tree, body: evaluate };
  const body: Evaluate = (frame, dot) => {
    const value = evaluate(frame, dot);
    if (frame.run.isObserved) frame.run.observe(only, frame, "", () => operands.map((read) => read(frame, dot)));
    return value;
  };
  return { tree, body };
}

/** Above this number, a copy of all names for each branch would take more than it saves. */
const fewNames = 32;

class StatementCompiler extends ExpressionCompiler {
  list(nodes: readonly Statement[]): Walk {
    const walks = nodes.map((node) => this.#statement(node));
    const [first, second] = walks;
    if (!first) return () => ran;
    if (!second) return first;
    return (frame, dot) => {
      // An index loop, because iterators are slow in code that the engine has not optimized yet.
      for (let at = 0; at < walks.length; at += 1) {
        const outcome = walks[at]!(frame, dot);
        if (outcome !== ran) return outcome;
      }
      return ran;
    };
  }

  /** Compiled when it first runs: in most charts, most branches never do. */
  #branch(nodes: readonly Statement[]): Walk {
    if (this.scope.size > fewNames) return this.scope.within(() => this.list(nodes));
    const scope = this.scope.copy();
    let walk: Walk | undefined;
    return (frame, dot) => {
      walk ??= new StatementCompiler(this.options, this.budget, scope).list(nodes);
      return walk(frame, dot);
    };
  }

  #statement(node: Statement): Walk {
    this.budget.step();
    if (node.kind === "text") return text(node);
    if (node.kind === "action") return this.#action(node);
    if (node.kind === "template") return this.#template(node);
    if (node.kind === "if" || node.kind === "with") return this.scope.within(() => this.#condition(node));
    if (node.kind === "range") return this.scope.within(() => this.#range(node));
    return node.kind === "break" ? () => broke : () => continued;
  }

  #action(node: ActionNode): Walk {
    const { evaluate, steps } = this.weighedPipeline(node.pipe);
    if (node.pipe.variables.length > 0)
      return (frame, dot) => {
        frame.run.budget.step(steps);
        evaluate(frame, dot);
        return ran;
      };
    const absent = this.options.missingKey === "empty" ? "" : "<no value>";
    const operands = this.operands(node);
    return (frame, dot) => {
      const { run } = frame;
      run.budget.step(steps);
      const value = evaluate(frame, dot);
      const printed = typeof value === "string" ? value : value === undefined ? absent : textOf(frame, node, value);
      run.insert(printed, byteLength(printed));
      if (run.isObserved)
        run.observe(node, frame, printed, operands && (() => operands.map((each) => each(frame, dot))));
      return ran;
    };
  }

  /** In a scope of their own, because the action has already declared what an operand declares. */
  operands(node: ActionNode): readonly Evaluate[] | undefined {
    if (!this.options.reportsOperands) return undefined;
    return this.scope.within(() => operandsOf(node.pipe).map((operand) => this.pipeline(pipeOf(operand))));
  }

  #condition(node: BranchNode): Walk {
    const isWith = node.kind === "with";
    const { evaluate, steps } = this.weighedPipeline(node.pipe);
    const body = this.#branch(node.body);
    const other = node.otherwise && this.#branch(node.otherwise);
    return (frame, dot) => {
      frame.run.budget.step(steps);
      const value = evaluate(frame, dot);
      if (!isTrue(value)) return other ? other(frame, dot) : ran;
      if (!isWith) return body(frame, dot);
      const wasWrapped = frame.isDotWrapped;
      frame.isDotWrapped = false;
      const outcome = body(frame, value);
      frame.isDotWrapped = wasWrapped;
      return outcome;
    };
  }

  #template(node: TemplateNode): Walk {
    const { name } = node;
    const { evaluate, steps } = node.pipe ? this.weighedPipeline(node.pipe) : { evaluate: undefined, steps: 1 };
    return (frame, dot) => {
      const { run } = frame;
      frame.node = node;
      run.budget.step(steps);
      const called = run.source.find(name);
      if (!called) fail(frame, `template ${quote(name)} not defined`);
      run.budget.enter();
      const value = evaluate?.(frame, dot);
      const inner = new Frame(run, called.tree, value, true);
      try {
        called.body(inner, value);
      } catch (error) {
        throw explained(inner, error);
      }
      run.budget.leave();
      return ran;
    };
  }

  #range(node: BranchNode): Walk {
    const { variables } = node.pipe;
    const { evaluate, steps } = this.weighedPipeline(node.pipe);
    const stores = variables.map(({ name }) => this.assignment(name));
    const [first, second] = stores;
    const storeElement = second ?? first;
    const storeIndex = second && first;
    const body = this.#branch(node.body);
    const other = node.otherwise && this.#branch(node.otherwise);
    const iterate = (frame: Frame, index: GoValue, element: GoValue, isWrapped: boolean): StatementResult => {
      frame.run.budget.step();
      storeIndex?.(frame, index, false);
      storeElement?.(frame, element, isWrapped);
      return body(frame, element);
    };
    return (frame, dot) => {
      frame.run.budget.step(steps);
      const value = evaluate(frame, dot);
      const { isDotWrapped } = frame;
      const didRun = eachElement(frame, value, variables.length, iterate);
      frame.isDotWrapped = isDotWrapped;
      if (didRun || !other) return ran;
      // A loop catches every break that comes out of it, even out of its else.
      const outcome = other(frame, dot);
      return outcome === broke ? ran : outcome;
    };
  }
}

type Iterate = (frame: Frame, index: GoValue, element: GoValue, isWrapped: boolean) => StatementResult;

/** Runs the body for every element until it breaks; false if there was none. */
function eachElement(frame: Frame, value: GoValue, variables: number, iterate: Iterate): boolean {
  if (value === undefined) return false;
  frame.run.secrets?.use(value);
  const bare = value instanceof Named ? value.underlying : value;
  if (bare instanceof Int) return eachInteger(frame, value, bare, variables, iterate);
  const elements = elementsOf(bare);
  const isWrapped = elementType(bare) === "interface {}";
  if (elements) {
    for (let at = 0; at < elements.length; at += 1) {
      frame.isDotWrapped = isWrapped;
      if (iterate(frame, int(at), elements[at] ?? null, isWrapped) === broke) break;
    }
    return elements.length > 0;
  }
  const map = mapView(bare);
  if (!map) return fail(frame, `range can't iterate over ${printValue(targetOf(value), frame.run.budget)}`);
  const keys = map.keys();
  // Sorting them takes as long as a few iterations, even if the body ends the loop at once.
  frame.run.budget.step(keys.length >> 4);
  // A body that changes the map does not change which entries are visited.
  const values = keys.map((key) => map.get(key));
  for (const [at, key] of keys.entries()) {
    frame.isDotWrapped = isWrapped;
    if (iterate(frame, key, values[at] ?? null, isWrapped) === broke) break;
  }
  return keys.length > 0;
}

function targetOf(value: GoValue): GoValue {
  return (value instanceof Struct ? value.details.target?.() : undefined) ?? value;
}

function eachInteger(
  frame: Frame,
  value: GoValue,
  { kind, value: end }: Int,
  variables: number,
  iterate: Iterate,
): boolean {
  if (variables > 1) fail(frame, `can't use ${printValue(value)} to iterate over more than one variable`);
  frame.isDotWrapped = false;
  for (let at = 0n; at < end; at += 1n) {
    if (iterate(frame, undefined, retyped(value, new Int(kind, at)), false) === broke) break;
  }
  return end > 0n;
}

function text(node: TextNode): Walk {
  const { text: written } = node;
  const size = byteLength(written);
  return (frame) => {
    frame.run.write(written, size);
    return ran;
  };
}

/** A value as an action prints it: pointers are followed first. */
function textOf(frame: Frame, node: ActionNode, value: GoValue): string {
  frame.node = node;
  frame.run.secrets?.use(value);
  if (value instanceof Struct && value.details.pointerText) return value.details.pointerText();
  const isPointer = value instanceof Struct && value.type.startsWith("*") && !value.details.text;
  return printValue(isPointer ? new Struct(value.type.slice(1), value.details) : value, frame.run.budget);
}
