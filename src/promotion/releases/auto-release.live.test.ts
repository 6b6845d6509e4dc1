import { describe, expect, test } from "vitest";
import { createMetrics, silentLogger, systemClock } from "#base";
import { testKubeconfig } from "#harness";
import { connect, createClient, type KubeObject, loadAccess, refOf } from "#kube";
import { runControllers } from "#runtime";
import { testOutput } from "#tekton";
import { createTesting } from "../create-testing.ts";
import { Component } from "../kinds/component.ts";
import { IntegrationTestScenario } from "../kinds/integration-test-scenario.ts";
import {
  copiedPacPrefix,
  pacNames,
  promotionAnnotations,
  promotionLabels,
  releaseConditions,
  snapshotConditions,
} from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { parseTestStatuses } from "../scenarios/test-statuses.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";
import { automatedReleaseName } from "./decide-auto-release.ts";
import { conditionsIn, messageIn, startedAt, useReleases } from "./use-releases.fixture.ts";

const world = useReleases();
const expression = (text: string) => ({ [promotionAnnotations.autoRelease]: text });
const noRelease = { [`${promotionAnnotations.resultPrefix}should-release`]: "false" };

/** Changes a Snapshot in a way that has no effect, and so makes every replica look at it again. */
async function touch(name: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const body = { metadata: { annotations: { touched: String(time) } } };
    await world.client.patch(world.ref(Snapshot, name), { type: "merge", body });
  }
}

/** A Snapshot without plans is looked at after all that came before it. */
async function settle(name: string): Promise<void> {
  await world.snapshot(name, { application: "nobody" });
  await world.waitForAutoReleased(name);
}

describe("auto-release", () => {
  test("P29: a passed Snapshot is released once by a plan, through ten reconciles, two replicas and a restart", async () => {
    const measured = [createMetrics(), createMetrics(), createMetrics()] as const;
    const stops = [await world.start({ metrics: measured[0] }), await world.start({ metrics: measured[1] })];
    await world.plan("p29", { application: "a29" });
    const sha = { [`${copiedPacPrefix}${pacNames.sha}`]: "0123456789abcdef" };
    await world.snapshot("s29", { application: "a29", labels: sha });
    const message = await world.waitForAutoReleased("s29");
    const [release, ...more] = await world.releasesOf("s29");
    expect(more).toEqual([]);
    expect(release?.metadata.name).toMatch(/^s29-0123456-[0-9a-z]{8}$/);
    expect(message).toBe(`plan p29 releases it as ${release?.metadata.name}`);
    expect(release?.metadata.labels).toEqual({
      ...sha,
      [promotionLabels.automated]: "true",
      [promotionLabels.releasedSnapshot]: "s29",
      [promotionLabels.releasePlan]: "p29",
    });
    const marked = await world.waitFor(world.ref(Release, release?.metadata.name ?? ""), (found) =>
      JSON.stringify(found?.["status"] ?? {}).includes('"automated":true'),
    );
    expect(marked?.["spec"]).toMatchObject({ snapshot: "s29", releasePlan: "p29" });
    await touch("s29", 10);
    // The condition is lost, as in a restored backup: the name alone keeps the Release the only one.
    const body = { status: { conditions: null } };
    const forgotten = await world.client.patch(world.ref(Snapshot, "s29"), {
      type: "merge",
      subresource: "status",
      body,
    });
    for (const stop of stops) await stop();
    await world.conclude(forgotten, "True");
    await world.start({ metrics: measured[2] });
    await world.waitForAutoReleased("s29");
    expect((await world.releasesOf("s29")).map(({ metadata }) => metadata.uid)).toEqual([release?.metadata.uid]);
    const pages = await Promise.all(measured.map(async (metrics) => (await metrics.expose()).body));
    expect(
      pages
        .join("\n")
        .match(/^integration_svc_release_latency_seconds_count \d+$/gm)
        ?.toSorted(),
    ).toEqual([0, 0, 1].map((count) => `integration_svc_release_latency_seconds_count ${count}`));
  });

  test("P31: a Snapshot of a pull request, of a group, or with the label is not released", async () => {
    await world.plan("p31", { application: "a31" });
    const pull = {
      [`${copiedPacPrefix}${pacNames.eventType}`]: "pull_request",
      [`${copiedPacPrefix}${pacNames.pullRequest}`]: "7",
    };
    await world.snapshot("s31-pull", { application: "a31", labels: pull });
    await world.snapshot("s31-group", { application: "a31", labels: { [promotionLabels.snapshotType]: "group" } });
    await world.snapshot("s31-kept", { application: "a31", labels: { [promotionLabels.autoRelease]: "false" } });
    const queued = { [`${copiedPacPrefix}${pacNames.sourceBranch}`]: "gh-readonly-queue/main/pr-12-abc" };
    await world.snapshot("s31-queued", { application: "a31", annotations: queued });
    await world.snapshot("s31-failed", { application: "a31", tests: "False" });
    await world.snapshot("s31-untested", { application: "a31", tests: undefined });
    await world.snapshot("s31", { application: "a31" });
    await world.waitForAutoReleased("s31");
    await settle("s31-last");
    for (const name of ["s31-pull", "s31-group", "s31-kept", "s31-queued", "s31-failed", "s31-untested"]) {
      expect(await world.releasesOf(name)).toEqual([]);
      const found = await world.client.get(world.ref(Snapshot, name));
      expect(conditionsIn(found)).not.toHaveProperty(snapshotConditions.released);
    }
  });

  test("P15: an override that is not judged yet is released only if its Components exist and its images have digests", async () => {
    await world.plan("p15", { application: "a15" });
    const { apiVersion, kind } = Component;
    const metadata = { name: "web", namespace: world.namespace };
    const source = { git: { url: "https://git.example/acme/web" } };
    await world.client.create({
      apiVersion,
      kind,
      metadata,
      spec: { componentName: "web", application: "a15", source },
    });
    const override = { [promotionLabels.snapshotType]: "override" };
    const image = `reg.local:5000/acme/web@sha256:${"1".repeat(64)}`;
    const rows = {
      "s15-ghost": [{ name: "ghost", containerImage: image }],
      "s15-tag": [{ name: "web", containerImage: "reg.local:5000/acme/web:latest" }],
      s15: [{ name: "web", containerImage: image }],
    };
    for (const [name, components] of Object.entries(rows)) {
      await world.snapshot(name, { application: "a15", labels: override, components });
    }
    await world.waitForAutoReleased("s15");
    expect(await world.releasesOf("s15")).toHaveLength(1);
    await settle("s15-last");
    for (const name of ["s15-ghost", "s15-tag"]) expect(await world.releasesOf(name)).toEqual([]);
  });

  test("P32: a plan whose expression is broken says so, and blocks no other plan; once corrected it releases", async () => {
    const broken = await world.plan("p32-broken", { application: "a32", annotations: expression("1 + 1") });
    await world.plan("p32-api", { application: "a32", annotations: expression("updatedComponentIs('api')") });
    await world.plan("p32-web", { application: "a32", annotations: expression("updatedComponentIs('web')") });
    await world.plan("p32-should", { application: "a32", annotations: expression("shouldRelease()") });
    await world.plan("p32-always", { application: "a32", annotations: expression("true") });
    await world.plan("p32-label", { application: "a32" });
    await world.plan("p32-off", { application: "a32", labels: { [promotionLabels.autoRelease]: "false" } });
    await world.snapshot("s32", { application: "a32", annotations: noRelease });
    const plan = await world.waitFor(
      refOf(broken),
      (found) => conditionsIn(found)[releaseConditions.evaluated] === "False/Failed",
    );
    expect(messageIn(plan, releaseConditions.evaluated)).toContain("not a boolean");
    const plansOf = async () => (await world.releasesOf("s32")).map(({ spec }) => JSON.stringify(spec));
    await expect.poll(plansOf, { timeout: 300_000 }).toHaveLength(2);
    const names = (await plansOf()).map((spec) => /p32-[a-z]+/.exec(spec)?.[0]);
    expect(new Set(names)).toEqual(new Set(["p32-always", "p32-web"]));
    const body = { metadata: { annotations: expression("snapshot.spec.components.size() > 1") } };
    await world.client.patch(refOf(broken), { type: "merge", body });
    const message = await world.waitForAutoReleased("s32");
    expect(message).toContain("plan p32-broken does not release it: its expression is false");
    expect(message).toContain("plan p32-label does not release it: the build's result SHOULD_RELEASE is false");
    expect(message).toContain(`plan p32-off does not release it: its label ${promotionLabels.autoRelease} is "false"`);
    await world.waitFor(
      world.ref(ReleasePlan, "p32-broken"),
      (found) => conditionsIn(found)[releaseConditions.evaluated] === "True/Succeeded",
    );
    expect(await world.releasesOf("s32")).toHaveLength(2);
  });

  test("P33: a Snapshot is not released after a newer one of its component exists, unless its plan asks for a passed one", async () => {
    await world.plan("p33", { application: "a33" });
    const passed = { [promotionAnnotations.supersession]: "NewerPassed" };
    await world.plan("p33-passed", { application: "a33", annotations: passed });
    const [ten, later] = [Date.parse("2026-01-02T10:00:00Z"), Date.parse("2026-01-02T10:05:00Z")];
    // One in seconds, one in milliseconds: both occur.
    const newer = await world.snapshot("s33-newer", {
      application: "a33",
      annotations: startedAt(later / 1_000),
      tests: undefined,
    });
    await world.snapshot("s33-older", { application: "a33", annotations: startedAt(ten) });
    const message = await world.waitForAutoReleased("s33-older");
    expect(message).toContain("plan p33 releases the newer Snapshot s33-newer in its place");
    expect(message).toContain("plan p33-passed releases it as s33-older-");
    expect(await world.releasesOf("s33-older")).toHaveLength(1);
    const ignored = { ...startedAt(ten), [promotionAnnotations.ignoreSupersession]: "true" };
    await world.snapshot("s33-ignored", { application: "a33", annotations: ignored });
    await world.waitForAutoReleased("s33-ignored");
    expect(await world.releasesOf("s33-ignored")).toHaveLength(2);
    await world.conclude(newer, "True");
    await world.waitForAutoReleased("s33-newer");
    expect(await world.releasesOf("s33-newer")).toHaveLength(2);
    await world.snapshot("s33-oldest", { application: "a33", annotations: startedAt(ten - 60_000) });
    await world.waitForAutoReleased("s33-oldest");
    expect(await world.releasesOf("s33-oldest")).toEqual([]);
  });

  test("P63: a Snapshot that passed says that no plan asks for a release", async () => {
    await world.snapshot("s63", { application: "a63" });
    expect(await world.waitForAutoReleased("s63")).toBe("s63 passed its tests; no ReleasePlan asks for a release");
  });

  test("a Release that a user prepared under the name of an automated one is not marked as automated", async () => {
    await world.plan("taken", { application: "taken" });
    const snapshot = await world.snapshot("taken", { application: "taken", tests: undefined });
    const { apiVersion, kind } = Release;
    const name = automatedReleaseName(readSnapshot(snapshot), "taken");
    const labels = { [promotionLabels.automated]: "true" };
    const spec = { snapshot: "taken", releasePlan: "taken", data: { mapping: {} } };
    await world.client.create({ apiVersion, kind, metadata: { name, namespace: world.namespace, labels }, spec });
    await world.conclude(snapshot, "True");
    await world.waitForAutoReleased("taken");
    await settle("taken-last");
    const [found] = await world.releasesOf("taken");
    expect(JSON.stringify(found?.["status"] ?? {})).not.toContain("automated");
  });
});

describe("with the tests of Snapshots beside it", () => {
  test("P26: a Snapshot whose failed test is run again and passes is released, and not before", async () => {
    await using _ = await startTesting(world.namespace);
    await world.start();
    await world.application("a26");
    await world.plan("p26", { application: "a26" });
    const { apiVersion, kind } = IntegrationTestScenario;
    const metadata = { name: "e26", namespace: world.namespace };
    const resolverRef = { resolver: "cluster", params: [{ name: "name", value: "e2e" }] };
    await world.client.create({ apiVersion, kind, metadata, spec: { application: "a26", resolverRef } });
    await world.snapshot("s26", { application: "a26", tests: undefined });
    const ref = world.ref(Snapshot, "s26");
    const concluded = (state: string) =>
      world.waitFor(ref, (found) => conditionsIn(found)[snapshotConditions.tests] === state);
    const runBeside = async (before: string): Promise<string> => {
      const found = await world.waitFor(ref, (snapshot) => ![before, ""].includes(runIn(snapshot)));
      return runIn(found);
    };
    const first = await runBeside("");
    await world.player.finish(first, { tasks: [{ name: "unit", output: testOutput("FAILURE") }] });
    await concluded("False/Failed");
    await settle("s26-between");
    expect(await world.releasesOf("s26")).toEqual([]);
    const body = { metadata: { labels: { [promotionLabels.rerun]: "e26" } } };
    await world.client.patch(ref, { type: "merge", body });
    const second = await runBeside(first);
    const running = await concluded("Unknown/InProgress");
    expect(conditionsIn(running)[snapshotConditions.integration]).toBe("Unknown/InProgress");
    expect(running?.metadata.labels).not.toHaveProperty(promotionLabels.rerun);
    expect(await world.releasesOf("s26")).toEqual([]);
    await world.player.finish(second, { tasks: [{ name: "unit", output: testOutput("SUCCESS") }] });
    await concluded("True/Passed");
    expect(await world.waitForAutoReleased("s26")).toMatch(/^plan p26 releases it as /);
    expect(await world.releasesOf("s26")).toHaveLength(1);
  });

  test("P32: a plan whose label says false and whose expression says true is asked, and the Snapshot does not say that no plan asks", async () => {
    await using _ = await startTesting(world.namespace);
    await world.start();
    await world.application("b32");
    const labels = { [promotionLabels.autoRelease]: "false", [promotionLabels.standingAttribution]: "true" };
    await world.plan("b32", { application: "b32", labels, annotations: expression("true") });
    await world.snapshot("by-expression", { application: "b32", tests: undefined });
    expect(await world.waitForAutoReleased("by-expression")).toMatch(/^plan b32 releases it as /);
    expect(await world.releasesOf("by-expression")).toHaveLength(1);
  });
});

/** The run of the only test of a Snapshot that has started. */
function runIn(snapshot: KubeObject | undefined): string {
  const [entry] = parseTestStatuses(snapshot?.metadata.annotations?.[promotionAnnotations.testStatus]);
  return entry?.status === "InProgress" ? (entry.testPipelineRunName ?? "") : "";
}

async function startTesting(namespace: string): Promise<AsyncDisposable> {
  const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  const given = { client: createClient(transport), clock: systemClock, random: Math.random, log: silentLogger };
  const ending = new AbortController();
  const controllers = createTesting({ ...given, namespace });
  const ended = runControllers({ ...given, controllers, graceMs: 0 }, ending.signal);
  ended.catch(() => {});
  return {
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("the test is over"));
      await using _ = transport;
      await ended;
    },
  };
}
