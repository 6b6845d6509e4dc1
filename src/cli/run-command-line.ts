import { CommanderError } from "commander";
import { Interruption, QuietExit } from "./exits.ts";
import { createProgram } from "./create-program.ts";
import { reportFailure } from "./report-failure.ts";
import type { Shell } from "./shell.ts";

/**
 * Runs one command line and returns the exit code: 0 done, 1 failed or not understood, 2 there are differences, 128 + n ended by
 * signal n.
 */
export async function runCommandLine(words: readonly string[], shell: Shell): Promise<number> {
  const exitCode = await attempt(words, shell);
  const { reason } = shell.signal;
  if (!(reason instanceof Interruption)) return exitCode;
  // If `| head` closes the pipe after the last line was written, nothing was lost.
  return exitCode === 0 && reason.signal === "SIGPIPE" ? 0 : reason.exitCode;
}

async function attempt(words: readonly string[], shell: Shell): Promise<number> {
  try {
    await createProgram(shell).parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    // Commander throws this after it has printed help or the version.
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof QuietExit) return error.exitCode;
    if (!isAbort(error, shell.signal)) await reportFailure(error, shell);
    return 1;
  }
}

/** Node's own functions reject with an AbortError instead of the signal's reason. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}
