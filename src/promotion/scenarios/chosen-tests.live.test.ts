import { expect, test } from "vitest";
import { valueAt } from "#base";
import { testKubeconfig, useTesting } from "#harness";
import { connect, createClient, type KubeObject, loadAccess, type Transport } from "#kube";
import { testOutput } from "#tekton";
import { copiedPacPrefix, promotionLabels } from "../kinds/promotion-names.ts";

const world = useTesting();
const pac = (name: string) => `${copiedPacPrefix}${name}`;
const typed = (type: string) => ({ [promotionLabels.snapshotType]: type });
const ofPullRequest = { [pac("event-type")]: "pull_request", [pac("pull-request")]: "7" };

const ownedBy = (name: string) => (scenario: KubeObject | undefined) =>
  JSON.stringify(scenario?.metadata.ownerReferences ?? []).includes(`"name":"${name}"`);

test("P18: each Snapshot is tested by the scenarios whose contexts it matches, and by no others", async () => {
  const contexts: Readonly<Record<string, readonly string[]>> = {
    always: [],
    application: ["application"],
    component: ["component"],
    "component-web": ["component_web"],
    push: ["push"],
    "pull-request": ["pull_request"],
    group: ["group"],
    override: ["override"],
    disabled: ["disabled"],
    "push-or-group": ["push", "group"],
  };
  await world.application("a18");
  for (const [name, words] of Object.entries(contexts)) {
    await world.scenario(name, { application: "a18", contexts: words.map((word) => ({ name: word })) });
  }
  const ofBuild = ["always", "application", "component", "component-web"];
  const rows = [
    { name: "pushed", labels: {}, expected: [...ofBuild, "push", "push-or-group"] },
    { name: "pulled", labels: ofPullRequest, expected: [...ofBuild, "pull-request"] },
    {
      name: "grouped",
      labels: { ...typed("group"), [pac("event-type")]: "pull_request", [promotionLabels.component]: "none" },
      expected: ["always", "application", "pull-request", "group", "push-or-group"],
    },
    {
      name: "by-hand",
      labels: { ...typed("override"), [promotionLabels.component]: "none" },
      expected: ["always", "application", "push", "override", "push-or-group"],
    },
    {
      name: "queued",
      labels: { [pac("event-type")]: "push" },
      annotations: { [pac("source-branch")]: "refs/heads/gh-readonly-queue/main/pr-12-abc" },
      expected: [...ofBuild, "pull-request"],
    },
  ];
  for (const { name, labels, annotations } of rows) {
    await world.snapshot(name, { application: "a18", labels, ...(annotations ? { annotations } : {}) });
  }
  for (const { name, expected } of rows) {
    await world.waitForRun(name, "always");
    const tested = (await world.entries(name)).map(({ scenario }) => scenario);
    expect({ name, tested }).toEqual({ name, tested: expected.toSorted() });
  }
});

test("P21: the run of a pull request resolves the test from the fork, and other runs from where the scenario says", async () => {
  const repository = "https://git.example/acme/web";
  const at = (revision: string) => ({
    resolverRef: {
      resolver: "git",
      params: Object.entries({ url: repository, revision, pathInRepo: "test.yaml" }).map(([name, value]) => ({
        name,
        value,
      })),
    },
  });
  await world.application("a21");
  await world.scenario("at-main", { application: "a21", ...at("main") });
  await world.scenario("at-v2", { application: "a21", ...at("v2") });
  const head = "c0ffee".repeat(6);
  const annotations = {
    [pac("repo-url")]: repository,
    [pac("branch")]: "main",
    [pac("source-repo-url")]: "https://git.example/bob/web",
    [pac("sha")]: head,
  };
  await world.snapshot("s21-pull", { application: "a21", labels: ofPullRequest, annotations });
  await world.snapshot("s21-push", { application: "a21", annotations });
  const resolved = async (snapshot: string, scenario: string) => {
    const run = await world.client.get(world.ref("PipelineRun", await world.waitForRun(snapshot, scenario)));
    const params = valueAt(run, ["spec", "pipelineRef", "params"]);
    return Array.isArray(params) ? params.map(({ value }) => String(value)).slice(0, 2) : [];
  };
  expect(await resolved("s21-pull", "at-main")).toEqual(["https://git.example/bob/web.git", head]);
  expect(await resolved("s21-pull", "at-v2")).toEqual([repository, "v2"]);
  expect(await resolved("s21-push", "at-main")).toEqual([repository, "main"]);
});

test("P22: what the tasks of a run say in TEST_OUTPUT decides", async () => {
  const good = testOutput("SUCCESS");
  const timed = (timestamp: string) => ({ ...good, timestamp });
  const { failures: _, ...incomplete } = { failures: 0, ...good };
  const rows: Readonly<Record<string, readonly [outputs: readonly unknown[], status: string, details?: string]>> = {
    success: [[good], "TestPassed"],
    skipped: [[testOutput("SKIPPED")], "TestPassed"],
    warning: [[testOutput("WARNING")], "TestWarning"],
    failure: [[testOutput("FAILURE")], "TestFail", "FAILURE: 3 passed, 1 failed"],
    error: [[testOutput("ERROR")], "TestFail", "ERROR"],
    "not-json": [["{"], "TestFail", "TEST_OUTPUT of task-0: is not JSON"],
    incomplete: [[incomplete], "TestFail", "TEST_OUTPUT of task-0: failures: expected a number"],
    seconds: [[timed("1700000000")], "TestPassed"],
    zoned: [[timed("2026-01-02T03:04:05+02:00")], "TestPassed"],
    zoneless: [[timed("2026-01-02T03:04:05")], "TestPassed"],
    yesterday: [[timed("yesterday")], "TestFail", "TEST_OUTPUT of task-0: timestamp"],
    silent: [[undefined], "TestPassed"],
    warned: [[good, testOutput("WARNING")], "TestWarning"],
    mixed: [[good, testOutput("FAILURE")], "TestFail"],
  };
  await world.application("a22");
  for (const name of Object.keys(rows)) await world.scenario(name, { application: "a22" });
  await world.snapshot("s22", { application: "a22" });
  for (const [name, [outputs]] of Object.entries(rows)) {
    const tasks = outputs.map((output, index) => ({ name: `task-${index}`, output }));
    await world.player.finish(await world.waitForRun("s22", name), { tasks });
  }
  for (const [name, [, status, details = ""]] of Object.entries(rows)) {
    expect((await world.waitForEntry("s22", name, status)).details).toContain(details);
  }
  await world.waitForCondition("s22", "AppStudioTestSucceeded", "False/Failed");
});

test("P19: a scenario belongs to the Application that it names, also one that comes later, and to no other", async () => {
  const scenario = await world.scenario("early", { application: "a19" });
  await world.application("a19");
  const ref = { apiVersion: scenario.apiVersion, kind: scenario.kind, namespace: world.namespace, name: "early" };
  const owned = await world.waitFor(ref, ownedBy("a19"));
  expect(owned?.metadata.ownerReferences).toMatchObject([
    { kind: "Application", name: "a19", controller: false, blockOwnerDeletion: false },
  ]);
  await world.application("b19");
  await world.client.patch(ref, { type: "merge", body: { spec: { application: "b19" } } });
  const moved = await world.waitFor(ref, ownedBy("b19"));
  expect(moved?.metadata.ownerReferences).toHaveLength(1);
});

test("P25: a Snapshot does not pass without a scenario that the watch has not delivered yet", async () => {
  await using transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  const scenarios = "/integrationtestscenarios";
  let delivery = Promise.resolve();
  let lists = 0;
  async function* delayed(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      await delivery;
      yield chunk;
    }
  }
  const lagging: Transport = {
    cluster: transport.cluster,
    send(request, signal) {
      if (request.method === "GET" && request.path.includes(scenarios)) lists += 1;
      return transport.send(request, signal);
    },
    async open(request, signal) {
      const chunks = await transport.open(request, signal);
      return request.path.includes(scenarios) ? delayed(chunks) : chunks;
    },
    impersonate: (identity) => transport.impersonate(identity),
    [Symbol.asyncDispose]: async () => {},
  };
  await world.application("a-lag");
  await world.restart({ client: createClient(lagging) });
  await world.snapshot("s-before", { application: "a-lag" });
  await world.waitForCondition("s-before", "AppStudioTestSucceeded", "True/Passed");
  const { promise, resolve } = Promise.withResolvers<void>();
  delivery = promise;
  await world.scenario("unseen", { application: "a-lag" });
  const before = lists;
  await world.snapshot("s-lag", { application: "a-lag" });
  await expect.poll(() => lists, { timeout: 300_000 }).toBeGreaterThan(before);
  resolve();
  await world.player.finish(await world.waitForRun("s-lag", "unseen"), {
    tasks: [{ name: "test", output: testOutput("FAILURE") }],
  });
  await world.waitForCondition("s-lag", "AppStudioTestSucceeded", "False/Failed");
  // The next test must not wait for a connection that is closed.
  await world.restart();
});
