import { describe, expect, test } from "vitest";
import { FakeShell } from "./fake-shell.fixture.ts";
import { Interruption } from "./exits.ts";
import { runCommandLine } from "./run-command-line.ts";

async function runIn(shell: FakeShell, ...words: string[]) {
  return { exitCode: await runCommandLine(words, shell), stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("exit codes", () => {
  test.for([
    { words: ["--help"], says: "Usage: tenon" },
    { words: ["--version"], says: "." },
    { words: ["help"], says: "Usage: tenon" },
    { words: ["help", "cluster", "start"], says: "Usage: tenon cluster start" },
  ])("`tenon` with $words exits with 0", async ({ words, says }) => {
    const { exitCode, stdout, stderr } = await runIn(new FakeShell(), ...words);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(says);
  });

  test.for([
    { words: [], says: "Usage: tenon", reason: "nothing was done" },
    { words: ["cluster"], says: "Usage: tenon cluster", reason: "nothing was done" },
    { words: ["clutser"], says: "unknown command 'clutser'", reason: "the command is unknown" },
    { words: ["clutser", "--help"], says: "unknown command 'clutser'", reason: "there is nothing to explain" },
    { words: ["help", "cluster", "strat"], says: "unknown command 'strat'", reason: "there is nothing to explain" },
    { words: ["--nope"], says: "unknown option '--nope'", reason: "the option is unknown" },
    { words: ["cluster", "status", "-o", "xml"], says: "choices are table, json", reason: "the format is unknown" },
    { words: ["cluster", "status", "extra"], says: "too many arguments", reason: "the command takes no arguments" },
    { words: ["cluster", "start", "--port"], says: "argument missing", reason: "the value is missing" },
    { words: ["cluster", "start", "--port", "65536"], says: "0 to 65535", reason: "the port is too large" },
    { words: ["cluster", "start", "--fake-nodes", "-1"], says: "0 to 5000", reason: "the count is negative" },
    { words: ["cluster", "start", "--fake-nodes", "5001"], says: "0 to 5000", reason: "the count is too large" },
    { words: ["cluster", "start", "--fake-nodes", "1e3"], says: "0 to 5000", reason: "the count is not an integer" },
    {
      words: ["cluster", "stop", "--name", "Not_A_Label"],
      says: "is not a valid instance name",
      reason: "the name is not valid",
    },
  ])("`tenon` with $words exits with 1, because $reason", async ({ words, says }) => {
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

  test("a name where none is expected leads to the option that takes it", async () => {
    const { exitCode, stderr } = await runIn(new FakeShell(), "plan", "price-feed", "dns-mirror");
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'next: did you mean --integration price-feed --integration dns-mirror? if not, see "tenon plan --help"',
    );
  });

  test.for(["get plug", "get integration", "get deferredresource", "get releaseplan"])(
    "`tenon %s` is understood as with the plural, as kubectl does",
    async (typed) => {
      const { exitCode, stdout } = await runIn(new FakeShell(), ...typed.split(" "), "--help");
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: tenon ${typed}s \\[options\\]`));
    },
  );

  test("an InputError is printed with where, what and what to do, without a stack", async () => {
    const { stderr } = await runIn(new FakeShell(), "cluster", "stop", "--name", "UPPER");
    expect(stderr).toMatch(
      /^error: --name: "UPPER" is not a valid instance name\n {2}next: use at most 40 lower-case .*\n$/,
    );
  });

  test("TENON_DEBUG=1 adds the stack to an error", async () => {
    const shell = new FakeShell({ env: { TENON_DEBUG: "1" } });
    const { stderr } = await runIn(shell, "cluster", "stop", "--name", "UPPER");
    expect(stderr).toMatch(/\n {4}at .*instances\.ts/);
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

  test("that fails for another reason reports it", async () => {
    const shell = new FakeShell({ signal: AbortSignal.abort(new Interruption("SIGINT")) });
    const { exitCode, stderr } = await runIn(shell, "cluster", "stop", "--name", "UPPER");
    expect(exitCode).toBe(130);
    expect(stderr).toContain("UPPER");
  });

  test("that is finished exits with 0 if only the reader of its output is gone", async () => {
    const shell = new FakeShell({ signal: AbortSignal.abort(new Interruption("SIGPIPE")) });
    expect((await runIn(shell, "completion", "bash")).exitCode).toBe(0);
  });
});
