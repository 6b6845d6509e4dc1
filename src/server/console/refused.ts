import type { z } from "zod";

export type FailureStatus = 400 | 401 | 403 | 404 | 409 | 413 | 421 | 429 | 500 | 503;

/** The request cannot be done as it is. */
export class Refused extends Error {
  readonly status: FailureStatus;
  readonly next: string | undefined;

  constructor(status: FailureStatus, message: string, next?: string) {
    super(message);
    this.status = status;
    this.next = next;
  }

  override get name(): string {
    return "Refused";
  }
}

/** What happened, without the Role that would allow it, which is for the command line. */
export function withoutRole(text: string): string {
  return text.split("; to allow it, apply this", 1)[0] ?? text;
}

/** What a request says, checked. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Refused(400, `${issue?.path.join(".")}: ${issue?.message}`);
}
