import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubeObject, refOf } from "#kube";
import { SamplePusher, startEmbeddedRegistry, type TestRegistry } from "#registry";
import { Application } from "../kinds/application.ts";
import { Component } from "../kinds/component.ts";
import { promotionAnnotations, promotionLabels, releaseConditions } from "../kinds/promotion-names.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { builtinRetag, conditionsIn, messageIn, useReleases } from "./use-releases.fixture.ts";

const world = useReleases();
const { matched, attributed, releasable } = releaseConditions;

async function createComponent(name: string, application: string): Promise<KubeObject> {
  const { apiVersion, kind } = Component;
  const source = { git: { url: `https://git.example/acme/${name}`, revision: "main" } };
  const metadata = { name, namespace: world.namespace };
  return world.client.create({ apiVersion, kind, metadata, spec: { componentName: name, application, source } });
}

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startEmbeddedRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

/** As the controller of builds does. */
async function promote(component: KubeObject, image: string): Promise<void> {
  const body = { status: { lastPromotedImage: image } };
  await world.client.patch(refOf(component), { type: "merge", subresource: "status", body });
}

async function pushExpiring(repository: string): Promise<string> {
  const pusher = new SamplePusher(registry.url, repository);
  const config = { architecture: "amd64", os: "linux", config: { Labels: { "quay.expires-after": "5d" } } };
  const blob = await pusher.blob("application/vnd.oci.image.config.v1+json", Buffer.from(JSON.stringify(config)));
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const { digest } = await pusher.manifest(
    mediaType,
    JSON.stringify({ schemaVersion: 2, mediaType, config: blob, layers: [] }),
  );
  return `${registry.host}/${repository}@${digest}`;
}

const chosenBy = (expression: string) => ({ [promotionAnnotations.autoRelease]: expression });

/** The plan, once its condition `Releasable` is this. */
const waitForReleasable = (plan: KubeObject, is: string) =>
  world.waitFor(refOf(plan), (one) => conditionsIn(one)[releasable] === is);

describe("a plan says what would make its releases fail", () => {
  test("a plan without standing attribution says that no one answers for its releases, until it has one", async () => {
    await world.start();
    const plan = await world.plan("alone", { labels: { [promotionLabels.standingAttribution]: "false" } });
    const found = await world.waitFor(refOf(plan), (one) => conditionsIn(one)[attributed] === "False/NoAuthor");
    expect(messageIn(found, attributed)).toContain(promotionLabels.standingAttribution);
    expect(conditionsIn(found)).not.toHaveProperty(matched);
    const body = { metadata: { labels: { [promotionLabels.standingAttribution]: "true" } } };
    const bob = world.client.impersonate({ user: "bob", groups: ["system:masters"] });
    await bob.patch(refOf(plan), { type: "merge", body });
    const corrected = await world.waitFor(refOf(plan), (one) => conditionsIn(one)[attributed] === "True/Succeeded");
    expect(messageIn(corrected, attributed)).toMatch(/^bob answers/);
  });

  test("a plan with a target is matched when its admission appears, blocked with it, and unmatched when it goes", async () => {
    const plan = await world.plan("targeted", { spec: { target: world.namespace } });
    const found = await world.waitFor(refOf(plan), (one) => conditionsIn(one)[matched] === "False/Matched");
    expect(messageIn(found, matched)).toContain("no ReleasePlanAdmission of namespace");
    const { apiVersion, kind } = ReleasePlanAdmission;
    const admission = await world.client.create({
      apiVersion,
      kind,
      metadata: { name: "here", namespace: world.namespace },
      spec: { applications: ["shop"], origin: world.namespace, policy: "default", environment: "ignored" },
    });
    const named = { name: `${world.namespace}/here` };
    const statusOf = (active: boolean) => JSON.stringify({ active, ...named });
    const waitForStatus = (active: boolean) =>
      world.waitFor(refOf(plan), (one) => JSON.stringify(one?.["status"] ?? {}).includes(statusOf(active)));
    expect(conditionsIn(await waitForStatus(true))[matched]).toBe("True/Matched");
    const body = { metadata: { labels: { [promotionLabels.blockReleases]: "true" } } };
    await world.client.patch(refOf(admission), { type: "merge", body });
    expect(messageIn(await waitForStatus(false), matched)).toContain("blocks releases");
    await world.client.delete(refOf(admission));
    const last = await world.waitFor(refOf(plan), (one) => conditionsIn(one)[matched] === "False/Matched");
    expect(last?.["status"]).not.toHaveProperty("releasePlanAdmission");
  });

  test("a plan says that its Application is missing, and that its mapping names no component, until they appear", async () => {
    const data = { mapping: { components: [{ name: "cart" }] } };
    const plan = await world.plan("mapped", { application: "market", spec: { data } });
    const missing = await waitForReleasable(plan, "False/OwnerNotFound");
    expect(messageIn(missing, releasable)).toContain("Application market not found");
    await world.application("market");
    await waitForReleasable(plan, "True/Succeeded");
    await createComponent("till", "market");
    const unmapped = await waitForReleasable(plan, "False/MappingWithoutMatch");
    expect(messageIn(unmapped, releasable)).toContain("no component (till) is among");
    const cart = await createComponent("cart", "market");
    await waitForReleasable(plan, "True/Succeeded");
    // Moved to another Application, it is none of this one any more.
    const body = { spec: { application: "elsewhere" } };
    await world.client.patch(refOf(cart), { type: "merge", body });
    await waitForReleasable(plan, "False/MappingWithoutMatch");
    await world.client.delete(world.ref(Application, "market"));
    await waitForReleasable(plan, "False/OwnerNotFound");
  });

  test("a plan says that a quota is used up, until it is raised", async () => {
    await world.application("store");
    const plan = await world.plan("counted", { application: "store" });
    await waitForReleasable(plan, "True/Succeeded");
    const resource = "count/releases.appstudio.redhat.com";
    const quota = await world.client.create({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "objects", namespace: world.namespace },
      spec: { hard: { [resource]: "0" } },
    });
    // As the controller of quotas writes it, which need not run here.
    const count = async (hard: string) => {
      const status = { hard: { [resource]: hard }, used: { [resource]: "0" } };
      await world.client.patch(refOf(quota), { type: "merge", body: { spec: { hard: { [resource]: hard } } } });
      await world.client.patch(refOf(quota), { type: "merge", subresource: "status", body: { status } });
    };
    await count("0");
    const full = await waitForReleasable(plan, "False/QuotaExhausted");
    expect(messageIn(full, releasable)).toContain("ResourceQuota objects allows 0 releases.appstudio.redhat.com");
    await count("5");
    await waitForReleasable(plan, "True/Succeeded");
    await world.client.delete(refOf(quota));
  });

  test("a plan says that its service account is missing, until it is created, and again when it is deleted", async () => {
    await world.application("kiosk");
    const tenantPipeline = { ...builtinRetag, serviceAccountName: "pusher" };
    const plan = await world.plan("accountless", { application: "kiosk", spec: { tenantPipeline } });
    const missing = await waitForReleasable(plan, "False/AccountNotFound");
    expect(messageIn(missing, releasable)).toContain("ServiceAccount pusher of spec.tenantPipeline not found");
    const metadata = { name: "pusher", namespace: world.namespace };
    const account = await world.client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata });
    await waitForReleasable(plan, "True/Succeeded");
    await world.client.delete(refOf(account));
    await waitForReleasable(plan, "False/AccountNotFound");
  });

  test("a plan says that the service account of its admission is missing in the other namespace, until it is created there", async () => {
    await world.application("export");
    const target = `${world.namespace}-managed`;
    await world.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: target } });
    const pipeline = { ...builtinRetag, serviceAccountName: "exporter" };
    await world.admission("export", { inNamespace: target, spec: { applications: ["export"], pipeline } });
    await world.stopAll();
    const stop = await world.start({ namespace: undefined });
    const plan = await world.plan("exporting", { application: "export", spec: { target } });
    const missing = await waitForReleasable(plan, "False/AccountNotFound");
    expect(messageIn(missing, releasable)).toContain(`ServiceAccount ${target}/exporter of spec.pipeline`);
    await world.client.create({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "exporter", namespace: target },
    });
    await waitForReleasable(plan, "True/Succeeded");
    await world.client.delete(refOf(plan));
    await world.client.delete({ apiVersion: "v1", kind: "Namespace", name: target });
    await stop();
    await world.start();
  });

  test("a plan says that its expression is not finished, until it is", async () => {
    await world.application("chosen");
    const plan = await world.plan("chosen", { application: "chosen", annotations: chosenBy("shouldRelease() &&") });
    const broken = await waitForReleasable(plan, "False/InvalidExpression");
    expect(messageIn(broken, releasable)).toContain(`annotation ${promotionAnnotations.autoRelease}: `);
    const body = { metadata: { annotations: chosenBy("shouldRelease() && true") } };
    await world.client.patch(refOf(plan), { type: "merge", body });
    await waitForReleasable(plan, "True/Succeeded");
  });

  test("a plan says that an image expires, until the plan allows that or another image is built, and looks once at each", async () => {
    await world.letAccountReadItself();
    await world.application("bazaar");
    const web = await createComponent("web", "bazaar");
    const expiring = await pushExpiring("bazaar/web");
    await promote(web, expiring);
    const plan = await world.plan("expiring", { application: "bazaar" });
    const found = await waitForReleasable(plan, "False/ImageExpires");
    expect(messageIn(found, releasable)).toContain(`image ${expiring} expires after 5d and is not released`);
    const allow = (allowExpiring: boolean) =>
      world.client.patch(refOf(plan), { type: "merge", body: { spec: { data: { allowExpiring } } } });
    await allow(true);
    await waitForReleasable(plan, "True/Succeeded");
    const readsOfAccount = () => world.calls.filter((call) => call.includes("/serviceaccounts/appstudio-pipeline"));
    const before = readsOfAccount().length;
    await allow(false);
    await waitForReleasable(plan, "False/ImageExpires");
    await waitForReleasable(await world.plan("expiring-too", { application: "bazaar" }), "False/ImageExpires");
    expect(readsOfAccount()).toHaveLength(before);
    const { digest } = await new SamplePusher(registry.url, "bazaar/web").image("kept");
    await promote(web, `${registry.host}/bazaar/web@${digest}`);
    await waitForReleasable(plan, "True/Succeeded");
    await promote(web, `${registry.host}/bazaar/web@sha256:${"0".repeat(64)}`);
    const gone = await waitForReleasable(plan, "False/ImageExpires");
    expect(messageIn(gone, releasable)).toContain("is no longer in its registry");
  });

  test("a registry that does not answer is not a misconfiguration of the plan", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(401).end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
    await world.application("closed");
    const plan = await world.plan("unanswered", { application: "closed" });
    await promote(await createComponent("door", "closed"), `${host}/acme/door@sha256:${"0".repeat(64)}`);
    await expect.poll(() => asked.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await waitForReleasable(plan, "True/Succeeded");
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  test("another look at plans that were judged writes nothing", async () => {
    await world.stopAll();
    world.calls.length = 0;
    await world.start();
    // Judged by the new process, which looks at existing plans first.
    const plan = await world.plan("last", { application: "nowhere" });
    await waitForReleasable(plan, "False/OwnerNotFound");
    const writes = world.calls.filter((call) => !call.startsWith("GET") && call.includes("/releaseplans/"));
    expect(writes).toEqual([expect.stringContaining("/releaseplans/last/status")]);
  });
});
