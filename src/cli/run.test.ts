import { describe, expect, test } from "vitest";
import { FakeShell } from "./fake-shell.ts";
import { Interruption } from "./interruption.ts";
import { run } from "./run.ts";

async function runIn(shell: FakeShell, ...words: string[]) {
  return { exitCode: await run(words, shell), stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("exit codes", () => {
  test.for([
    { words: ["--help"], says: "Usage: tenon" },
    { words: ["--version"], says: "." },
    { words: ["help"], says: "Usage: tenon" },
    { words: ["help", "cluster", "start"], says: "Usage: tenon cluster start" },
  ])("$words give 0: it was asked for", async ({ words, says }) => {
    const { exitCode, stdout, stderr } = await runIn(new FakeShell(), ...words);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(says);
  });

  test.for([
    { words: [], says: "Usage: tenon", reason: "nothing was done" },
    { words: ["cluster"], says: "Usage: tenon cluster", reason: "nothing was done" },
    { words: ["clutser"], says: "unknown command 'clutser'", reason: "there is no such command" },
    { words: ["clutser", "--help"], says: "unknown command 'clutser'", reason: "it cannot be explained" },
    { words: ["help", "cluster", "strat"], says: "unknown command 'strat'", reason: "it cannot be explained" },
    { words: ["--nope"], says: "unknown option '--nope'", reason: "there is no such option" },
    { words: ["cluster", "status", "-o", "xml"], says: "choices are table, json", reason: "there is no such format" },
    { words: ["cluster", "status", "surplus"], says: "too many arguments", reason: "it takes none" },
    { words: ["cluster", "start", "--port"], says: "argument missing", reason: "the value is missing" },
    { words: ["cluster", "start", "--port", "65536"], says: "0 to 65535", reason: "there is no such port" },
    { words: ["cluster", "start", "--fake-nodes", "-1"], says: "0 to 5000", reason: "it is less than nothing" },
    { words: ["cluster", "start", "--fake-nodes", "5001"], says: "0 to 5000", reason: "it is too many" },
    { words: ["cluster", "start", "--fake-nodes", "1e3"], says: "0 to 5000", reason: "it is no plain number" },
    { words: ["cluster", "stop", "--name", "Not_A_Label"], says: "is no name", reason: "it is none" },
  ])("$words give 1, because $reason", async ({ words, says }) => {
    const { exitCode, stdout, stderr } = await runIn(new FakeShell(), ...words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(says);
  });
});

describe("messages", () => {
  test("a mistyped option names the right one and the help that lists them", async () => {
    const { stderr } = await runIn(new FakeShell(), "cluster", "start", "--prot", "1");
    expect(stderr).toBe(
      `error: unknown option '--prot'\n  next: did you mean --port? if not, see "tenon cluster start --help"\n`,
    );
  });

  test("bad input says where, what and what to do, without a stack", async () => {
    const { stderr } = await runIn(new FakeShell(), "cluster", "stop", "--name", "UPPER");
    expect(stderr).toMatch(/^error: --name: "UPPER" is no name for an instance\n {2}next: use lower-case .*\n$/);
  });

  test("TENON_DEBUG=1 adds the stack", async () => {
    const shell = new FakeShell({ env: { TENON_DEBUG: "1" } });
    const { stderr } = await runIn(shell, "cluster", "stop", "--name", "UPPER");
    expect(stderr).toMatch(/\n {4}at .*instance-name\.ts/);
  });
});

describe("an interrupted command", () => {
  test.for([
    { signal: "SIGINT", exitCode: 130 },
    { signal: "SIGTERM", exitCode: 143 },
    { signal: "SIGHUP", exitCode: 129 },
    { signal: "SIGPIPE", exitCode: 141 },
  ] as const)("ends with $exitCode after $signal, without a message", async ({ signal, exitCode }) => {
    const shell = new FakeShell({ typed: [], signal: AbortSignal.abort(new Interruption(signal)) });
    expect(await runIn(shell, "doctor")).toEqual({ exitCode, stdout: "", stderr: "" });
  });

  test("that fails for another reason says so", async () => {
    const shell = new FakeShell({ signal: AbortSignal.abort(new Interruption("SIGINT")) });
    const { exitCode, stderr } = await runIn(shell, "cluster", "stop", "--name", "UPPER");
    expect(exitCode).toBe(130);
    expect(stderr).toContain("UPPER");
  });

  test("that has nothing left to do counts as done when only its reader went away", async () => {
    const shell = new FakeShell({ signal: AbortSignal.abort(new Interruption("SIGPIPE")) });
    expect((await runIn(shell, "completion", "bash")).exitCode).toBe(0);
  });
});
