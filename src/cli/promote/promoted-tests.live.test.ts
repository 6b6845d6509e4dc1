import { expect, test } from "vitest";
import { testKubeconfig, useTesting } from "#harness";
import { testOutput } from "#tekton";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = useTesting();

async function tenon(...words: readonly string[]) {
  const shell = new FakeShell({ env: { NO_COLOR: "1", KUBECONFIG: testKubeconfig() } });
  const exitCode = await runCommandLine([...words, "-n", world.namespace], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

test("`tenon get tests` shows why a test failed, and `tenon promote rerun` runs it again", async () => {
  await world.scenario("e2e");
  await world.snapshot("s1");
  const first = await world.waitForRun("s1", "e2e");
  const output = { ...testOutput("FAILURE"), note: "the cart is empty" };
  await world.player.finish(first, { tasks: [{ name: "test", output }] });
  await world.waitForEntry("s1", "e2e", "TestFail");
  const shown = await tenon("get", "tests", "s1", "-o", "json");
  expect(JSON.parse(shown.stdout)).toMatchObject([
    {
      snapshot: "s1",
      scenario: "e2e",
      status: "TestFail",
      run: first,
      details: expect.stringContaining("the cart is empty"),
    },
  ]);
  expect((await tenon("get", "tests")).stdout).toContain("the cart is empty");

  const asked = await tenon("promote", "rerun", "s1", "e2e");
  expect(asked).toMatchObject({ exitCode: 0, stdout: `Snapshot ${world.namespace}/s1: e2e will run again\n` });
  await world.waitForRun("s1", "e2e", first);
  expect((await tenon("promote", "rerun", "s1", "e2e")).stdout).toContain("e2e is running already");
});

test.for([
  { words: ["nope"], message: "/nope not found" },
  { words: ["s1", "ghost"], message: "the namespace has e2e" },
])("`tenon promote rerun` $words: $message", async ({ words, message }) => {
  const refused = await tenon("promote", "rerun", ...words);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(message);
});
