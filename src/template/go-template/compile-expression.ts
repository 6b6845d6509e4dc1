import { type Budget, type FunctionSet, isTrue, type ParameterType } from "#golang";
import { converter } from "./argument-types.ts";
import { builtins, callBuiltin } from "./builtins.ts";
import { type Argument, type CallSite, compileCall, type RunCommand } from "./call.ts";
import { compileFields, type ReadFields } from "./compile-fields.ts";
import { constantArgument, constantCommand, type ConstantNode, constantValue, isConstant } from "./constant.ts";
import { type Evaluate, fail, type Frame, type MissingKey } from "./frame.ts";
import { watchIndex, wrappedBound } from "./index-value.ts";
import {
  type ChainNode,
  type CommandNode,
  type DotNode,
  type Expression,
  type FieldNode,
  type IdentifierNode,
  nodeText,
  type PipeNode,
  type VariableNode,
  withoutParentheses,
} from "./syntax-tree.ts";
import { isWrappedIn, Scope, type Slot, slotAtRunTime, type Store, storeIn, undeclared } from "./scope.ts";

export interface CompileOptions {
  readonly functions: FunctionSet;
  readonly missingKey: MissingKey;
  /** Actions can report what they read; see `ActionObserver`. */
  readonly reportsOperands?: boolean | undefined;
}

/** The arguments that a command gives its first word. */
interface Arguments {
  readonly words: readonly Expression[];
  /** The command before it in the pipeline gives one more argument. */
  readonly hasFinal: boolean;
  /** See `FieldChain`. */
  readonly reportsWrapped?: boolean;
}

const noArguments: Arguments = { words: [], hasFinal: false };

/** Compiles the expressions of one template to closures. */
export class ExpressionCompiler {
  readonly scope: Scope;
  protected readonly options: CompileOptions;
  protected readonly budget: Budget;
  /** The words and names compiled so far. */
  #words = 0;

  /** Each node is a step of the budget. */
  constructor(options: CompileOptions, budget: Budget, scope = new Scope(budget)) {
    this.options = options;
    this.budget = budget;
    this.scope = scope;
  }

  /** A pipeline's value. A nil interface becomes no value, because Go unwraps interfaces at the end of every command. */
  pipeline(outer: PipeNode): Evaluate {
    const pipe = withoutParentheses(outer);
    const commands = pipe.commands.map((command, index) => this.#command(command, index > 0));
    const evaluate = inSequence(pipe, commands);
    if (pipe.variables.length === 0) return evaluate;
    const stores = pipe.variables.map(({ name }) =>
      pipe.assigns ? this.assignment(name) : storeIn(this.scope.declare(name)),
    );
    return (frame, dot) => {
      const value = evaluate(frame, dot);
      for (let index = 0; index < stores.length; index += 1) stores[index]!(frame, value, false);
      return value;
    };
  }

  /** A pipeline, and the steps of running it once: expressions have no loops, and functions count their own work. */
  protected weighedPipeline(pipe: PipeNode): { readonly evaluate: Evaluate; readonly steps: number } {
    const before = this.#words;
    const evaluate = this.pipeline(pipe);
    return { evaluate, steps: 1 + ((this.#words - before) >> 2) };
  }

  /** Assigns to a declared variable. */
  assignment(name: string): Store {
    const slots = this.scope.find(name);
    const [newest] = slots;
    if (newest && !newest.isConditional) return storeIn(newest);
    return (frame, value, isWrapped) => storeIn(slotAtRunTime(frame, slots, name))(frame, value, isWrapped);
  }

  #command(command: CommandNode, hasFinal: boolean): RunCommand {
    this.budget.step(command.words.length);
    this.#words += command.words.length;
    const [word, ...words] = command.words;
    const given = { words, hasFinal };
    const refuse = words.length > 0 || hasFinal ? refuseArguments(word) : undefined;
    if (word.kind === "field") return this.#field(word, given);
    if (word.kind === "chain") return this.#chain(word, given);
    if (word.kind === "identifier") return this.#function(word, command, given);
    if (word.kind === "variable")
      return word.fields.length > 0 ? this.#variableField(word, given) : this.#variable(word, refuse);
    if (word.kind === "pipe") return refuse ?? this.pipeline(word);
    if (refuse) return at(word, refuse);
    return word.kind === "dot" ? at(word, (_, dot) => dot) : constantCommand(word);
  }

  #field(node: FieldNode, given: Arguments): RunCommand {
    const read = this.#fields(node, node.names, given);
    return (frame, dot, final) => {
      frame.node = node;
      return read(frame, dot, final, dot, frame.isDotWrapped);
    };
  }

  #chain(node: ChainNode, given: Arguments): RunCommand {
    const operand = this.#argument(node.operand);
    const read = this.#fields(node, node.fields, given);
    return (frame, dot, final) => {
      frame.node = node;
      return read(frame, dot, final, operand(frame, dot), false);
    };
  }

  #variableField(node: VariableNode, given: Arguments): RunCommand {
    const slotOf = this.#slotOf(node.name);
    const read = this.#fields(node, node.fields, given);
    return (frame, dot, final) => {
      frame.node = node;
      const slot = slotOf(frame);
      return read(frame, dot, final, frame.slots[slot.index], isWrappedIn(frame, slot));
    };
  }

  #variable(node: VariableNode, refuse: RunCommand | undefined, reportsWrapped = false): RunCommand {
    const [newest] = this.scope.find(node.name);
    if (newest && !newest.isConditional && !refuse && !reportsWrapped)
      return (frame) => {
        frame.node = node;
        return frame.slots[newest.index];
      };
    const slotOf = this.#slotOf(node.name);
    return at(node, (frame, dot, final) => {
      const slot = slotOf(frame);
      if (refuse) return refuse(frame, dot, final);
      return reportsWrapped && isWrappedIn(frame, slot) ? wrappedBound : frame.slots[slot.index];
    });
  }

  #slotOf(name: string): (frame: Frame) => Slot {
    const slots = this.scope.find(name);
    const [newest] = slots;
    return newest && !newest.isConditional ? () => newest : (frame) => slotAtRunTime(frame, slots, name);
  }

  #fields(node: FieldNode | ChainNode | VariableNode, names: readonly string[], given: Arguments): ReadFields {
    this.#words += names.length;
    const { reportsWrapped = false } = given;
    const site = { node, ...given, argument: this.#arguments(given.words) };
    return compileFields({ names, missingKey: this.options.missingKey, site, reportsWrapped });
  }

  #function(node: IdentifierNode, command: CommandNode | IdentifierNode, given: Arguments): RunCommand {
    const { name } = node;
    const own = this.options.functions.get(name);
    if (!own && (name === "and" || name === "or")) return this.#shortCircuit(node, given);
    const implementation = own ?? builtins(this.options.missingKey).get(name);
    if (!implementation) return at(node, (frame) => fail(frame, `"${name}" is not a defined function`));
    const argument = this.#arguments(given.words, !own && name === "slice");
    const site: CallSite = { name, node: command, ...given, argument };
    const run = compileCall(implementation, !own && name === "index" ? { ...site, watch: watchIndex } : site);
    const called = !own && name === "call" ? callBuiltin(given.words[0]) : implementation;
    return (frame, dot, final) => {
      frame.node = node;
      return run(frame, dot, final, called);
    };
  }

  /** `and` and `or` evaluate no more than they need, and give the value that decided. */
  #shortCircuit(node: IdentifierNode, { words, hasFinal }: Arguments): RunCommand {
    const { name } = node;
    const stopsAt = name === "or";
    const [first, ...others] = words;
    const evaluateFirst = first && this.#argument(first);
    const { result: rest, slots } = this.scope.conditionally(() => others.map((word) => this.#argument(word)));
    if (!evaluateFirst) {
      const problem = `wrong number of args for ${name}: want at least 1 got 0`;
      return at(node, (frame, _, final) => (hasFinal ? final : fail(frame, problem)));
    }
    return (frame, dot, final) => {
      frame.node = node;
      for (let index = 0; index < slots.length; index += 1) frame.slots[slots[index]!.index] = undeclared;
      let value = evaluateFirst(frame, dot);
      if (isTrue(value) === stopsAt) return value;
      for (let index = 0; index < rest.length; index += 1) {
        value = rest[index]!(frame, dot);
        if (isTrue(value) === stopsAt) return value;
      }
      return hasFinal ? final : value;
    };
  }

  #argument(word: Expression): Evaluate {
    return isConstant(word) ? constantValue(word) : this.#argumentValue(word, false);
  }

  /** Compiles arguments in the current scope, as far as that is possible without their types. */
  #arguments(words: readonly Expression[], reportsWrapped = false): CallSite["argument"] {
    const compiled = words.map((word, index) => {
      if (isConstant(word)) return (type: ParameterType): Argument => constantArgument(word, type);
      const value = this.#argumentValue(word, reportsWrapped && index > 0);
      return (type: ParameterType): Argument => converted(value, type);
    });
    return (index, type) => compiled[index]?.(type) ?? (() => undefined);
  }

  #argumentValue(word: Exclude<Expression, ConstantNode>, reportsWrapped: boolean): Evaluate {
    const given = reportsWrapped ? { ...noArguments, reportsWrapped } : noArguments;
    if (word.kind === "field") return withoutFinal(this.#field(word, given));
    if (word.kind === "variable" && word.fields.length > 0) return withoutFinal(this.#variableField(word, given));
    if (word.kind === "variable") return withoutFinal(this.#variable(word, undefined, reportsWrapped));
    if (word.kind === "chain") return withoutFinal(this.#chain(word, given));
    if (word.kind === "identifier") return withoutFinal(this.#function(word, word, given));
    return word.kind === "pipe" ? this.pipeline(word) : dotArgument(word, reportsWrapped);
  }
}

function converted(value: Evaluate, type: ParameterType): Argument {
  if (type === "reflect") return value;
  const convert = converter(type);
  return (frame, dot) => convert(frame, value(frame, dot));
}

function inSequence(pipe: PipeNode, [first, ...others]: readonly RunCommand[]): Evaluate {
  if (!first) return () => undefined;
  if (others.length === 0)
    return (frame, dot) => {
      frame.node = pipe;
      return first(frame, dot, undefined) ?? undefined;
    };
  return (frame, dot) => {
    frame.node = pipe;
    let value = first(frame, dot, undefined) ?? undefined;
    for (let index = 0; index < others.length; index += 1) value = others[index]!(frame, dot, value) ?? undefined;
    return value;
  };
}

function at(node: Expression, run: RunCommand): RunCommand {
  return (frame, dot, final) => {
    frame.node = node;
    return run(frame, dot, final);
  };
}

function withoutFinal(run: RunCommand): Evaluate {
  return (frame, dot) => run(frame, dot, undefined);
}

function dotArgument(node: DotNode, reportsWrapped: boolean): Evaluate {
  return (frame, dot) => {
    frame.node = node;
    return reportsWrapped && frame.isDotWrapped ? wrappedBound : dot;
  };
}

/** A command that is not a function fails if it gets arguments. */
function refuseArguments(word: Expression): RunCommand {
  return (frame) => fail(frame, `can't give argument to non-function ${nodeText(word)}`);
}
