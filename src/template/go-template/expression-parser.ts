import { quote, unquote } from "#golang";
import {
  type CommandNode,
  type Expression,
  nodeText,
  type NumberNode,
  type PipeNode,
  type VariableNode,
} from "./syntax-tree.ts";
import { characterConstant, complexConstant, numberConstant, NumberSyntaxError } from "./number-constant.ts";
import { ScopedNames } from "./scoped-names.ts";
import { type ParseSession, TokenReader } from "./token-reader.ts";
import type { TemplateToken, TokenType } from "./lexer.ts";

const deepestParentheses = 10_000;

const operandStarts: ReadonlySet<TokenType> = new Set([
  "bool",
  "charConstant",
  "complex",
  "dot",
  "field",
  "identifier",
  "number",
  "nil",
  "rawString",
  "string",
  "variable",
  "leftParen",
]);

interface OpenPipe {
  readonly position: number;
  readonly context: string;
  readonly end: TokenType;
  readonly variables: readonly VariableNode[];
  readonly assigns: boolean;
  readonly commands: CommandNode[];
  command: { readonly position: number; readonly words: Expression[] } | undefined;
}

/** Parses pipelines: what stands between the delimiters. */
export class ExpressionParser extends TokenReader {
  /** The names of variables that may be used here; the compiler resolves them. */
  protected readonly variables = new ScopedNames<true>();

  constructor(session: ParseSession) {
    super(session);
    this.variables.declare("$", true);
  }

  /** Keeps open parentheses on a list instead of the call stack, because Go allows ten thousand. */
  protected pipeline(context: string, end: TokenType): PipeNode {
    const outer: OpenPipe[] = [];
    let pipe = this.#open(context, end);
    for (;;) {
      if (!pipe.command) {
        const token = this.nextNonSpace();
        if (token.type === pipe.end) {
          const node = this.#closed(pipe);
          const next = outer.pop();
          if (!next) return node;
          pipe = next;
          this.#addOperand(pipe, this.#withFields(node));
          continue;
        }
        if (!operandStarts.has(token.type)) this.unexpected(token, pipe.context);
        this.backUp();
        pipe.command = { position: token.position, words: [] };
      }
      const token = this.nextNonSpace();
      if (token.type === "leftParen") {
        if (outer.length >= deepestParentheses) this.fail("max expression depth exceeded");
        outer.push(pipe);
        pipe = this.#open("parenthesized pipeline", "rightParen");
      } else {
        const term = this.#term(token);
        this.#addOperand(pipe, term && this.#withFields(term));
      }
    }
  }

  #open(context: string, end: TokenType): OpenPipe {
    this.session.budget.step();
    const { position } = this.peekNonSpace();
    return { position, context, end, ...this.#declarations(context), commands: [], command: undefined };
  }

  #closed({ position, context, variables, assigns, commands }: OpenPipe): PipeNode {
    this.#checkCommands(commands, context);
    return { kind: "pipe", position, variables, assigns, commands };
  }

  /** Adds a word to the command, and ends the command if none can follow. */
  #addOperand(pipe: OpenPipe, operand: Expression | undefined): void {
    const { position = 0, words = [] } = pipe.command ?? {};
    this.session.budget.step();
    if (operand) words.push(operand);
    const token = this.next();
    if (token.type === "space") return;
    if (token.type === "rightDelim" || token.type === "rightParen") this.backUp();
    else if (token.type !== "pipe") this.unexpected(token, "operand");
    const [first, ...rest] = words;
    if (!first) this.fail("empty command");
    pipe.commands.push({ kind: "command", position, words: [first, ...rest] });
    pipe.command = undefined;
  }

  #declarations(context: string): { variables: VariableNode[]; assigns: boolean } {
    const variables: VariableNode[] = [];
    while (this.peekNonSpace().type === "variable") {
      const before = this.session.cursor;
      const token = this.next();
      const operator = this.nextNonSpace();
      const isComma = operator.type === "char" && operator.text === ",";
      if (operator.type !== "assign" && operator.type !== "declare" && !isComma) {
        this.session.cursor = before;
        break;
      }
      variables.push(variableNode(token.position, token.text));
      this.variables.declare(token.text, true);
      if (!isComma) return { variables, assigns: operator.type === "assign" };
      if (context !== "range" || variables.length > 1) this.fail(`too many declarations in ${context}`);
      if (!["variable", "rightDelim", "rightParen"].includes(this.peekNonSpace().type))
        this.fail("range can only initialize variables");
    }
    return { variables, assigns: false };
  }

  #checkCommands(commands: readonly CommandNode[], context: string): void {
    if (commands.length === 0) this.fail(`missing value for ${context}`);
    for (const [index, { words }] of commands.entries()) {
      if (index > 0 && ["bool", "dot", "nil", "number", "string"].includes(words[0].kind))
        this.fail(`non executable command in pipeline stage ${index + 1}`);
    }
  }

  #withFields(node: Expression): Expression {
    if (this.peek().type !== "field") return node;
    const { position } = this.peek();
    const fields: string[] = [];
    while (this.peek().type === "field") fields.push(this.next().text.slice(1));
    if (node.kind === "field") return { ...node, position, names: [...node.names, ...fields] };
    if (node.kind === "variable") return { ...node, position, fields: [...node.fields, ...fields] };
    if (node.kind === "identifier" || node.kind === "pipe") return { kind: "chain", position, operand: node, fields };
    return this.fail(`unexpected . after term ${quote(nodeText(node))}`);
  }

  #term(token: TemplateToken): Expression | undefined {
    const { type, position, text } = token;
    if (type === "field") return { kind: "field", position, names: [text.slice(1)] };
    if (type === "identifier") return this.#function(token);
    if (type === "dot" || type === "nil") return { kind: type, position };
    if (type === "bool") return { kind: "bool", position, value: text === "true" };
    if (type === "variable") {
      if (this.variables.of(text).length === 0) this.fail(`undefined variable ${quote(text)}`);
      return variableNode(position, text);
    }
    if (type === "string" || type === "rawString")
      return { kind: "string", position, quoted: text, value: this.unquoted(token) };
    if (type === "number" || type === "charConstant" || type === "complex") return this.#number(token);
    this.backUp();
    return undefined;
  }

  #function({ position, text }: TemplateToken): Expression {
    const { isFunction, isDisabled } = this.session.settings;
    if (isDisabled(text)) this.fail(`function ${quote(text)} is disabled`);
    if (!isFunction(text)) this.fail(`function ${quote(text)} not defined`);
    return { kind: "identifier", position, name: text };
  }

  #number({ type, position, text }: TemplateToken): NumberNode {
    const read = type === "charConstant" ? characterConstant : type === "complex" ? complexConstant : numberConstant;
    try {
      return { kind: "number", position, constant: read(text) };
    } catch (error) {
      if (error instanceof NumberSyntaxError) this.fail(error.message);
      throw error;
    }
  }

  protected unquoted({ text }: TemplateToken): string {
    return unquote(text) ?? this.fail("invalid syntax");
  }
}

function variableNode(position: number, name: string): VariableNode {
  return { kind: "variable", position, name, fields: [] };
}
