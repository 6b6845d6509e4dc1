import { InputError } from "#base";

export interface TemplateErrorDetails {
  readonly phase: "parse" | "execute";
  readonly templateName: string;
  readonly line?: number | undefined;
  /** In bytes, from 0, as Go's messages count. */
  readonly column?: number | undefined;
  readonly cause?: unknown;
}

/** A template that cannot be parsed, or that failed. The message is Go's, word for word. */
export class TemplateError extends InputError {
  readonly phase: "parse" | "execute";
  readonly templateName: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(text: string, { phase, templateName, line, column, cause }: TemplateErrorDetails) {
    super(text, cause === undefined ? {} : { cause });
    this.phase = phase;
    this.templateName = templateName;
    this.line = line;
    this.column = column;
  }

  override get name(): string {
    return "TemplateError";
  }
}

const exhaustion = /call stack|Stack overflow|Invalid (?:string|array|typed array) length/;

/**
 * Whether JavaScript's own stack or a string's greatest length was reached, which a template can bring about. A regular expression
 * that V8 compiles at the end of the stack is a SyntaxError.
 */
export function isExhaustion(error: unknown): error is Error {
  return (error instanceof RangeError || error instanceof SyntaxError) && exhaustion.test(error.message);
}
