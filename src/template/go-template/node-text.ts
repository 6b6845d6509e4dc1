import { quote } from "#golang";
import type { CommandNode, Expression, Node, PipeNode } from "./node.ts";

/** The node as Go writes it, which is not always how the template has it. */
export function nodeText(node: Node): string {
  if (node.kind === "dot") return ".";
  if (node.kind === "nil") return "nil";
  if (node.kind === "bool") return String(node.value);
  if (node.kind === "number") return node.constant.text;
  if (node.kind === "string") return node.quoted;
  if (node.kind === "identifier") return node.name;
  if (node.kind === "field") return dotted(node.names);
  if (node.kind === "variable") return node.name + dotted(node.fields);
  if (node.kind === "chain") return parenthesized(node.operand) + dotted(node.fields);
  if (node.kind === "pipe") return pipeText(node);
  if (node.kind === "command") return commandText(node);
  if (node.kind === "action") return `{{${pipeText(node.pipe)}}}`;
  return `{{template ${quote(node.name)}${node.pipe ? ` ${pipeText(node.pipe)}` : ""}}}`;
}

function dotted(names: readonly string[]): string {
  return names.map((name) => `.${name}`).join("");
}

function parenthesized(node: Expression): string {
  return node.kind === "pipe" ? `(${pipeText(node)})` : nodeText(node);
}

function pipeText({ variables, assigns, commands }: PipeNode): string {
  const declared = variables.map(nodeText).join(", ");
  const operator = assigns ? " = " : " := ";
  return (declared === "" ? "" : declared + operator) + commands.map(commandText).join(" | ");
}

function commandText({ words }: CommandNode): string {
  return words.map(parenthesized).join(" ");
}
