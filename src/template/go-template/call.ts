import { type ArgumentValue, type GoFunction, type GoValue, type ParameterType, Slice } from "#golang";
import { type ConvertArgument, converter } from "./argument-types.ts";
import { fail, type Frame } from "./frame.ts";
import type { CommandNode, Expression } from "./syntax-tree.ts";
import type { TaintTracker } from "./secret-marks.ts";

/** Computes an argument as the function's implementation receives it. */
export type Argument = (frame: Frame, dot: GoValue) => ArgumentValue;

/** Runs a command; `final` is the value of the command before it in the pipeline, if there is one. */
export type RunCommand = (frame: Frame, dot: GoValue, final: GoValue) => GoValue;

/** Calls a function whose signature was known at compile time. */
export type RunCall = (frame: Frame, dot: GoValue, final: GoValue, implementation: GoFunction) => GoValue;

/** How a function is called: everything but the function. */
export interface CallSite {
  readonly name: string;
  /** What messages show when the function fails. */
  readonly node: CommandNode | Expression;
  readonly words: readonly Expression[];
  /** The value of the command before it is one more argument, the last. */
  readonly hasFinal: boolean;
  /** How the call uses secrets in its arguments; by default it uses them as a whole. */
  readonly watch?: (secrets: TaintTracker, args: readonly ArgumentValue[]) => void;
  /** The argument at a place, for a parameter of that type. May be called at run time. */
  readonly argument: (index: number, type: ParameterType) => Argument;
}

type Signature = Pick<GoFunction, "parameters" | "variadic">;

/** Compiles a call, and checks counts and types of arguments as far as they are known. */
export function compileCall(signature: Signature, site: CallSite): RunCall {
  const { name, words, hasFinal, node, watch = watchAll } = site;
  const { parameters, variadic } = signature;
  const given = words.length + (hasFinal ? 1 : 0);
  const expected = parameters.length;
  if (variadic && given < expected - 1) {
    const problem = `wrong number of args for ${name}: want at least ${expected - 1} got ${words.length}`;
    return (frame) => fail(frame, problem);
  }
  if (!variadic && given !== expected) {
    const problem = `wrong number of args for ${name}: want ${expected} got ${given}`;
    return (frame) => fail(frame, problem);
  }
  const typeAt = (index: number): ParameterType => parameters[Math.min(index, expected - 1)] ?? "any";
  const compiled = words.map((_, index) => site.argument(index, typeAt(index)));
  const convertFinal = hasFinal ? converter(typeAt(words.length)) : undefined;
  const evaluate = argumentList(compiled, convertFinal);
  return (frame, dot, final, implementation) => {
    const args = evaluate(frame, dot, final);
    const { run } = frame;
    run.budget.call(effortOf(args));
    if (run.secrets !== undefined) watch(run.secrets, args);
    return call(frame, implementation, args, name, node);
  };
}

/** Functions take time for every character and every element of their arguments. */
function effortOf(args: readonly unknown[]): number {
  let characters = 64;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    if (typeof arg === "string") characters += arg.length;
    else if (typeof arg !== "object") continue;
    else if (Array.isArray(arg)) characters += arg.length;
    else if (arg instanceof Slice) characters += arg.items.length;
  }
  return characters >> 6;
}

/** A call of a method, which is known only at run time: its call is compiled when a signature is first seen. */
export function compileMethodCall(site: CallSite): RunCall {
  let compiled: Map<string, RunCall> | undefined;
  return (frame, dot, final, method) => {
    compiled ??= new Map();
    const signature = `${method.parameters.join()}${method.variadic ? "..." : ""}`;
    const run = compiled.get(signature) ?? compileCall(method, site);
    compiled.set(signature, run);
    return run(frame, dot, final, method);
  };
}

function watchAll(secrets: TaintTracker, args: readonly ArgumentValue[]): void {
  for (const arg of args) if (typeof arg !== "bigint") secrets.use(arg);
}

type ArgumentList = (frame: Frame, dot: GoValue, final: GoValue) => ArgumentValue[];

function argumentList(compiled: readonly Argument[], convertFinal: ConvertArgument | undefined): ArgumentList {
  const [first, second] = compiled;
  if (compiled.length === 0) return convertFinal ? (frame, _, final) => [convertFinal(frame, final)] : () => [];
  if (compiled.length === 1 && first)
    return convertFinal
      ? (frame, dot, final) => [first(frame, dot), convertFinal(frame, final)]
      : (frame, dot) => [first(frame, dot)];
  if (compiled.length === 2 && first && second)
    return convertFinal
      ? (frame, dot, final) => [first(frame, dot), second(frame, dot), convertFinal(frame, final)]
      : (frame, dot) => [first(frame, dot), second(frame, dot)];
  return (frame, dot, final) => {
    const args: ArgumentValue[] = [];
    for (let at = 0; at < compiled.length; at += 1) args.push(compiled[at]!(frame, dot));
    if (convertFinal) args.push(convertFinal(frame, final));
    return args;
  };
}

function call(
  frame: Frame,
  implementation: GoFunction,
  args: ArgumentValue[],
  name: string,
  node: CallSite["node"],
): GoValue {
  try {
    return implementation.call(args, frame.run.context);
  } catch (error) {
    frame.node = node;
    // By name: this must work with next to no stack left.
    if (error instanceof Error && (error.name === "FunctionError" || error.name === "TemplateError"))
      fail(frame, `error calling ${name}: ${error.message}`, error);
    throw error;
  }
}
