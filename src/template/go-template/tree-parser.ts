import { type Budget, LimitError, quote } from "#golang";
import { ExpressionParser } from "./expression-parser.ts";
import {
  type BranchNode,
  isEmptyTree,
  type JumpNode,
  type PipeNode,
  type Statement,
  type Tree,
} from "./syntax-tree.ts";
import { isExhaustion, TemplateError } from "./template-error.ts";
import { ParseSession, type ParseSettings } from "./token-reader.ts";
import type { TemplateToken } from "./lexer.ts";

/** What ends a list of statements. */
interface Stop {
  readonly kind: "end" | "else";
}

function isStop(node: Statement | Stop): node is Stop {
  return node.kind === "end" || node.kind === "else";
}

/** Parses one text into its own template and those that it defines. Each token and each node is a step. */
export function parseTemplate(
  name: string,
  text: string,
  settings: ParseSettings,
  budget: Budget,
): ReadonlyMap<string, Tree> {
  const session = new ParseSession(name, text, settings, budget);
  try {
    new TreeParser(session, name).parseText();
  } catch (error) {
    const isBeyondLimit = error instanceof LimitError;
    if (!isBeyondLimit && !isExhaustion(error)) throw error;
    const line = session.tokens.at(-1)?.line ?? 1;
    const problem = isBeyondLimit ? error.message : "max expression depth exceeded";
    const details = { phase: "parse", templateName: name, line, cause: error } as const;
    throw new TemplateError(`template: ${name}:${line}: ${problem}`, details);
  }
  return session.trees;
}

class TreeParser extends ExpressionParser {
  #name: string;
  #ranges = 0;

  constructor(session: ParseSession, name: string) {
    super(session);
    this.#name = name;
  }

  parseText(): void {
    const root: Statement[] = [];
    while (this.peek().type !== "eof") {
      if (this.peek().type === "leftDelim") {
        const before = this.session.cursor;
        this.next();
        if (this.nextNonSpace().type === "define") {
          new TreeParser(this.session, "").#define();
          continue;
        }
        this.session.cursor = before;
      }
      const node = this.#statement();
      if (isStop(node)) this.fail(`unexpected {{${node.kind}}}`);
      root.push(node);
    }
    this.#add(root);
  }

  #define(): void {
    const context = "define clause";
    this.#name = this.unquoted(this.expect(context, "string", "rawString"));
    this.expect(context, "rightDelim");
    const { list, stop } = this.#list();
    if (stop.kind !== "end") this.fail(`unexpected {{${stop.kind}}} in ${context}`);
    this.#add(list);
  }

  #add(root: readonly Statement[]): void {
    const { trees, name: parseName, text } = this.session;
    const present = trees.get(this.#name);
    if (!present || isEmptyTree(present.root)) trees.set(this.#name, { name: this.#name, parseName, text, root });
    else if (!isEmptyTree(root)) this.fail(`template: multiple definition of template ${quote(this.#name)}`);
  }

  #list(): { list: Statement[]; stop: Stop } {
    const list: Statement[] = [];
    while (this.peekNonSpace().type !== "eof") {
      const node = this.#statement();
      if (isStop(node)) return { list, stop: node };
      list.push(node);
    }
    return this.fail("unexpected EOF");
  }

  #statement(): Statement | Stop {
    const token = this.nextNonSpace();
    this.session.budget.step();
    if (token.type === "text") return { kind: "text", position: token.position, text: token.text };
    if (token.type !== "leftDelim") return this.unexpected(token, "input");
    this.actionLine = token.line;
    const node = this.#action();
    this.actionLine = 0;
    return node;
  }

  #action(): Statement | Stop {
    const token = this.nextNonSpace();
    const { type, position } = token;
    if (type === "if" || type === "with" || type === "range") return this.#branch(type);
    if (type === "else") return this.#else();
    if (type === "template") return this.#template();
    if (type === "block") return this.#block();
    if (type === "break" || type === "continue") return this.#jump(token, type);
    if (type === "end") {
      this.expect("end", "rightDelim");
      return { kind: "end" };
    }
    this.backUp();
    return { kind: "action", position, pipe: this.pipeline("command", "rightDelim") };
  }

  #jump({ position }: TemplateToken, kind: "break" | "continue"): JumpNode {
    const token = this.nextNonSpace();
    if (token.type !== "rightDelim") this.unexpected(token, `{{${kind}}}`);
    if (this.#ranges === 0) this.fail(`{{${kind}}} outside {{range}}`);
    return { kind, position };
  }

  #else(): Stop {
    const { type } = this.peekNonSpace();
    // `else if` and `else with` leave the second word to the enclosing branch.
    if (type !== "if" && type !== "with") this.expect("else", "rightDelim");
    return { kind: "else" };
  }

  #branch(kind: BranchNode["kind"]): BranchNode {
    const visible = this.variables.size;
    const pipe = this.pipeline(kind, "rightDelim");
    if (kind === "range") this.#ranges += 1;
    const { list: body, stop } = this.#list();
    if (kind === "range") this.#ranges -= 1;
    const otherwise = stop.kind === "else" ? this.#otherwise(kind) : undefined;
    this.variables.cutTo(visible);
    return { kind, position: pipe.position, pipe, body, otherwise };
  }

  #otherwise(kind: BranchNode["kind"]): Statement[] {
    const { type } = this.peek();
    if ((type === "if" || type === "with") && type === kind) {
      this.next();
      return [this.#branch(kind)];
    }
    const { list, stop } = this.#list();
    if (stop.kind !== "end") this.fail(`expected end; found {{${stop.kind}}}`);
    return list;
  }

  #block(): Statement {
    const context = "block clause";
    const token = this.nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.pipeline(context, "rightDelim");
    const block = new TreeParser(this.session, name);
    const { list, stop } = block.#list();
    if (stop.kind !== "end") this.fail(`unexpected {{${stop.kind}}} in ${context}`);
    block.#add(list);
    return { kind: "template", position: token.position, name, pipe };
  }

  #template(): Statement {
    const context = "template clause";
    const token = this.nextNonSpace();
    const name = this.#templateName(token, context);
    let pipe: PipeNode | undefined;
    if (this.nextNonSpace().type !== "rightDelim") {
      this.backUp();
      pipe = this.pipeline(context, "rightDelim");
    }
    return { kind: "template", position: token.position, name, pipe };
  }

  #templateName(token: TemplateToken, context: string): string {
    if (token.type !== "string" && token.type !== "rawString") this.unexpected(token, context);
    return this.unquoted(token);
  }
}
