import { expect, test } from "vitest";
import { CommandFailed, InputError, Secret } from "#base";
import { FakeShell } from "./fake-shell.fixture.ts";
import { reportFailure } from "./report-failure.ts";

async function reported(error: unknown, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const shell = new FakeShell({ env });
  await reportFailure(error, shell);
  return shell.stderr.text;
}

test("a CommandFailed is reported like any error, without a stack, its name, or a demand to change the input", async () => {
  const error = new CommandFailed("helm failed: no such host", { where: "./my-chart", next: "see its output" });
  expect(await reported(error)).toBe("error: ./my-chart: helm failed: no such host\n  next: see its output\n");
});

test("what went wrong and what to do next have a line each", async () => {
  const error = new InputError("port 1 is taken", { where: "instance a", next: "stop it" });
  expect(await reported(error)).toBe("error: instance a: port 1 is taken\n  next: stop it\n");
});

test("a next step of several lines keeps its line breaks, so that YAML in it stays valid", async () => {
  const error = new InputError("not allowed", { next: "apply this:\nkind: Role\nrules: []" });
  expect(await reported(error)).toBe("error: not allowed\n  next: apply this:\n  kind: Role\n  rules: []\n");
});

test("a command in the next step can be pasted when Tenon was called from a checkout", async () => {
  const error = new InputError("it runs", { next: "stop it with `tenon cluster stop`" });
  const stderr = await reported(error, { TENON_CALLED_AS: "./bin/tenon", PATH: "/usr/bin" });
  expect(stderr).toContain("stop it with `./bin/tenon cluster stop`");
});

test("a secret is masked in the message and in the next step", async () => {
  const secret = new Secret("hunter2-hunter2");
  const error = new InputError(`bad ${secret.reveal()}`, { next: `change ${secret.reveal()}` });
  expect(await reported(error)).toBe("error: bad ***\n  next: change ***\n");
});
