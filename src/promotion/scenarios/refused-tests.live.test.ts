import { describe, expect, test } from "vitest";
import { useTesting } from "#harness";
import { type KubeObject, refOf } from "#kube";
import { testOutput } from "#tekton";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { mostScenarios } from "./decide-tests.ts";

const world = useTesting();
const [tests, integration] = ["AppStudioTestSucceeded", "AppStudioIntegrationStatus"] as const;
const passes = { tasks: [{ name: "test", output: testOutput("SUCCESS") }] };
const large = (bytes: number) => "x".repeat(bytes);

async function owned(application: string, ...scenarios: readonly (readonly [string, object?, object?])[]) {
  await world.application(application);
  for (const [name, spec, metadata] of scenarios) await world.scenario(name, { application, ...spec }, metadata);
  return { application };
}

async function runsOf(snapshot: string): Promise<readonly KubeObject[]> {
  const labelSelector = `${promotionLabels.snapshot}=${snapshot}`;
  const selection = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace: world.namespace, labelSelector };
  return (await world.client.list(selection)).items;
}

const builtin = (...params: readonly (readonly [string, string])[]) => ({
  resolverRef: { resolver: "builtin", params: params.map(([name, value]) => ({ name, value })) },
});

test("a scenario that asks its resolver for what it does not have is invalid, and says what to write", async () => {
  const owner = await owned(
    "a-resolver",
    ["unknown", builtin(["name", "oracle"])],
    ["nowhere", builtin(["name", "job"])],
    ["extra", builtin(["name", "job"], ["configMap", "smoke"], ["colour", "red"])],
  );
  await world.snapshot("s-resolver", owner);
  const details = async (scenario: string) => (await world.waitForEntry("s-resolver", scenario, "TestInvalid")).details;
  expect(await details("unknown")).toMatch(/the resolver builtin has no "oracle"; write job/);
  expect(await details("nowhere")).toMatch(/configMap is missing; name the ConfigMap/);
  expect(await details("extra")).toMatch(/unknown parameters colour; the resolver builtin takes/);
  expect(await world.waitForCondition("s-resolver", tests, "False/Failed")).toContain("extra (TestInvalid)");
});

test("P17: a Snapshot whose Application does not exist is not tested, until it exists", async () => {
  await world.scenario("e17", { application: "a17" });
  await world.snapshot("s17", { application: "a17" });
  // Another Snapshot passes through the same queue.
  await world.application("b17");
  await world.snapshot("s17-other", { application: "b17" });
  await world.waitForCondition("s17-other", tests, "True/Passed");
  expect(await runsOf("s17")).toEqual([]);
  expect(await world.conditions("s17")).toEqual({});
  await world.application("a17");
  await world.player.finish(await world.waitForRun("s17", "e17"), passes);
  await world.waitForCondition("s17", tests, "True/Passed");
});

test("a quota that forbids the run is named with what to do, and the test starts once it is raised", async () => {
  const resource = "count/pipelineruns.tekton.dev";
  const quota = await world.client.create({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "runs", namespace: world.namespace },
    spec: { hard: { [resource]: "0" } },
  });
  const status = { hard: { [resource]: "0" }, used: { [resource]: "0" } };
  await world.client.patch(refOf(quota), { type: "merge", subresource: "status", body: { status } });
  await world.snapshot("s-quota", await owned("a-quota", ["counted"]));
  const { details } = await world.waitForEntry("s-quota", "counted", "Pending");
  expect(details).toMatch(/cannot create the run: .*exceeded quota: runs.*; raise the quota of the namespace/);
  await world.client.delete(refOf(quota));
  await world.restart();
  await world.player.finish(await world.waitForRun("s-quota", "counted"), passes);
  await world.waitForCondition("s-quota", tests, "True/Passed");
});

describe("annotations near 256 KiB", () => {
  test("a Snapshot without room for results says so and starts nothing, until there is room", async () => {
    const owner = await owned("a-full", ["full"]);
    await world.snapshot("s-full", { ...owner, annotations: { notes: large(250 * 1_024) } });
    const message = await world.waitForCondition("s-full", integration, "False/ErrorOccured");
    expect(message).toMatch(/leave no room for the results of its tests: remove large ones/);
    expect(await runsOf("s-full")).toEqual([]);
    const body = { metadata: { annotations: { notes: null } } };
    await world.client.patch(world.ref("Snapshot", "s-full"), { type: "merge", body });
    await world.player.finish(await world.waitForRun("s-full", "full"), passes);
    await world.waitForCondition("s-full", tests, "True/Passed");
  });

  test("details of results are shortened to what fits, and no result is lost", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `long-${index}`);
    const owner = await owned("a-long", ...names.map((name) => [name] as const));
    await world.snapshot("s-long", { ...owner, annotations: { notes: large(215 * 1_024) } });
    for (const name of names) {
      const run = await world.waitForRun("s-long", name);
      await world.player.finish(run, { hasFailed: true, message: `${large(2_500)} the end` });
    }
    await world.waitForCondition("s-long", tests, "False/Failed");
    const entries = await world.entries("s-long");
    expect(entries.map(({ status }) => status)).toEqual(names.map(() => "TestFail"));
    expect(entries.every(({ details }) => details.endsWith("the end"))).toBe(true);
  });
});

test("of a flood of scenarios the oldest run, the Snapshot says how many did not, and others are tested meanwhile", async () => {
  const count = mostScenarios + 5;
  await world.application("a-flood");
  const names = Array.from({ length: count }, (_, index) => `flood-${index}`);
  for (let index = 0; index < count; index += 41) {
    const batch = names.slice(index, index + 41);
    await Promise.all(batch.map((name) => world.scenario(name, { application: "a-flood" })));
  }
  await world.snapshot("s-flood", { application: "a-flood" });
  await world.snapshot("s-calm", await owned("a-calm", ["calm"]));
  await world.player.finish(await world.waitForRun("s-calm", "calm"), passes);
  await world.waitForCondition("s-calm", tests, "True/Passed");

  await world.waitFor(world.ref("Snapshot", "s-flood"), (found) => found?.["status"] !== undefined);
  const runs = await runsOf("s-flood");
  expect(runs).toHaveLength(mostScenarios);
  for (let index = 0; index < runs.length; index += 40) {
    const batch = runs.slice(index, index + 40);
    await Promise.all(batch.map(({ metadata }) => world.player.finish(metadata.name, {})));
  }
  const message = await world.waitForCondition("s-flood", tests, "False/Failed");
  expect(message).toMatch(/^5 scenarios were not run, because there are too many: delete some, such as flood-/);
}, 600_000);
