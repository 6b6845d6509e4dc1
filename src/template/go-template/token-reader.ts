import type { Budget } from "#golang";
import { describeToken, Lexer, type TemplateToken, type TokenType } from "./lexer.ts";
import type { Tree } from "./syntax-tree.ts";
import { TemplateError } from "./template-error.ts";

export interface ParseSettings {
  readonly left: string;
  readonly right: string;
  readonly endWords: boolean;
  readonly isFunction: (name: string) => boolean;
  readonly isDisabled: (name: string) => boolean;
}

/** In the tree, and in the closures that it is compiled to. */
const bytesPerToken = 64;

/** One text being parsed: its templates share the tokens. */
export class ParseSession {
  readonly name: string;
  readonly text: string;
  readonly settings: ParseSettings;
  readonly budget: Budget;
  readonly trees = new Map<string, Tree>();
  readonly tokens: TemplateToken[] = [];
  readonly lexer: Lexer;
  cursor = 0;

  constructor(name: string, text: string, settings: ParseSettings, budget: Budget) {
    this.budget = budget;
    this.name = name;
    this.text = text;
    this.settings = settings;
    this.lexer = new Lexer(text, settings);
  }
}

/** Reads the tokens of one template and reports syntax errors. */
export class TokenReader {
  protected readonly session: ParseSession;
  /** The line of the newest token that this template has read, for messages, as in Go. */
  #line = 0;
  /** The line on which the innermost action began; 0 between actions. */
  protected actionLine = 0;

  constructor(session: ParseSession) {
    this.session = session;
  }

  protected next(): TemplateToken {
    const { session } = this;
    let token = session.tokens[session.cursor];
    if (token === undefined) {
      token = session.lexer.next();
      session.tokens.push(token);
      // Converting a token takes time for each of its characters.
      session.budget.step(1 + (token.text.length >> 6));
      session.budget.hold(bytesPerToken);
      this.#line = token.line;
    }
    session.cursor += 1;
    return token;
  }

  protected backUp(count = 1): void {
    this.session.cursor -= count;
  }

  protected peek(): TemplateToken {
    const token = this.next();
    this.backUp();
    return token;
  }

  protected nextNonSpace(): TemplateToken {
    for (;;) {
      const token = this.next();
      if (token.type !== "space") return token;
    }
  }

  protected peekNonSpace(): TemplateToken {
    const token = this.nextNonSpace();
    this.backUp();
    return token;
  }

  protected expect(context: string, ...types: TokenType[]): TemplateToken {
    const token = this.nextNonSpace();
    if (!types.includes(token.type)) this.unexpected(token, context);
    return token;
  }

  protected unexpected(token: TemplateToken, context: string): never {
    if (token.type !== "error") this.fail(`unexpected ${describeToken(token)} in ${context}`);
    const began = this.actionLine;
    if (began === 0 || began === token.line) this.fail(token.text);
    const preposition = token.text.endsWith(" action") ? "" : " in action";
    this.fail(`${token.text}${preposition} started at ${this.session.name}:${began}`);
  }

  protected fail(problem: string): never {
    const { name } = this.session;
    throw new TemplateError(`template: ${name}:${this.#line}: ${problem}`, {
      phase: "parse",
      templateName: name,
      line: this.#line,
    });
  }
}
