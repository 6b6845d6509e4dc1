import { afterAll, beforeAll, expect, test } from "vitest";
import { testKubeconfig } from "#harness";
import { refOf } from "#kube";
import { Component, promotionAnnotations, promotionLabels, ReleasePlan } from "#promotion";
import { SamplePusher, startEmbeddedRegistry, type TestRegistry } from "#registry";
import { conditionsIn, tektonPipeline, useReleases } from "../../promotion/releases/use-releases.fixture.ts";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = useReleases();
let registry: TestRegistry;
beforeAll(async () => {
  registry = await startEmbeddedRegistry();
  await world.letAccountReadItself();
  for (const name of ["shop", "twice", "blocked", "expired", "policed", "managed"]) await world.application(name);
  await createComponent("web", "shop");
  for (const name of ["one", "two"]) await world.admission(name, { spec: { applications: ["twice"] } });
  const labels = { [promotionLabels.blockReleases]: "true" };
  await world.admission("closed", { labels, spec: { applications: ["blocked"] } });
  const git = { pipelineRef: tektonPipeline.pipelineRef };
  await world.admission("policed", { spec: { applications: ["policed"], pipeline: git } });
  const { pipelineRef } = builtinOf("retag");
  await world.admission("managed", {
    spec: { applications: ["managed"], pipeline: { pipelineRef, serviceAccountName: "pusher" } },
  });
  await createComponent("old", "expired", await pushExpiring());
});
afterAll(() => registry[Symbol.asyncDispose]());

function builtinOf(name: string) {
  const pipelineRef = { resolver: "builtin", params: [{ name: "name", value: name }] };
  return { pipelineRef, serviceAccountName: "appstudio-pipeline" };
}

async function createComponent(name: string, application: string, lastPromotedImage?: string): Promise<void> {
  const { apiVersion, kind } = Component;
  const source = { git: { url: `https://git.example/acme/${name}`, revision: "main" } };
  const metadata = { name, namespace: world.namespace };
  const spec = { componentName: name, application, source };
  const made = await world.client.create({ apiVersion, kind, metadata, spec });
  const body = { status: { lastPromotedImage } };
  if (lastPromotedImage) await world.client.patch(refOf(made), { type: "merge", subresource: "status", body });
}

async function pushExpiring(): Promise<string> {
  const pusher = new SamplePusher(registry.url, "acme/old");
  const config = { architecture: "amd64", os: "linux", config: { Labels: { "quay.expires-after": "5d" } } };
  const blob = await pusher.blob("application/vnd.oci.image.config.v1+json", Buffer.from(JSON.stringify(config)));
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType, config: blob, layers: [] });
  return `${registry.host}/acme/old@${(await pusher.manifest(mediaType, manifest)).digest}`;
}

/** The reason for which each plan cannot release, as a user with all rights reads it. */
async function doctor(): Promise<Readonly<Record<string, string>>> {
  const shell = new FakeShell({ env: { NO_COLOR: "1", KUBECONFIG: testKubeconfig() } });
  const exitCode = await runCommandLine(
    ["doctor", "--promotion", "--namespaces", world.namespace, "-o", "json"],
    shell,
  );
  expect(exitCode).toBe(1);
  const rows: { readonly plan: string; readonly reason?: string }[] = JSON.parse(shell.stdout.text);
  return Object.fromEntries(rows.map(({ plan, reason = "none" }) => [plan, reason]));
}

/** The same by the conditions of the plans. */
async function conditions(): Promise<Readonly<Record<string, string>>> {
  const { apiVersion, kind } = ReleasePlan;
  const { items } = await world.client.list({ apiVersion, kind, namespace: world.namespace });
  return Object.fromEntries(
    items.map((plan) => {
      const [status, reason = ""] = (conditionsIn(plan)["Releasable"] ?? "").split("/");
      return [plan.metadata.name, status === "True" ? "none" : reason];
    }),
  );
}

test("each misconfiguration is a condition of its plan before there is a Release, and `tenon doctor --promotion` says the same", async () => {
  const targeted = { target: world.namespace, tenantPipeline: undefined };
  await world.plan("good");
  await world.plan("no-author", { labels: { [promotionLabels.standingAttribution]: "false" } });
  await world.plan("unmapped", { spec: { data: { mapping: { components: [{ name: "wob" }] } } } });
  await world.plan("unmatched", { spec: targeted });
  await world.plan("ambiguous", { application: "twice", spec: targeted });
  await world.plan("blocked", { application: "blocked", spec: targeted });
  await world.plan("expiring", { application: "expired" });
  await world.plan("ownerless", { application: "nowhere" });
  await world.plan("idle", { spec: { tenantPipeline: undefined } });
  const { pipelineRef } = tektonPipeline;
  await world.plan("accountless", { spec: { finalPipeline: { pipelineRef, serviceAccountName: "nobody" } } });
  await world.plan("nowhere", { spec: { finalPipeline: { pipelineRef: { resolver: "git", params: [] } } } });
  await world.plan("misspelt", { spec: { tenantPipeline: builtinOf("retagg") } });
  await world.plan("untagged", { spec: { tenantPipeline: builtinOf("retag") } });
  await world.plan("unknown-tag", { spec: { data: { mapping: { defaults: { tags: ["{{ nope }}"] } } } } });
  const annotations = { [promotionAnnotations.autoRelease]: "updatedComponentIs('web') &&" };
  await world.plan("unfinished", { annotations });
  await world.plan("unruled", { annotations: { [promotionAnnotations.supersession]: "Newest" } });
  await world.plan("no-policy", { application: "policed", spec: targeted });
  await world.plan("no-managed-account", { application: "managed", spec: targeted });
  const expected = {
    good: "none",
    "no-author": "NoAuthor",
    unmapped: "MappingWithoutMatch",
    unmatched: "Unmatched",
    ambiguous: "Unmatched",
    blocked: "Blocked",
    expiring: "ImageExpires",
    ownerless: "OwnerNotFound",
    idle: "NothingToRun",
    accountless: "AccountNotFound",
    misspelt: "InvalidPipeline",
    nowhere: "InvalidPipeline",
    untagged: "InvalidData",
    "unknown-tag": "InvalidData",
    unfinished: "InvalidExpression",
    unruled: "InvalidExpression",
    "no-policy": "PolicyNotFound",
    "no-managed-account": "AccountNotFound",
  };
  expect(await doctor()).toEqual(expected);
  await world.start();
  await expect.poll(conditions).toEqual(expected);

  const resource = "count/snapshots.appstudio.redhat.com";
  const quota = await world.client.create({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "objects", namespace: world.namespace },
    spec: { hard: { [resource]: "1" } },
  });
  // As the controller of quotas writes it, which need not run here.
  const status = { hard: { [resource]: "1" }, used: { [resource]: "1" } };
  await world.client.patch(refOf(quota), { type: "merge", subresource: "status", body: { status } });
  await expect.poll(conditions).toEqual({ ...expected, good: "QuotaExhausted" });
  expect(await doctor()).toMatchObject({ good: "QuotaExhausted" });
});
