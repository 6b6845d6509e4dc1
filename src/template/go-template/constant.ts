import { type ArgumentValue, type GoValue, Int, int, type ParameterType } from "#golang";
import { goTypeName, nilOf } from "./argument-types.ts";
import { fail, type Frame } from "./frame.ts";
import {
  type BoolNode,
  type Expression,
  type NilNode,
  nodeText,
  type NumberNode,
  type StringNode,
} from "./syntax-tree.ts";
import type { NumberConstant } from "./number-constant.ts";

export type ConstantNode = BoolNode | NilNode | NumberNode | StringNode;

export function isConstant(node: Expression): node is ConstantNode {
  return node.kind === "bool" || node.kind === "nil" || node.kind === "number" || node.kind === "string";
}

type Constant<Value> = { readonly value: Value } | { readonly problem: string };

/** A constant as an argument: it takes the type of the parameter. An invalid one fails when it is evaluated. */
export function constantArgument(node: ConstantNode, type: ParameterType): (frame: Frame) => ArgumentValue {
  return evaluator(node, constantFor(node, type));
}

/** A constant that is a command by itself. */
export function constantCommand(node: ConstantNode): (frame: Frame) => GoValue {
  return evaluator(node, node.kind === "nil" ? { problem: "nil is not a command" } : idealConstant(node));
}

/** A constant as an argument that may be of any type. */
export function constantValue(node: ConstantNode): (frame: Frame) => GoValue {
  return evaluator(node, node.kind === "nil" ? { value: undefined } : idealConstant(node));
}

function evaluator<Value>(node: ConstantNode, constant: Constant<Value>): (frame: Frame) => Value {
  if ("problem" in constant) {
    const { problem } = constant;
    return (frame) => {
      frame.node = node;
      return fail(frame, problem);
    };
  }
  const { value } = constant;
  return (frame) => {
    frame.node = node;
    return value;
  };
}

function constantFor(node: ConstantNode, type: ParameterType): Constant<ArgumentValue> {
  if (node.kind === "nil") return nilOf(type) ?? { problem: `cannot assign nil to ${goTypeName(type)}` };
  const number = node.kind === "number" ? node.constant : undefined;
  switch (type) {
    case "any":
    case "reflect":
      return idealConstant(node);
    case "bool":
      return node.kind === "bool" ? node : expected("bool", node);
    case "string":
      return node.kind === "string" ? node : expected("string", node);
    case "float64":
      return number?.float === undefined ? expected("float", node) : { value: number.float };
    case "int":
    case "int64":
    case "int32":
    case "time.Duration":
      if (number?.int === undefined) return expected("integer", node);
      return { value: BigInt.asIntN(type === "int32" ? 32 : 64, number.int) };
    case "uint":
    case "uint64":
    case "uint32":
      if (number?.uint === undefined) return expected("unsigned integer", node);
      return { value: BigInt.asUintN(type === "uint32" ? 32 : 64, number.uint) };
    case "[]any":
    case "[]byte":
    case "[]map[string]any":
    case "[]string":
    case "map[string]any":
    case "time.Time":
    case "*semver.Version":
    case "sprig.certificate":
  }
  return { problem: `can't handle ${nodeText(node)} for arg of type ${goTypeName(type)}` };
}

function expected(what: string, node: ConstantNode): { readonly problem: string } {
  return { problem: `expected ${what}; found ${nodeText(node)}` };
}

function idealConstant(node: Exclude<ConstantNode, NilNode>): Constant<GoValue> {
  return node.kind === "number" ? idealNumber(node.constant) : node;
}

/** A number without a required type: its spelling decides. */
function idealNumber({ text, int: integer, uint, float, complex }: NumberConstant): Constant<GoValue> {
  const isHexadecimal = /^0[xX]./.test(text) && !/[pP]/.test(text);
  const looksLikeFloat = !isHexadecimal && !text.startsWith("'") && /[.eEpP]/.test(text);
  if (complex) return { value: complex };
  if (float !== undefined && looksLikeFloat) return { value: float };
  if (integer !== undefined) return { value: toInt(integer) };
  return uint === undefined ? { value: undefined } : { problem: `${text} overflows int` };
}

function toInt(value: bigint): Int {
  return value >= 0n && value < 1_024n ? int(Number(value)) : new Int("int", value);
}
