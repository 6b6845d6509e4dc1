import { beforeAll, expect, test } from "vitest";
import { testKubeconfig, useTesting } from "#harness";
import { Component, promotionAnnotations } from "#promotion";
import { testOutput } from "#tekton";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = useTesting();
const digest = "7654321".padEnd(64, "0");
const candidate = `reg.local:5000/acme/web@sha256:${digest}`;
const builtAt = Date.parse("2026-01-02T03:04:05Z");

beforeAll(async () => {
  await world.scenario("e2e");
  await world.application("blog");
  const { apiVersion, kind } = Component;
  for (const [name, application] of [
    ["api", "shop"],
    ["web", "shop"],
    ["lost", "nowhere"],
    ["posts", "blog"],
  ] as const) {
    const annotations = { [promotionAnnotations.lastBuildTime]: String(builtAt / 1_000) };
    const source = { git: { url: `https://git.example/acme/${name}` } };
    await world.client.create({
      apiVersion,
      kind,
      metadata: { name, namespace: world.namespace, ...(name === "api" ? {} : { annotations }) },
      spec: { componentName: name, application, source },
    });
    if (name === "api") continue;
    const body = { status: { lastPromotedImage: candidate, lastBuiltCommit: "c0ffee" } };
    const ref = { apiVersion, kind, namespace: world.namespace, name };
    await world.client.patch(ref, { type: "merge", subresource: "status", body });
  }
  await world.snapshot("shop-20260102-030405-678");
  const run = await world.waitForRun("shop-20260102-030405-678", "e2e");
  await world.player.finish(run, { tasks: [{ name: "test", output: testOutput("FAILURE") }] });
  await world.waitForCondition("shop-20260102-030405-678", "AppStudioTestSucceeded", "False/Failed");
  // A newer one of a pull request says nothing about the branch.
  const pac = "pac.test.appstudio.openshift.io";
  await world.snapshot("shop-20260102-030406-000", {
    labels: { [`${pac}/event-type`]: "pull_request", [`${pac}/pull-request`]: "7" },
  });
});

async function tenon(words: readonly string[], columns?: number) {
  const env = { NO_COLOR: "1", KUBECONFIG: testKubeconfig() };
  const shell = new FakeShell({ env, ...(columns === undefined ? {} : { columns }) });
  const exitCode = await runCommandLine([...words, "-n", world.namespace], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

async function rows(...words: readonly string[]) {
  const { stdout, stderr } = await tenon([...words, "-o", "json"]);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test("`tenon get components` shows candidates, last Snapshots and problems, trouble first", async () => {
  const { namespace } = world;
  const shared = { namespace, candidate, commit: "c0ffee", built: new Date(builtAt).toISOString() };
  expect(await rows("get", "components")).toEqual([
    {
      namespace,
      component: "api",
      application: "shop",
      problem: `it has no image: build it, or say what was built with \`tenon promote build -n ${namespace} --component api\``,
    },
    {
      ...shared,
      component: "lost",
      application: "nowhere",
      problem: "Application nowhere not found: create it, or correct spec.application",
    },
    {
      ...shared,
      component: "web",
      application: "shop",
      snapshot: "shop-20260102-030405-678",
      state: "Failed",
      problem: `e2e failed: see \`tenon explain snapshot/${namespace}/shop-20260102-030405-678\``,
    },
    { ...shared, component: "posts", application: "blog" },
  ]);
  expect(await rows("get", "components", `${namespace}/posts`)).toEqual([
    { ...shared, component: "posts", application: "blog" },
  ]);
});

test("`tenon get applications` shows components, newest Snapshot and problems, trouble first", async () => {
  const { namespace } = world;
  expect(await rows("get", "applications")).toEqual([
    {
      namespace,
      application: "shop",
      components: ["api", "web"],
      snapshot: "shop-20260102-030405-678",
      state: "Failed",
      created: expect.stringMatching(/^\d{4}-/),
      problem: `e2e failed: see \`tenon explain snapshot/${namespace}/shop-20260102-030405-678\``,
    },
    { namespace, application: "blog", components: ["posts"] },
  ]);
});

test.for([
  { kind: "components", line: /web +shop +7654321 +\d+ \w+ +\S*0405-678 +Failed/ },
  { kind: "applications", line: /shop +api, web +\S*0405-678 +Failed/ },
])("the table of $kind fits 80 columns, with problems below it", async ({ kind, line }) => {
  const { stdout } = await tenon(["get", kind], 80);
  expect(stdout).toMatch(line);
  expect(stdout).toMatch(/\n {2}e2e failed: see/);
  for (const printed of stdout.split("\n")) expect(printed.length).toBeLessThanOrEqual(80);
});

test("one that does not exist is refused with the command that lists them", async () => {
  const refused = await tenon(["get", "components", "none"]);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("tenon get components --all") });
});
