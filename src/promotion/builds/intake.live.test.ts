import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import {
  copiedPacPrefix,
  pacPrefix,
  promotionAnnotations,
  promotionFinalizers,
  promotionLabels,
  snapshotConditions,
} from "../kinds/promotion-names.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { componentsOf } from "../snapshots/judge-snapshot.ts";
import { snapshotCondition } from "../snapshots/snapshot-condition.ts";
import { currentCandidate } from "./candidate-list.ts";
import { sampleDigest, pullRequest, registry, type RunOptions, useIntake, writesTo } from "./use-intake.fixture.ts";

const world = useIntake();
const annotation = (object: KubeObject, name: string) => object.metadata.annotations?.[name];
const images = (snapshot: KubeObject) => componentsOf(snapshot).map(({ containerImage }) => containerImage);

const isHeld = ({ metadata: { finalizers = [] } }: KubeObject) => finalizers.includes(promotionFinalizers.run);
const waits = (found: KubeObject) =>
  (annotation(found, promotionAnnotations.groupStatus) ?? "").includes("waits for the build api");
const hasGroup = (found: KubeObject) =>
  (annotation(found, promotionAnnotations.groupStatus) ?? "").startsWith("created");
const isAlone = (found: KubeObject) =>
  (annotation(found, promotionAnnotations.groupStatus) ?? "").startsWith("fewer than 2");
const isCanceled = (found: KubeObject) =>
  snapshotCondition(found, snapshotConditions.integration)?.reason === "Canceled";
const override = (name: string, application: string, components: readonly object[]) => ({
  apiVersion: Snapshot.apiVersion,
  kind: Snapshot.kind,
  metadata: { name, labels: { [promotionLabels.snapshotType]: "override" } },
  spec: { application, components },
});
const isMarked = (found: KubeObject) => annotation(found, promotionAnnotations.candidate) !== undefined;
const isInvalid = (found: KubeObject) => snapshotCondition(found, snapshotConditions.integration)?.reason === "Invalid";
const integrationReason = (found: KubeObject) => snapshotCondition(found, snapshotConditions.integration)?.reason;

describe("a finished build", () => {
  test("P1: a push build becomes the candidate and a Snapshot, in four writes", async () => {
    const shop = await world.shop();
    await shop.build("r1", { succeeded: "Unknown" });
    await shop.waitFor(shop.ref("PipelineRun", "r1"), isHeld);
    for (const name of ["web", "api", "db"]) {
      await shop.waitFor(shop.ref("Component", name), ({ metadata: { finalizers = [] } }) => finalizers.length > 0);
    }
    world.calls.length = 0;
    await shop.finish("r1");
    const snapshot = await shop.snapshotOf("r1");
    expect(snapshot.metadata.name).toBe("shop-20260102-030405-678");
    expect(images(snapshot)).toEqual([`${registry}/web@${sampleDigest(1)}`]);
    expect(snapshot.metadata.labels).toMatchObject({
      [promotionLabels.snapshotType]: "component",
      [promotionLabels.component]: "web",
      [promotionLabels.application]: "shop",
      [promotionLabels.buildRun]: "r1",
      [promotionLabels.buildFinished]: String(Date.parse("2026-01-02T03:05:05Z") / 1_000),
    });
    expect(annotation(snapshot, promotionAnnotations.snapshotStatus)).toContain("api, db");
    expect(annotation(snapshot, promotionAnnotations.buildStarted)).toBe(
      String(Date.parse("2026-01-02T03:04:05.678Z")),
    );
    expect(annotation(snapshot, promotionAnnotations.workflow)).toBe("push");
    expect(annotation(snapshot, `${promotionAnnotations.resultPrefix}image-digest`)).toBe(sampleDigest(1));
    const web = await world.client.get(shop.ref("Component", "web"));
    expect(currentCandidate(web)).toEqual({ image: `${registry}/web@${sampleDigest(1)}`, commit: "c1" });
    expect(annotation(web, promotionAnnotations.lastBuildTime)).toBe(
      String(Date.parse("2026-01-02T03:04:05Z") / 1_000),
    );
    const run = await world.client.get(shop.ref("PipelineRun", "r1"));
    expect(run.metadata.finalizers ?? []).toEqual([]);
    expect(annotation(run, promotionAnnotations.snapshots)).toBe(snapshot.metadata.name);
    expect(JSON.parse(annotation(run, promotionAnnotations.candidate) ?? "")).toMatchObject({ result: true });
    expect(JSON.parse(annotation(run, promotionAnnotations.snapshotStatus) ?? "")).toMatchObject({ status: "success" });
    expect(writesTo(world.calls, shop.namespace)).toHaveLength(4);
  });

  test("P5: the Snapshot has the candidates of the other components, with their commits", async () => {
    const shop = await world.shop();
    await shop.build("r-api", { component: "api", digit: 2 });
    await shop.snapshotOf("r-api");
    await shop.build("r-db", { component: "db", digit: 3, startTime: "2026-01-02T04:00:00Z" });
    await shop.snapshotOf("r-db");
    await shop.build("r-web", { digit: 1, startTime: "2026-01-02T05:00:00Z" });
    const rows = componentsOf(await shop.snapshotOf("r-web"));
    expect(rows.map(({ name, containerImage, source }) => [name, containerImage, source?.git?.revision])).toEqual([
      ["api", `${registry}/api@${sampleDigest(2)}`, "c2"],
      ["db", `${registry}/db@${sampleDigest(3)}`, "c3"],
      ["web", `${registry}/web@${sampleDigest(1)}`, "c1"],
    ]);
  });

  test("P6: a build that started earlier and ends later has a Snapshot, and does not become the candidate", async () => {
    const shop = await world.shop(["web"]);
    await shop.build("newer", { digit: 2, startTime: "2026-01-02T10:05:00Z" });
    await shop.snapshotOf("newer");
    await shop.build("older", { digit: 1, startTime: "2026-01-02T10:00:00Z" });
    expect(images(await shop.snapshotOf("older"))).toEqual([`${registry}/web@${sampleDigest(1)}`]);
    expect(currentCandidate(await world.client.get(shop.ref("Component", "web"))).image).toContain(sampleDigest(2));
  });

  test("P8: two builds of one moment have two Snapshots, the second with two letters more", async () => {
    const shop = await world.shop();
    await shop.build("r-web");
    await shop.build("r-api", { component: "api" });
    const names = [await shop.snapshotOf("r-web"), await shop.snapshotOf("r-api")].map(({ metadata }) => metadata.name);
    expect(names.toSorted((one, other) => one.length - other.length)).toEqual([
      "shop-20260102-030405-678",
      expect.stringMatching(/^shop-20260102-030405-678-[0-9a-z]{2}$/),
    ]);
  });

  const refused: readonly (readonly [string, RunOptions, string])[] = [
    ["P3: a missing result", { results: { IMAGE_DIGEST: undefined } }, "IMAGE_DIGEST"],
    ["P4: a digest that is none", { results: { IMAGE_DIGEST: "sha256:zz" } }, "sha256:zz"],
    ["an unknown component", { component: "ghost" }, "Component ghost not found"],
  ];
  test.each(refused)("%s is said on the run, which is let go and not tried again", async (_, options, message) => {
    const shop = await world.shop(["web"]);
    await shop.build("bad", options);
    const run = await shop.waitFor(shop.ref("PipelineRun", "bad"), (found) =>
      (annotation(found, promotionAnnotations.snapshotStatus) ?? "").includes(message),
    );
    expect(JSON.parse(annotation(run, promotionAnnotations.snapshotStatus) ?? "")).toMatchObject({ status: "failed" });
    expect(run.metadata.finalizers ?? []).toEqual([]);
    // Another build of the same namespace passes through the same queue.
    await shop.build("good", { digit: 4 });
    await shop.snapshotOf("good");
    const after = await world.client.get(shop.ref("PipelineRun", "bad"));
    expect(after.metadata.resourceVersion).toBe(run.metadata.resourceVersion);
    expect(await shop.snapshots()).toHaveLength(1);
  });

  test("P4: an IMAGE_URL with a digest of its own is used without it", async () => {
    const shop = await world.shop(["web"]);
    await shop.build("r1", { results: { IMAGE_URL: `${registry}/web:x@${sampleDigest(7)}` } });
    expect(images(await shop.snapshotOf("r1"))).toEqual([`${registry}/web@${sampleDigest(1)}`]);
  });

  test("P7: a Snapshot that exists when the run is not yet marked is adopted", async () => {
    const shop = await world.shop(["web"]);
    await world.stop();
    await shop.build("r1");
    const made = await shop.create({
      apiVersion: Snapshot.apiVersion,
      kind: Snapshot.kind,
      metadata: {
        name: "shop-20260102-030405-678",
        labels: {
          [promotionLabels.buildRun]: "r1",
          [promotionLabels.snapshotType]: "component",
          [promotionLabels.component]: "web",
        },
      },
      spec: {
        application: "shop",
        components: [{ name: "web", containerImage: `${registry}/web@${sampleDigest(1)}` }],
      },
    });
    await world.start();
    expect((await shop.snapshotOf("r1")).metadata.uid).toBe(made.metadata.uid);
    expect(await shop.snapshots()).toHaveLength(1);
  });
});

describe("pull requests", () => {
  test("P9: the build of a pull request has a group, and its Snapshot does not change the candidate", async () => {
    const shop = await world.shop(["web"]);
    await shop.build("pr", { ...pullRequest("7", "feat-x"), succeeded: "Unknown" });
    const run = await shop.waitFor(
      shop.ref("PipelineRun", "pr"),
      (found) => annotation(found, promotionAnnotations.pullRequestGroup) === "feat-x",
    );
    const hash = createHash("sha256").update("feat-x").digest("hex").slice(0, 62);
    expect(run.metadata.labels?.[promotionLabels.pullRequestGroup]).toBe(hash);
    await shop.finish("pr");
    const snapshot = await shop.snapshotOf("pr");
    expect(annotation(snapshot, promotionAnnotations.pullRequestGroup)).toBe("feat-x");
    expect(snapshot.metadata.labels).toMatchObject({
      [promotionLabels.pullRequestGroup]: hash,
      [`${copiedPacPrefix}pull-request`]: "7",
      [`${copiedPacPrefix}event-type`]: "pull_request",
    });
    expect(annotation(snapshot, promotionAnnotations.workflow)).toBe("pull-request");
    expect(currentCandidate(await world.client.get(shop.ref("Component", "web")))).toEqual({
      image: undefined,
      commit: undefined,
    });
  });

  test("P11: a build of the merge queue is of a pull request, whose number is in its branch", async () => {
    const shop = await world.shop(["web"]);
    await shop.build("queued", {
      labels: { [`${pacPrefix}event-type`]: "push" },
      annotations: { [`${pacPrefix}source-branch`]: "refs/heads/gh-readonly-queue/main/pr-12-abc" },
    });
    const snapshot = await shop.snapshotOf("queued");
    expect(snapshot.metadata.labels?.[`${copiedPacPrefix}pull-request`]).toBe("12");
    expect(annotation(snapshot, promotionAnnotations.workflow)).toBe("pull-request");
    expect(currentCandidate(await world.client.get(shop.ref("Component", "web"))).image).toBeUndefined();
  });

  test("P12: pull requests of one branch in two repositories have a group Snapshot with the candidate of the third", async () => {
    const shop = await world.shop();
    await shop.build("db", { component: "db", digit: 3, startTime: "2026-01-02T01:00:00Z" });
    await shop.snapshotOf("db");
    await shop.build("api", { ...pullRequest("8", "feat-x"), component: "api", digit: 2, succeeded: "Unknown" });
    await shop.build("web", { ...pullRequest("7", "feat-x"), digit: 1 });
    const alone = await shop.snapshotOf("web");
    await shop.waitFor(shop.ref("Snapshot", alone.metadata.name), waits);
    await shop.finish("api", { component: "api", digit: 2 });
    await shop.snapshotOf("api");
    await Promise.all(
      ["web", "api"].map(async (run) =>
        shop.waitFor(shop.ref("Snapshot", (await shop.snapshotOf(run)).metadata.name), hasGroup),
      ),
    );
    const groups = (await shop.snapshots()).filter(
      ({ metadata }) => metadata.labels?.[promotionLabels.snapshotType] === "group",
    );
    expect(groups).toHaveLength(1);
    expect(groups.flatMap(images)).toEqual([
      `${registry}/api@${sampleDigest(2)}`,
      `${registry}/db@${sampleDigest(3)}`,
      `${registry}/web@${sampleDigest(1)}`,
    ]);
    expect(JSON.parse(groups.map((group) => annotation(group, promotionAnnotations.groupMembers)).join())).toHaveLength(
      2,
    );
  });

  test("P12: a failed build of the group is named on the Snapshots of the others", async () => {
    const shop = await world.shop();
    await shop.build("api", { ...pullRequest("8", "feat-y"), component: "api", succeeded: "Unknown" });
    await shop.waitFor(
      shop.ref("PipelineRun", "api"),
      ({ metadata }) => metadata.labels?.[promotionLabels.pullRequestGroup] !== undefined,
    );
    await shop.finish("api", { component: "api", succeeded: "False" });
    await shop.build("web", pullRequest("7", "feat-y"));
    const snapshot = await shop.snapshotOf("web");
    await shop.waitFor(shop.ref("Snapshot", snapshot.metadata.name), (found) =>
      (annotation(found, promotionAnnotations.groupStatus) ?? "").includes("the build api of api failed"),
    );
    expect(await shop.snapshots()).toHaveLength(1);
  });

  test("P12: a group that leaves out a merged pull request is created once, also after a restart", async () => {
    const shop = await world.shop();
    const merged = { ...pullRequest("9", "feat-z"), component: "db", digit: 3, startTime: "2026-01-02T01:00:00Z" };
    const annotations = { ...merged.annotations, [promotionAnnotations.pullRequestStatus]: "merged" };
    await shop.build("db", { ...merged, annotations });
    await shop.snapshotOf("db");
    await shop.build("api", { ...pullRequest("8", "feat-z"), component: "api", digit: 2 });
    const first = await shop.snapshotOf("api");
    await shop.waitFor(shop.ref("Snapshot", first.metadata.name), isAlone);
    await shop.build("web", { ...pullRequest("7", "feat-z"), digit: 1, startTime: "2026-01-02T04:00:00Z" });
    const last = await shop.snapshotOf("web");
    for (const { metadata } of [first, last]) await shop.waitFor(shop.ref("Snapshot", metadata.name), hasGroup);
    const groups = async () =>
      (await shop.snapshots()).filter(({ metadata: { labels } }) => labels?.[promotionLabels.snapshotType] === "group");
    expect(await groups()).toHaveLength(1);
    await world.stop();
    world.calls.length = 0;
    await world.start();
    // Another build passes through the same queues.
    await shop.build("later", { component: "db", digit: 4, startTime: "2026-01-02T05:00:00Z" });
    await shop.snapshotOf("later");
    const made = writesTo(world.calls, shop.namespace).filter((call) => call.startsWith("POST"));
    expect(made).toHaveLength(1);
  });

  test("P13: a new build of a pull request cancels its earlier Snapshot, unless that one ignores it", async () => {
    const shop = await world.shop(["web"]);
    await shop.build("first", pullRequest("7", "feat-x"));
    const first = await shop.snapshotOf("first");
    const kept = { ...pullRequest("7", "feat-x"), startTime: "2026-01-02T03:10:00Z" };
    const annotations = { ...kept.annotations, [promotionAnnotations.ignoreSupersession]: "true" };
    await shop.build("kept", { ...kept, annotations });
    const second = await shop.snapshotOf("kept");
    await shop.build("third", { ...pullRequest("7", "feat-x"), succeeded: "Unknown" });
    await shop.waitFor(shop.ref("Snapshot", first.metadata.name), isCanceled);
    await shop.finish("third", { startTime: "2026-01-02T03:20:00Z" });
    await shop.snapshotOf("third");
    expect(isCanceled(await world.client.get(shop.ref("Snapshot", second.metadata.name)))).toBe(false);
  });

  test("P14: the build of a merged pull request marks the Snapshots of that pull request", async () => {
    const shop = await world.shop(["web"]);
    await shop.build("pr", pullRequest("7", "feat-x"));
    const snapshot = await shop.snapshotOf("pr");
    const labels = { [`${pacPrefix}pull-request`]: "7", [`${pacPrefix}event-type`]: "push" };
    await shop.build("merged", { labels, digit: 2, startTime: "2026-01-02T04:00:00Z" });
    const pushed = await shop.snapshotOf("merged");
    expect(
      annotation(
        await world.client.get(shop.ref("Snapshot", snapshot.metadata.name)),
        promotionAnnotations.pullRequestStatus,
      ),
    ).toBe("merged");
    expect(annotation(pushed, promotionAnnotations.workflow)).toBe("push");
    const run = await world.client.get(shop.ref("PipelineRun", "merged"));
    expect(annotation(run, promotionAnnotations.pullRequestStatus)).toBe("merged");
  });
});

describe("Snapshots made by hand", () => {
  test("P15: a valid override becomes the candidate once, and a second look writes nothing", async () => {
    const shop = await world.shop(["web"]);
    await shop.create(
      override("by-hand", "shop", [{ name: "web", containerImage: `${registry}/web@${sampleDigest(9)}` }]),
    );
    await shop.waitFor(shop.ref("Snapshot", "by-hand"), isMarked);
    expect(currentCandidate(await world.client.get(shop.ref("Component", "web"))).image).toBe(
      `${registry}/web@${sampleDigest(9)}`,
    );
    await world.stop();
    world.calls.length = 0;
    await world.start();
    await shop.build("r1", { startTime: "2020-01-01T00:00:00Z" });
    await shop.snapshotOf("r1");
    expect(world.calls.filter((call) => call.startsWith("PATCH") && call.includes("/by-hand"))).toEqual([]);
  });

  test("P15: an override with an unknown component and an image by tag is invalid, lists both, and changes nothing", async () => {
    const shop = await world.shop(["web"]);
    const rows = [
      { name: "ghost", containerImage: `${registry}/ghost@${sampleDigest(9)}` },
      { name: "web", containerImage: `${registry}/web:latest` },
    ];
    await shop.create(override("bad", "shop", rows));
    const found = await shop.waitFor(shop.ref("Snapshot", "bad"), isInvalid);
    const { message, status } = snapshotCondition(found, snapshotConditions.integration) ?? {};
    expect(status).toBe("False");
    expect(message).toContain("Component ghost not found");
    expect(message).toContain(`the image of web has no valid digest: ${registry}/web:latest`);
    expect(currentCandidate(await world.client.get(shop.ref("Component", "web"))).image).toBeUndefined();
  });

  test("P17: a Snapshot of an Application that does not exist is invalid, until it exists", async () => {
    const shop = await world.shop([]);
    await shop.create(override("lost", "nope", []));
    await shop.waitFor(shop.ref("Snapshot", "lost"), (found) => integrationReason(found) === "Invalid");
    const { apiVersion } = await world.client.get(shop.ref("Application", "shop"));
    await shop.create({ apiVersion, kind: "Application", metadata: { name: "nope" }, spec: { displayName: "Nope" } });
    const found = await shop.waitFor(shop.ref("Snapshot", "lost"), (lost) => integrationReason(lost) === undefined);
    expect(found.metadata.name).toBe("lost");
  });
});

test("a deleted component leaves a Snapshot of the others, which is not released", async () => {
  const shop = await world.shop(["web", "api"]);
  await shop.build("r-api", { component: "api" });
  await shop.snapshotOf("r-api");
  await shop.waitFor(shop.ref("Component", "web"), ({ metadata: { finalizers = [] } }) => finalizers.length > 0);
  await world.client.delete(shop.ref("Component", "web"));
  await expect.poll(() => world.client.find(shop.ref("Component", "web")), { timeout: 300_000 }).toBeUndefined();
  const last = (await shop.snapshots()).filter(
    ({ metadata }) => metadata.labels?.[promotionLabels.autoRelease] === "false",
  );
  expect(last.map(images)).toEqual([[`${registry}/api@${sampleDigest(1)}`]]);
});

test("a deleted run is let go at once, also in the middle of its build", async () => {
  const shop = await world.shop(["web"]);
  await shop.build("r1", { succeeded: "Unknown" });
  await shop.waitFor(shop.ref("PipelineRun", "r1"), ({ metadata: { finalizers = [] } }) => finalizers.length > 0);
  await world.client.delete(shop.ref("PipelineRun", "r1"));
  await expect.poll(() => world.client.find(shop.ref("PipelineRun", "r1")), { timeout: 300_000 }).toBeUndefined();
});
