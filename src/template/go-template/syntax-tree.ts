import { quote } from "#golang";
import type { NumberConstant } from "./number-constant.ts";

interface At {
  /** Its offset in the text as Go counts it, for messages. */
  readonly position: number;
}

export interface DotNode extends At {
  readonly kind: "dot";
}
export interface NilNode extends At {
  readonly kind: "nil";
}
export interface BoolNode extends At {
  readonly kind: "bool";
  readonly value: boolean;
}
export interface NumberNode extends At {
  readonly kind: "number";
  readonly constant: NumberConstant;
}
export interface StringNode extends At {
  readonly kind: "string";
  /** As the template writes it, with its quotes. */
  readonly quoted: string;
  readonly value: string;
}
/** `.a.b`. */
export interface FieldNode extends At {
  readonly kind: "field";
  readonly names: readonly string[];
}
/** `$x.a.b`. */
export interface VariableNode extends At {
  readonly kind: "variable";
  readonly name: string;
  readonly fields: readonly string[];
}
/** The name of a function. */
export interface IdentifierNode extends At {
  readonly kind: "identifier";
  readonly name: string;
}
/** `(pipeline).a.b`. */
export interface ChainNode extends At {
  readonly kind: "chain";
  readonly operand: Expression;
  readonly fields: readonly string[];
}
export interface PipeNode extends At {
  readonly kind: "pipe";
  readonly variables: readonly VariableNode[];
  /** `=` instead of `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly CommandNode[];
}
export interface CommandNode extends At {
  readonly kind: "command";
  readonly words: readonly [Expression, ...Expression[]];
}

export type Expression =
  | DotNode
  | NilNode
  | BoolNode
  | NumberNode
  | StringNode
  | FieldNode
  | VariableNode
  | IdentifierNode
  | ChainNode
  | PipeNode;

export interface TextNode extends At {
  readonly kind: "text";
  readonly text: string;
}
export interface ActionNode extends At {
  readonly kind: "action";
  readonly pipe: PipeNode;
}
export interface BranchNode extends At {
  readonly kind: "if" | "with" | "range";
  readonly pipe: PipeNode;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[] | undefined;
}
export interface TemplateNode extends At {
  readonly kind: "template";
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface JumpNode extends At {
  readonly kind: "break" | "continue";
}

export type Statement = TextNode | ActionNode | BranchNode | TemplateNode | JumpNode;

/** What an error can be about. */
export type Node = Expression | CommandNode | ActionNode | TemplateNode;

/** One template, and the text it was part of. */
export interface Tree {
  readonly name: string;
  /** The name of the text's own template, which messages show. */
  readonly parseName: string;
  readonly text: string;
  readonly root: readonly Statement[];
}

const blank = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

/** Whether a template has nothing but white space and comments; an empty template replaces no other. */
export function isEmptyTree(root: readonly Statement[]): boolean {
  return root.every((node) => node.kind === "text" && blank.test(node.text));
}

/** The content of `((…))`: nested parentheses change nothing, and there may be thousands. */
export function withoutParentheses(pipe: PipeNode): PipeNode {
  let inner = pipe;
  for (;;) {
    const [command, ...others] = inner.commands;
    const [word, ...words] = command?.words ?? [];
    if (word?.kind !== "pipe" || words.length + others.length + inner.variables.length > 0) return inner;
    inner = word;
  }
}

/** The node as Go prints it, which may differ from how the template writes it. */
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
  return (declared === "" ? "" : declared + operator) + concatenated(commands.map(commandText), " | ");
}

function commandText({ words }: CommandNode): string {
  return concatenated(words.map(parenthesized), " ");
}

/** Unlike `join`, copies no text: of nested pipelines, each level would copy all levels below it. */
function concatenated([first = "", ...others]: readonly string[], separator: string): string {
  let text = first;
  for (const other of others) text += separator + other;
  return text;
}

/** The fields, variables and dots that an action reads. */
export function operandsOf({ commands }: PipeNode, found: Expression[] = []): Expression[] {
  for (const { words } of commands) {
    for (const word of words) {
      if (word.kind === "pipe") operandsOf(word, found);
      else if (["field", "variable", "dot", "chain"].includes(word.kind)) found.push(word);
    }
  }
  return found;
}

/** A pipeline of this word alone. */
export function pipeOf(word: Expression): PipeNode {
  const { position } = word;
  return {
    kind: "pipe",
    position,
    variables: [],
    assigns: false,
    commands: [{ kind: "command", position, words: [word] }],
  };
}

interface ActionParts {
  readonly functions: string[];
  readonly texts: string[];
}

/** The functions that an action calls, and its string constants. */
export function partsOf({ commands }: PipeNode, found: ActionParts = { functions: [], texts: [] }): ActionParts {
  for (const { words } of commands) {
    for (const word of words) {
      const inner = word.kind === "chain" ? word.operand : word;
      if (word.kind === "identifier") found.functions.push(word.name);
      else if (word.kind === "string") found.texts.push(word.value);
      else if (inner.kind === "pipe") partsOf(inner, found);
    }
  }
  return found;
}
