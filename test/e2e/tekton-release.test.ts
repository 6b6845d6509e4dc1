import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { valueAt } from "#base";
import type { KubeObject } from "#kube";
import { writeImageArchive } from "#oci";
import { conditionState, promotionLabels, Release, releaseConditions, ReleasePlan, Snapshot } from "#promotion";
import {
  readRaw,
  SamplePusher,
  startEmbeddedRegistry,
  startTokenProxy,
  type TestRegistry,
  type TokenProxy,
} from "#registry";
import { makeTenonImage } from "../../publish/tenon-image.ts";
import { useTekton } from "./use-tekton.ts";

const world = useTekton("tekton-release");
const { namespace, instance, tenon } = world;
const cleanup = new AsyncDisposableStack();
const taskImage = "localhost/tenon:release";
const [user, password] = ["robot", "not-to-be-printed"];
const tags = { mapping: { defaults: { tags: ["released"] } } };
let registry: TestRegistry;
/** Before the registry: one user, who may push to acme/web alone. */
let tokens: TokenProxy;

beforeAll(async () => {
  registry = cleanup.use(await startEmbeddedRegistry());
  const rights = { "acme/web": "pull,push" };
  const { address } = world;
  tokens = cleanup.use(await startTokenProxy({ target: registry.url, address, user, password, rights }));
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-release-"));
  const archive = join(directory.path, "image.tar");
  await writeImageArchive([await makeTenonImage({ name: taskImage, compression: "none" })], archive);
  await world.load(archive);
  await world.promote("--promote", "releases", "--plain-http", tokens.host);
  const auth = Buffer.from(`${user}:${password}`).toString("base64");
  await world.client.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "registry", namespace },
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": JSON.stringify({ auths: { [tokens.host]: { auth } } }) },
  });
  const pipeline = ["--pipeline", "tekton", "--task-image", taskImage, "--plain-http", tokens.host];
  const words = [
    "--application",
    "shop",
    "--registry-secret",
    "registry",
    ...pipeline,
    "--instance",
    instance,
    "--yes",
  ];
  await tenon("promote", "onboard", namespace, ...words);
});
afterAll(() => cleanup.disposeAsync());

const pipelineRun = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace };
const ref = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, name: string) => ({
  apiVersion,
  kind,
  namespace,
  name,
});

/** A Snapshot of one component that passed its tests. */
async function pass(name: string, digest: string): Promise<void> {
  const { apiVersion, kind } = Snapshot;
  const components = [{ name: "web", containerImage: `${tokens.host}/acme/web@${digest}` }];
  const spec = { application: "shop", components };
  await world.client.create({ apiVersion, kind, metadata: { name, namespace }, spec });
  const tested = { type: "AppStudioTestSucceeded", status: "True", reason: "Passed", message: "" };
  const body = { status: { conditions: [{ ...tested, lastTransitionTime: new Date().toISOString() }] } };
  await world.client.patch(ref(Snapshot, name), { type: "merge", subresource: "status", body });
}

/** A Release by a plan of its own, which a person asks for. */
async function releaseBy(name: string, spec: object): Promise<void> {
  const labels = { [promotionLabels.autoRelease]: "false" };
  const { apiVersion, kind } = ReleasePlan;
  await world.client.create({ apiVersion, kind, metadata: { name, namespace, labels }, spec });
  await world.client.create({
    apiVersion: Release.apiVersion,
    kind: Release.kind,
    metadata: { name, namespace },
    spec: { snapshot: "shop-1", releasePlan: name },
  });
}

function ended(name: string, state: "succeeded" | "failed"): Promise<KubeObject> {
  return world.waitFor(ref(Release, name), (found) => conditionState(found, releaseConditions.released) === state);
}

/** Of the plan that onboarding made. */
async function onboardedPipeline(): Promise<object> {
  const plan = await world.client.get(ref(ReleasePlan, "shop-released"));
  return Object(valueAt(plan, ["spec", "tenantPipeline"]));
}

test("P29, P41, P70: a Snapshot that passed is released by push-to-registry in a pod of appstudio-pipeline, just as by builtin/retag", async () => {
  const pushed = await new SamplePusher(registry.url, "acme/web").index();
  await pass("shop-1", pushed.digest);
  const { apiVersion, kind } = Release;
  const releases = async () => (await world.client.list({ apiVersion, kind, namespace })).items;
  await expect.poll(async () => (await releases()).length).toBe(1);
  const name = (await releases())[0]?.metadata.name ?? "";
  const released = await ended(name, "succeeded");
  const states = Object.values(releaseConditions).map((type) => [type, conditionState(released, type)]);
  expect(Object.fromEntries(states)).toMatchObject({
    Validated: "succeeded",
    TenantPipelineProcessed: "succeeded",
    ManagedPipelineProcessed: "skipped",
    FinalPipelineProcessed: "skipped",
  });
  expect(valueAt(released, ["status", "automated"])).toBe(true);
  for (const tag of ["released", "released-shop-1"]) {
    expect(await readRaw(registry.url, "acme/web", tag)).toMatchObject({ digest: pushed.digest, bytes: pushed.bytes });
  }
  const run = String(valueAt(released, ["status", "tenantProcessing", "pipelineRun"])).split("/")[1] ?? "";
  const pods = { apiVersion: "v1", kind: "Pod", namespace, labelSelector: `tekton.dev/pipelineRun=${run}` };
  const accounts = (await world.client.list(pods)).items.map(({ spec }) => valueAt(spec, ["serviceAccountName"]));
  expect(accounts).toEqual(["appstudio-pipeline"]);
  await world.waitFor({ ...pipelineRun, name: run }, ({ metadata }) => !metadata.finalizers?.length);

  const pipelineRef = { resolver: "builtin", params: [{ name: "name", value: "retag" }] };
  const tenantPipeline = { pipelineRef, serviceAccountName: "appstudio-pipeline" };
  await releaseBy("builtin", { application: "shop", tenantPipeline, data: tags });
  const artifacts = valueAt(await ended("builtin", "succeeded"), ["status", "artifacts"]);
  expect(artifacts).toMatchObject({ images: [{ name: "web", shasum: pushed.digest }] });
  expect(valueAt(released, ["status", "artifacts"])).toEqual(artifacts);
});

test("P70: push-to-registry cannot push where the account cannot; the Release names the repository, and no password", async () => {
  const mapping = { components: [{ name: "web", repository: `${tokens.host}/acme/other`, tags: ["stolen"] }] };
  await releaseBy("foreign", { application: "shop", tenantPipeline: await onboardedPipeline(), data: { mapping } });
  const failed = JSON.stringify((await ended("foreign", "failed"))["status"]);
  expect(failed).toContain("task retag failed: ");
  expect(failed).toContain("acme/other");
  expect(failed).not.toContain(password);
  expect(await readRaw(registry.url, "acme/other", "stolen")).toBeUndefined();
});

test("P40: a Release whose pod runs is deleted together with its PipelineRun", async () => {
  await releaseBy("deleted", { application: "shop", tenantPipeline: await onboardedPipeline(), data: tags });
  const labelSelector = `${promotionLabels.releaseName}=deleted`;
  const runs = async () => (await world.client.list({ ...pipelineRun, labelSelector })).items;
  await expect.poll(async () => (await runs()).length).toBe(1);
  await world.client.delete(ref(Release, "deleted"));
  await expect.poll(() => world.client.find(ref(Release, "deleted"))).toBeUndefined();
  expect(await runs()).toEqual([]);
});
