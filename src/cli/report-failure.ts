import { inspect } from "node:util";
import { callAgain } from "./call-again.ts";
import type { Shell } from "./shell.ts";
import { paint } from "./terminal/paint.ts";

/** Prints on standard error what went wrong and what to do next; TENON_DEBUG=1 adds the stack. */
export async function reportFailure(error: unknown, shell: Pick<Shell, "env" | "stderr">): Promise<void> {
  const { describeError, redact } = await import("#base");
  const next = nextStep(error);
  const lines = [
    `${paint("red", "error:", shell.stderr, shell.env)} ${describeError(next === undefined ? error : withoutNext(error, next))}`,
    ...(next === undefined ? [] : [`  next: ${redact(pasteable(next, shell.env)).replaceAll("\n", "\n  ")}`]),
    ...(shell.env["TENON_DEBUG"] ? [redact(inspect(error))] : []),
  ];
  shell.stderr.write(`${lines.join("\n")}\n`);
}

/** Other rooms write `tenon`; the user may have to type a path. */
function pasteable(next: string, env: NodeJS.ProcessEnv): string {
  return next.replaceAll("`tenon ", `\`${callAgain(env)} `);
}

function nextStep(error: unknown): string | undefined {
  return error instanceof Error && "next" in error && typeof error.next === "string" ? error.next : undefined;
}

/** The messages of `#base`'s errors end with the next step, for logs and conditions; here it gets a line of its own. */
function withoutNext(error: unknown, next: string): unknown {
  if (!(error instanceof Error) || !error.message.endsWith(`; ${next}`)) return error;
  return new Error(error.message.slice(0, -`; ${next}`.length), { cause: error.cause });
}
