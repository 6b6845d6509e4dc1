import { describe, expect, test } from "vitest";
import { type KubeObject, refOf } from "#kube";
import { pacPrefix, promotionAnnotations, promotionFinalizers } from "../kinds/promotion-names.ts";
import { componentsOf } from "../snapshots/judge-snapshot.ts";
import { mostAnnotationBytes } from "./fit-annotations.ts";
import { componentOf, pullRequest, registry, sampleDigest, type Shop, useIntake } from "./use-intake.fixture.ts";

const world = useIntake({ requireChains: "always" });
const signed = (value = "true") => ({ [promotionAnnotations.chainsSigned]: value });
const annotation = ({ metadata }: KubeObject, name: string) => metadata.annotations?.[name];
const outcomeOf = (run: KubeObject) => annotation(run, promotionAnnotations.snapshotStatus) ?? "";
const source = { git: { url: "https://git.example/acme/web" } };
const large = (bytes: number) => "x".repeat(bytes);
const isHeld = ({ metadata: { finalizers = [] } }: KubeObject) => finalizers.includes(promotionFinalizers.run);

function annotate(shop: Shop, run: string, annotations: Readonly<Record<string, string>>): Promise<KubeObject> {
  return world.client.patch(shop.ref("PipelineRun", run), { type: "merge", body: { metadata: { annotations } } });
}

describe("P2: a build that waits for Tekton Chains", () => {
  test("becomes a Snapshot once Chains has marked it, whatever the mark says", async () => {
    const shop = await world.shop(["web", "api"]);
    await shop.build("waiting", { startTime: new Date().toISOString() });
    await shop.build("failed", { component: "api", annotations: signed("failed") });
    // Another build of the same namespace passes through the same queue.
    await shop.snapshotOf("failed");
    const run = await world.client.get(shop.ref("PipelineRun", "waiting"));
    expect(outcomeOf(run)).toBe("");
    expect(await shop.snapshots()).toHaveLength(1);
    await annotate(shop, "waiting", signed());
    await shop.snapshotOf("waiting");
  });

  test("says after 5 min what is missing, and becomes a Snapshot when it comes", async () => {
    const shop = await world.shop(["web"]);
    await shop.build("late");
    const run = await shop.waitFor(shop.ref("PipelineRun", "late"), (found) => outcomeOf(found) !== "");
    expect(outcomeOf(run)).toContain("has not set the annotation chains.tekton.dev/signed within 5 min");
    expect(await shop.snapshots()).toEqual([]);
    await annotate(shop, "late", signed());
    await shop.snapshotOf("late");
  });
});

test("P10: a pull request from the default branch of a fork has a group of its own", async () => {
  const shop = await world.shop(["web"]);
  const { labels, annotations } = pullRequest("7", "main");
  await shop.build("forked", {
    labels: { ...labels, [`${pacPrefix}url-org`]: "bob" },
    annotations: { ...annotations, ...signed() },
    succeeded: "Unknown",
  });
  const isGrouped = (found: KubeObject) => annotation(found, promotionAnnotations.pullRequestGroup) !== undefined;
  const run = await shop.waitFor(shop.ref("PipelineRun", "forked"), isGrouped);
  expect(annotation(run, promotionAnnotations.pullRequestGroup)).toBe("main-bob");
});

test("a pushed build without a result says on the run that it is not the candidate, and why", async () => {
  const shop = await world.shop(["web"]);
  await shop.build("bad", { annotations: signed(), results: { IMAGE_URL: undefined } });
  const run = await shop.waitFor(shop.ref("PipelineRun", "bad"), (found) => outcomeOf(found) !== "");
  expect(JSON.parse(outcomeOf(run))).toMatchObject({
    status: "failed",
    message: expect.stringMatching(/no result IMAGE_URL; declare them as results of the pipeline, and build again/),
  });
  expect(JSON.parse(annotation(run, promotionAnnotations.candidate) ?? "")).toMatchObject({
    result: false,
    reason: expect.stringContaining("IMAGE_URL"),
  });
});

test("a quota that forbids the Snapshot is named on the run with what to do, and once raised the build goes on", async () => {
  const shop = await world.shop(["web"]);
  const resource = "count/snapshots.appstudio.redhat.com";
  const quota = await shop.create({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "objects" },
    spec: { hard: { [resource]: "0" } },
  });
  const status = { hard: { [resource]: "0" }, used: { [resource]: "0" } };
  await world.client.patch(refOf(quota), { type: "merge", subresource: "status", body: { status } });
  await shop.build("counted", { annotations: signed(), succeeded: "Unknown" });
  await shop.waitFor(shop.ref("PipelineRun", "counted"), isHeld);
  await shop.finish("counted");
  const run = await shop.waitFor(shop.ref("PipelineRun", "counted"), (found) => outcomeOf(found) !== "");
  expect(JSON.parse(outcomeOf(run))).toMatchObject({
    status: "failed",
    message: expect.stringMatching(
      /tried again every hour: .*exceeded quota: objects.*; raise the quota of the namespace/,
    ),
  });
  expect(isHeld(run)).toBe(false);
  // Of other namespaces none waits.
  const other = await world.shop(["web"]);
  await other.build("free", { annotations: signed() });
  await other.snapshotOf("free");
  const after = await world.client.get(shop.ref("PipelineRun", "counted"));
  expect(after.metadata.resourceVersion).toBe(run.metadata.resourceVersion);
  await world.client.delete(refOf(quota));
  await world.stop();
  await world.start();
  await shop.snapshotOf("counted");
});

test("a Snapshot that the API server finds invalid is said on the run, and does not keep a Component from being deleted", async () => {
  const shop = await world.shop([]);
  const application = "a".repeat(64);
  const { apiVersion } = await world.client.get(shop.ref("Application", "shop"));
  const spec = { displayName: "Long" };
  await shop.create({ apiVersion, kind: "Application", metadata: { name: application }, spec });
  for (const name of ["web", "api"]) {
    const component = componentOf(name, shop.namespace);
    await world.client.create({ ...component, spec: { componentName: name, application, source } });
  }
  await shop.build("long", { annotations: signed() });
  const run = await shop.waitFor(shop.ref("PipelineRun", "long"), (found) => outcomeOf(found) !== "");
  expect(JSON.parse(outcomeOf(run))).toMatchObject({
    status: "failed",
    message: expect.stringMatching(/^cannot create the Snapshot: .*63.*; the message says what is not valid/s),
  });
  expect(isHeld(run)).toBe(false);
  const web = shop.ref("Component", "web");
  await shop.waitFor(web, ({ metadata: { finalizers = [] } }) => finalizers.length > 0);
  // Without an image there would be no last Snapshot.
  const status = { lastPromotedImage: `${registry}/api@${sampleDigest(1)}` };
  await world.client.patch(shop.ref("Component", "api"), { type: "merge", subresource: "status", body: { status } });
  await world.client.delete(web);
  await expect.poll(() => world.client.find(web)).toBeUndefined();
});

describe("annotations near 256 KiB", () => {
  test("large ones of a build are not copied to its Snapshot, which says so", async () => {
    const shop = await world.shop(["web"]);
    const [small, huge] = ["build.appstudio.redhat.com/by", "build.appstudio.redhat.com/log"];
    const annotations = { ...signed(), [small]: "ci", [huge]: large(240 * 1_024) };
    await shop.build("wordy", { annotations, results: { REPORT: large(70 * 1_024), COLOUR: "red" } });
    const snapshot = await shop.snapshotOf("wordy");
    expect(componentsOf(snapshot)).toHaveLength(1);
    expect(annotation(snapshot, small)).toBe("ci");
    expect(annotation(snapshot, `${promotionAnnotations.resultPrefix}colour`)).toBe("red");
    expect(snapshot.metadata.annotations).not.toHaveProperty(huge);
    const report = `${promotionAnnotations.resultPrefix}report`;
    expect(outcomeOf(snapshot)).toBe(`annotations of the build that are too large are not copied: ${huge}, ${report}`);
  });

  test("a run without room for one more is let go all the same, and has its Snapshot", async () => {
    const shop = await world.shop(["web"]);
    const annotations = signed();
    const taken = Object.entries(annotations).flat().join("").length + "big".length;
    const full = { ...annotations, big: large(mostAnnotationBytes - taken) };
    await shop.build("full", { annotations: full, succeeded: "Unknown" });
    await shop.waitFor(shop.ref("PipelineRun", "full"), isHeld);
    await shop.finish("full");
    await shop.waitFor(shop.ref("PipelineRun", "full"), (found) => !isHeld(found));
    expect(await shop.snapshots()).toHaveLength(1);
  });
});
