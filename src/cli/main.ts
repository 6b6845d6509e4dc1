import { abortOnSignals, Interruption } from "./interruption.ts";
import { reportFailure } from "./report-failure.ts";
import { run } from "./run.ts";
import type { Shell } from "./shell.ts";

const controller = new AbortController();
const shell: Shell = {
  env: process.env,
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
process.stderr.on("error", () => {}); // nobody left to tell
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") controller.abort(new Interruption("SIGPIPE"));
  else exitWithFailure(error);
});

process.exitCode = await run(process.argv.slice(2), shell);

function exitWithFailure(failure: unknown): void {
  void reportFailure(failure, shell).finally(() => process.exit(1));
}
