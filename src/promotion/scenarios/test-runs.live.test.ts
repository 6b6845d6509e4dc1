import { describe, expect, test } from "vitest";
import { valueAt } from "#base";
import { useTesting } from "#harness";
import type { KubeObject } from "#kube";
import { ComponentGroup } from "../kinds/component-group.ts";
import {
  copiedPacPrefix,
  promotionAnnotations,
  promotionFinalizers,
  promotionLabels,
} from "../kinds/promotion-names.ts";
import { testOutput } from "#tekton";

const world = useTesting({ timeouts: { pipeline: 2n * 3_600_000_000_000n } });
const [tests, integration, released] = [
  "AppStudioTestSucceeded",
  "AppStudioIntegrationStatus",
  "AutoReleased",
] as const;
const passes = { tasks: [{ name: "test", output: testOutput("SUCCESS") }] };
const fails = { tasks: [{ name: "test", output: testOutput("FAILURE") }] };

/** Nothing of ours keeps the run any more. */
const isReleased = (run: KubeObject | undefined): boolean => run?.metadata.finalizers === undefined;

/** Each test has an application of its own, so that scenarios of one do not test Snapshots of another. */
async function owned(application: string, ...scenarios: readonly (readonly [string, object?, object?])[]) {
  await world.application(application);
  for (const [name, spec, metadata] of scenarios) await world.scenario(name, { application, ...spec }, metadata);
  return { application };
}

describe("tests of Snapshots", () => {
  test("P20: a Snapshot gets a run of each scenario, with what the test needs to know", async () => {
    const annotations = {
      [promotionAnnotations.tasksTimeout]: "2h",
      [promotionAnnotations.finallyTimeout]: "1h",
    };
    const owner = await owned(
      "a20",
      ["e20", {}, { annotations }],
      ["named20", {}, { annotations: { [promotionAnnotations.snapshotAsName]: "true" } }],
    );
    const snapshot = await world.snapshot("s20", owner);
    const run = await world.client.get(world.ref("PipelineRun", await world.waitForRun("s20", "e20")));
    expect(run.metadata.labels).toMatchObject({
      [promotionLabels.runType]: "test",
      [promotionLabels.scenario]: "e20",
      [promotionLabels.snapshot]: "s20",
      [promotionLabels.application]: "a20",
      [promotionLabels.component]: "web",
    });
    expect(run["spec"]).toMatchObject({
      taskRunTemplate: { serviceAccountName: "konflux-integration-runner" },
      timeouts: { pipeline: "3h0m0s", tasks: "2h0m0s", finally: "1h0m0s" },
    });
    expect(JSON.parse(String(valueAt(run, ["spec", "params", 0, "value"])))).toEqual(snapshot["spec"]);
    const named = await world.client.get(world.ref("PipelineRun", await world.waitForRun("s20", "named20")));
    expect(valueAt(named, ["spec", "params", 0])).toEqual({ name: "SNAPSHOT", value: "s20" });
    await world.waitForCondition("s20", integration, "Unknown/InProgress");
    await world.waitFor(world.ref("ServiceAccount", "konflux-integration-runner"), (account) => account !== undefined);
  });

  test("P23: a run with a pruned TaskRun is invalid, and one that is deleted while it runs is final and blocks", async () => {
    const owner = await owned("a23", ["pruned"], ["deleted"]);
    await world.snapshot("s23", owner);
    const pruned = { tasks: [{ name: "one" }, { name: "two", isPruned: true }] };
    await world.player.finish(await world.waitForRun("s23", "pruned"), pruned);
    expect((await world.waitForEntry("s23", "pruned", "TestInvalid")).details).toContain("2 TaskRuns, and 1 are left");
    const run = world.ref("PipelineRun", await world.waitForRun("s23", "deleted"));
    await world.client.delete(run);
    await world.waitForEntry("s23", "deleted", "Deleted");
    expect(await world.waitForCondition("s23", tests, "False/Failed")).toContain("deleted (Deleted)");
    await world.waitFor(run, (found) => found === undefined);
  });

  test("P24: an optional test that fails does not block; P63: without a plan the Snapshot says so", async () => {
    const optional = { labels: { [promotionLabels.optional]: "true" } };
    const owner = await owned("a24", ["required24"], ["optional24", {}, optional]);
    await world.snapshot("s24", owner);
    const failing = await world.waitForRun("s24", "optional24");
    await world.player.finish(failing, fails);
    await world.waitForEntry("s24", "optional24", "TestFail");
    await world.player.finish(await world.waitForRun("s24", "required24"), passes);
    await world.waitForCondition("s24", tests, "True/Passed");
    expect(await world.waitForCondition("s24", released, "True/AutoReleased")).toBe(
      "s24 passed its tests; no ReleasePlan of a24 asks for a release",
    );
    expect(await world.waitForEntry("s24", "optional24", "TestFail")).toMatchObject({ isOptionalScenario: true });
    // What has been noted needs its run no longer.
    await world.waitFor(
      world.ref("PipelineRun", failing),
      (run) => run?.metadata.finalizers?.includes(promotionFinalizers.run) !== true,
    );
  });

  test("P25: a Snapshot without scenarios passes at once", async () => {
    await world.snapshot("s25", await owned("a25"));
    const message = await world.waitForCondition("s25", tests, "True/Passed");
    expect(message).toBe("No required IntegrationTestScenarios found, skipped testing");
    expect(await world.conditions("s25")).toMatchObject({ [integration]: "True/Finished" });
  });

  test("metrics count the runs of a Snapshot, its build and its outcome once each, and no re-run as a start", async () => {
    const counted = async (): Promise<Readonly<Record<string, number>>> => {
      const { body } = await world.metrics.expose();
      const valueOf = (name: string) =>
        Number(new RegExp(`^integration_svc_${name} (\\d+)$`, "m").exec(body)?.[1] ?? 0);
      const outcome = '{type="AppStudioTestSucceeded",reason="Failed"}';
      return {
        runs: valueOf("integration_pipelinerun_total"),
        starts: valueOf("snapshot_created_to_pipelinerun_started_seconds_count"),
        builds: valueOf("response_seconds_count"),
        failures: valueOf(`snapshot_attempt_total${outcome}`),
        durations: valueOf(`snapshot_attempt_duration_seconds_count${outcome}`),
      };
    };
    const before = await counted();
    const owner = await owned("a-count", ["one"], ["two"]);
    const finished = String(Math.floor(Date.now() / 1_000) - 30);
    await world.snapshot("s-count", { ...owner, labels: { [promotionLabels.buildFinished]: finished } });
    const [one, two] = [await world.waitForRun("s-count", "one"), await world.waitForRun("s-count", "two")];
    await world.player.finish(one, fails);
    await world.player.finish(two, passes);
    await world.waitForCondition("s-count", tests, "False/Failed");
    const labels = { [promotionLabels.rerun]: "one" };
    await world.client.patch(world.ref("Snapshot", "s-count"), { type: "merge", body: { metadata: { labels } } });
    await world.player.finish(await world.waitForRun("s-count", "one", one), passes);
    await world.waitForCondition("s-count", tests, "True/Passed");
    const after = await counted();
    const added = Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]);
    expect(Object.fromEntries(added)).toEqual({ runs: 3, starts: 2, builds: 1, failures: 1, durations: 1 });
  });

  test("P26: a failed test runs again when the label asks for it, and the Snapshot passes", async () => {
    const owner = await owned("a26", ["e26"], ["off26", { contexts: [{ name: "disabled" }] }]);
    const ref = world.ref("Snapshot", "s26");
    const ask = (run: string) =>
      world.client.patch(ref, { type: "merge", body: { metadata: { labels: { [promotionLabels.rerun]: run } } } });
    const answered = () => world.waitFor(ref, (found) => found?.metadata.labels?.[promotionLabels.rerun] === undefined);
    await world.snapshot("s26", owner);
    const first = await world.waitForRun("s26", "e26");
    await world.player.finish(first, fails);
    await world.waitForCondition("s26", tests, "False/Failed");
    await ask("ghost");
    await answered();
    expect(await world.conditions("s26")).toMatchObject({ [tests]: "False/Failed" });
    await ask("e26");
    const second = await world.waitForRun("s26", "e26", first);
    await answered();
    await world.waitForCondition("s26", tests, "Unknown/InProgress");
    expect(await world.conditions("s26")).toMatchObject({ [integration]: "Unknown/InProgress" });
    await ask("all");
    await answered();
    expect((await world.waitForEntry("s26", "e26", "InProgress")).testPipelineRunName).toBe(second);
    await world.player.finish(second, passes);
    await world.waitForCondition("s26", tests, "True/Passed");
    await ask("off26");
    await world.player.finish(await world.waitForRun("s26", "off26"), fails);
    await world.waitForEntry("s26", "off26", "TestFail");
    await world.waitForCondition("s26", tests, "True/Passed");
  });

  test("P27: two results in one second are both kept, beside what others write, sorted, and nothing is written twice", async () => {
    const owner = await owned("a27", ["zeta27"], ["alpha27"]);
    await world.snapshot("s27", owner);
    const runs = [await world.waitForRun("s27", "zeta27"), await world.waitForRun("s27", "alpha27")];
    const note = (value: string) =>
      world.client.patch(world.ref("Snapshot", "s27"), {
        type: "merge",
        body: { metadata: { annotations: { note: value } } },
      });
    await Promise.all([...runs.map((run) => world.player.finish(run, passes)), note("1"), note("2")]);
    await world.waitForCondition("s27", tests, "True/Passed");
    const entries = await world.entries("s27");
    expect(entries.map(({ scenario, status }) => `${scenario} ${status}`)).toEqual([
      "alpha27 TestPassed",
      "zeta27 TestPassed",
    ]);
    for (const run of runs) {
      await world.waitFor(world.ref("PipelineRun", run), isReleased);
    }
    const before = await world.client.get(world.ref("Snapshot", "s27"));
    await world.restart();
    await world.snapshot("s27-later", { application: "a25" });
    await world.waitForCondition("s27-later", tests, "True/Passed");
    const after = await world.client.get(world.ref("Snapshot", "s27"));
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test("P28: a test after one that fails fast fails without a run; one after another failure runs", async () => {
    for (const group of ["g28", "h28"]) {
      await world.client.create({
        apiVersion: ComponentGroup.apiVersion,
        kind: ComponentGroup.kind,
        metadata: { name: group, namespace: world.namespace },
        spec: {
          components: [],
          testGraph: { [`verify-${group}`]: [{ name: `scan-${group}`, failFast: true }, { name: `e2e-${group}` }] },
        },
      });
      for (const name of ["scan", "e2e", "verify"]) await world.scenario(`${name}-${group}`, { componentGroup: group });
      await world.snapshot(`s-${group}`, { componentGroup: group });
      await world.waitForEntry(`s-${group}`, `verify-${group}`, "Pending");
    }
    await world.player.finish(await world.waitForRun("s-g28", "scan-g28"), fails);
    const cancelled = await world.waitForEntry("s-g28", "verify-g28", "TestFail");
    expect(cancelled).toMatchObject({ details: "cancelled, because scan-g28 failed" });
    expect(cancelled).not.toHaveProperty("testPipelineRunName");
    await world.player.finish(await world.waitForRun("s-h28", "e2e-h28"), fails);
    await world.player.finish(await world.waitForRun("s-h28", "scan-h28"), passes);
    expect(await world.waitForRun("s-h28", "verify-h28")).toMatch(/^verify-h28-/);
  });

  test("P13: the runs of an older Snapshot of a pull request are cancelled so that they clean up", async () => {
    const owner = await owned("a13", ["e13"]);
    const labels = { [`${copiedPacPrefix}event-type`]: "pull_request", [`${copiedPacPrefix}pull-request`]: "7" };
    const built = (time: string, more: object = {}) => ({
      ...owner,
      labels,
      annotations: { [promotionAnnotations.buildStarted]: time, ...more },
    });
    await world.snapshot("s13-kept", built("1000", { [promotionAnnotations.ignoreSupersession]: "true" }));
    await world.snapshot("s13-old", built("2000"));
    const [kept, old] = [await world.waitForRun("s13-kept", "e13"), await world.waitForRun("s13-old", "e13")];
    await world.snapshot("s13-new", built("3000"));
    await world.waitForRun("s13-new", "e13");
    await world.waitForCondition("s13-old", integration, "True/Canceled");
    const cancelled = await world.waitFor(
      world.ref("PipelineRun", old),
      (run) => run !== undefined && run.metadata.finalizers === undefined,
    );
    expect(cancelled).toMatchObject({
      spec: { status: "CancelledRunFinally" },
      metadata: { annotations: { [`${copiedPacPrefix}cancelled`]: "true" } },
    });
    expect(await world.player.honourCancellation(old)).toEqual(["clean-up"]);
    expect((await world.client.get(world.ref("PipelineRun", kept)))["spec"]).not.toHaveProperty("status");
  });

  test("a whole PipelineRun is resolved by Tekton, and one that cannot be resolved is invalid", async () => {
    const resolverRef = { resolver: "cluster", resourceKind: "pipelinerun", params: [{ name: "name", value: "run" }] };
    const owner = await owned(
      "a-resolve",
      ["whole", { resolverRef }],
      ["broken", { resolverRef }],
      ["lost", { resolverRef: { ...resolverRef, resolver: "oracle" } }],
    );
    await world.snapshot("s-resolve", owner);
    const nameOf = async (scenario: string) =>
      (await world.waitForEntry("s-resolve", scenario, "Pending")).testPipelineRunName ?? "";
    const [whole, broken, lost] = [await nameOf("whole"), await nameOf("broken"), await nameOf("lost")];
    const text =
      "apiVersion: tekton.dev/v1\nkind: PipelineRun\nmetadata: {name: mine}\nspec: {pipelineSpec: {tasks: []}}";
    await world.player.resolve(broken, { refusal: "no such file" });
    await world.player.resolve(lost, { refusal: "resolution took longer than global timeout of 1m0s" });
    await world.player.resolve(whole, { text });
    expect((await world.waitForEntry("s-resolve", "broken", "TestInvalid")).details).toContain("no such file");
    expect((await world.waitForEntry("s-resolve", "lost", "TestInvalid")).details).toContain(
      'no resolver of the cluster answers to "oracle": correct spec.resolverRef.resolver',
    );
    expect(await world.waitForRun("s-resolve", "whole")).toBe(whole);
    const run = await world.client.get(world.ref("PipelineRun", whole));
    expect(run["spec"]).toMatchObject({ pipelineSpec: { tasks: [] }, params: [{ name: "SNAPSHOT" }] });
    await world.waitFor(world.ref("ResolutionRequest", whole), (request) => request === undefined);
  });

  test("a Snapshot can be deleted while its tests run", async () => {
    const owner = await owned("a-delete", ["e-delete"]);
    await world.snapshot("s-delete", owner);
    const run = world.ref("PipelineRun", await world.waitForRun("s-delete", "e-delete"));
    await world.client.delete(world.ref("Snapshot", "s-delete"));
    expect(isReleased(await world.waitFor(run, isReleased))).toBe(true);
  });

  test("a test as a Job needs no Tekton: its termination message is TEST_OUTPUT", async () => {
    // No fake node gets the pod: it would end it, without a message, before this test does.
    const podSpec = { schedulerName: "this-test", containers: [{ name: "test", image: "test" }] };
    const job = { apiVersion: "batch/v1", kind: "Job", spec: { template: { spec: podSpec } } };
    const metadata = { name: "smoke", namespace: world.namespace };
    await world.client.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { "job.yaml": JSON.stringify(job) },
    });
    const params = [
      { name: "name", value: "job" },
      { name: "configMap", value: "smoke" },
    ];
    const owner = await owned("a-job", ["smoke", { resolverRef: { resolver: "builtin", params } }]);
    await world.snapshot("s-job", owner);
    const name = await world.waitForRun("s-job", "smoke");
    const created = await world.client.get(world.ref("Job", name));
    expect(valueAt(created, ["spec", "template", "spec", "serviceAccountName"])).toBe("konflux-integration-runner");
    const pods = { apiVersion: "v1", kind: "Pod", namespace: world.namespace, labelSelector: `job-name=${name}` };
    await expect.poll(async () => (await world.client.list(pods)).items.length).toBe(1);
    const [pod] = (await world.client.list(pods)).items;
    const message = JSON.stringify(testOutput("WARNING"));
    const terminated = { exitCode: 0, message };
    const status = {
      phase: "Succeeded",
      containerStatuses: [
        { name: "test", image: "test", imageID: "", ready: false, restartCount: 0, state: { terminated } },
      ],
    };
    const ref = { apiVersion: "v1", kind: "Pod", namespace: world.namespace, name: pod?.metadata.name ?? "" };
    await world.client.patch(ref, { type: "merge", subresource: "status", body: { status } });
    await world.waitForEntry("s-job", "smoke", "TestWarning");
    await world.waitForCondition("s-job", tests, "True/Passed");
  });
});
