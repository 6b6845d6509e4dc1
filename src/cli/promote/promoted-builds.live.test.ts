import { beforeAll, expect, test } from "vitest";
import { testKubeconfig, useTesting } from "#harness";
import { Component } from "#promotion";
import { testOutput } from "#tekton";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = useTesting();
const image = `reg.local:5000/acme/web@sha256:${"7".repeat(64)}`;

beforeAll(async () => {
  await world.scenario("e2e");
  for (const name of ["web", "api"]) {
    await world.client.create({
      apiVersion: Component.apiVersion,
      kind: Component.kind,
      metadata: { name, namespace: world.namespace },
      spec: { componentName: name, application: "shop", source: { git: { url: `https://git.example/acme/${name}` } } },
    });
  }
});

async function tenon(words: readonly string[], columns?: number) {
  const env = { NO_COLOR: "1", KUBECONFIG: testKubeconfig() };
  const shell = new FakeShell({ env, ...(columns === undefined ? {} : { columns }) });
  const exitCode = await runCommandLine(words, shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

const declare = (...words: readonly string[]) => tenon(["promote", "build", "-n", world.namespace, ...words]);

test("`tenon promote build` makes the Snapshot of a build once, and commands show how its test failed", async () => {
  const build = ["--component", "web", "--image", image, "--commit", "c0ffee"];
  const first = await declare(...build, "-o", "json");
  expect(first.stderr).toBe("");
  const { snapshot: name, ...rest } = JSON.parse(first.stdout);
  expect(rest).toEqual({ namespace: world.namespace, isNew: true, omitted: ["api"] });
  const key = `${world.namespace}/${name}`;
  expect((await declare(...build)).stdout).toBe(
    `Snapshot ${key} exists already for this build\nnext: tenon explain snapshot/${key}\n`,
  );

  const run = await world.waitForRun(name, "e2e");
  const output = { ...testOutput("FAILURE"), note: "the cart is empty" };
  await world.player.finish(run, { tasks: [{ name: "test", output }] });
  await world.waitForCondition(name, "AppStudioTestSucceeded", "False/Failed");
  await world.snapshot("newer");
  await world.waitForRun("newer", "e2e");

  const listed = JSON.parse((await tenon(["get", "snapshots", "-n", world.namespace, "-o", "json"])).stdout);
  expect(listed).toMatchObject([
    { snapshot: name, component: "web", state: "Failed", next: expect.stringContaining("e2e failed") },
    { snapshot: "newer", state: "Testing" },
  ]);
  const table = await tenon(["get", "snapshots", "-n", world.namespace], 80);
  expect(table.stdout).toMatch(new RegExp(`${name} +web +Failed +0/1`));
  for (const line of table.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);

  const explained = await tenon(["explain", `snapshot/${key}`]);
  expect(explained.stdout).toContain("of shop, from a build that another CI declared");
  expect(explained.stdout).toContain(`  web (built, commit c0ffee)\n    ${image}`);
  expect(explained.stdout).toMatch(/ {2}e2e: TestFail\n {4}.*the cart is empty/);
  expect(explained.stdout).toContain(`next: once it is fixed: tenon promote rerun ${key} e2e`);
  const document = JSON.parse((await tenon(["explain", `snapshot/${key}`, "-o", "json"])).stdout);
  expect(document).toMatchObject({ snapshot: key, state: "Failed", tests: [{ scenario: "e2e", status: "TestFail" }] });
});

test.for([
  { reason: "an image by tag alone", words: ["--component", "web", "--image", "reg.local/web:1"], message: "sha256" },
  { reason: "an unknown component", words: ["--component", "wob", "--image", image], message: "/wob not found" },
])("`tenon promote build` refuses $reason, and says what to do", async ({ words, message }) => {
  const refused = await declare(...words);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(message);
});

test("`tenon explain snapshot` of none names the command that lists them", async () => {
  const refused = await tenon(["explain", `snapshot/${world.namespace}/none`]);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("tenon get snapshots") });
});
