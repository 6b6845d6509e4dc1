import { createServer } from "node:http";
import { expect, test } from "vitest";
import { closeServer, listenOn } from "#base";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

async function logOf(options: FakeShellOptions, ...more: readonly string[]): Promise<string> {
  const shell = new FakeShell({ env: { NO_COLOR: "1" }, ...options });
  await runCommandLine(["run", "--only", "manage", "--once", "--port", "0", "--data", "/nowhere", ...more], shell);
  return shell.stderr.text.split("\n")[0] ?? "";
}

const text = /^\d\d:\d\d:\d\d {2}running, jobs manage, port \d+$/;
const json = /^\{"level":"info".*"msg":"running"\}$/;

test.for([
  { where: "a terminal", options: { columns: 80 }, words: [], expected: text },
  { where: "a pipe", options: {}, words: [], expected: json },
  { where: "a terminal, if asked for JSON", options: { columns: 80 }, words: ["--log-format", "json"], expected: json },
  { where: "a pipe, if asked for text", options: {}, words: ["--log-format", "text"], expected: text },
])("`tenon run` logs to $where as $expected", async ({ options, words, expected }) => {
  expect(await logOf(options, ...words)).toMatch(expected);
});

test("`tenon run --once` without the job that ends says so", async () => {
  const shell = new FakeShell({ env: { NO_COLOR: "1" } });
  expect(await runCommandLine(["run", "--only", "couple,promote", "--once", "--port", "0"], shell)).toBe(1);
  expect(shell.stderr.text).toBe(
    "error: --once: only manage can run once, and it does not run\n  next: add manage to --only, or leave the option out\n",
  );
});

test("`tenon run` on a port that is in use says which port it is, and how to choose another", async () => {
  const other = createServer();
  await using _ = { [Symbol.asyncDispose]: () => closeServer(other) };
  const port = await listenOn(other, undefined, 0);
  const shell = new FakeShell({ env: { NO_COLOR: "1" } });
  expect(await runCommandLine(["run", "--only", "manage", "--port", String(port)], shell)).toBe(1);
  expect(shell.stderr.text).toContain(`error: port ${port}: cannot listen (EADDRINUSE)\n`);
  expect(shell.stderr.text).toContain("\n  next: choose another port, or 0 for any free port\n");
});
