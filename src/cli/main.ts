import { abortOnSignals, Interruption } from "./exits.ts";
import { reportFailure } from "./report-failure.ts";
import { runCommandLine } from "./run-command-line.ts";
import type { Shell } from "./shell.ts";

const controller = new AbortController();
const shell: Shell = {
  env: process.env,
  words: process.argv.slice(2),
  stdout: process.stdout,
  stderr: process.stderr,
  // A getter, because reading from a terminal begins with the first mention of it.
  get stdin() {
    return process.stdin;
  },
  signal: controller.signal,
};

abortOnSignals(controller);
process.on("unhandledRejection", exitWithFailure);
process.on("uncaughtException", exitWithFailure);
process.stderr.on("error", () => {}); // there is nowhere left to report it
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") controller.abort(new Interruption("SIGPIPE"));
  else exitWithFailure(error);
});

void run();

async function run(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2), shell);
  // Exiting at once skips freeing memory piece by piece, which is a tenth of the time of a large rendering.
  if ((await isWritten(process.stdout)) && (await isWritten(process.stderr))) process.exit();
}

/** Waits until everything is written; false if that failed. */
function isWritten(stream: NodeJS.WriteStream): Promise<boolean> {
  return new Promise((resolve) => {
    stream.write("", (error) => resolve(!error));
  });
}

function exitWithFailure(failure: unknown): void {
  void reportFailure(failure, shell).finally(() => process.exit(1));
}
