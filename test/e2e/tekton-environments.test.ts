import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isRecord, valueAt } from "#base";
import { clusterHome, inspectBinary } from "#cluster";
import type { KubeObject } from "#kube";
import { baseEntries, buildImage, programEntries, writeImageArchive } from "#oci";
import {
  Application,
  EphemeralClaim,
  IntegrationTestScenario,
  promotionAnnotations,
  Snapshot,
  SpaceRequest,
} from "#promotion";
import { makeTenonImage } from "../../publish/tenon-image.ts";
import { readExample } from "./read-example.ts";
import { useTekton } from "./use-tekton.ts";

const world = useTekton("tekton-environments");
const { namespace, instance, tenon } = world;
const tenonImage = "localhost/tenon:environments";
/** With sh and kubectl; as what is tested, it stays. */
const image = "localhost/kubectl:environments";
const missingImage = "localhost/not-there:environments";
const polling = { interval: 500 };

beforeAll(async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-environments-"));
  const { kubectl } = await inspectBinary(clusterHome(process.env));
  const programs = { "/bin/sh": "/bin/sh", "/usr/bin/date": "/usr/bin/date", "/usr/bin/sleep": "/usr/bin/sleep" };
  const built = await buildImage({
    name: image,
    compression: "none",
    layers: [
      { comment: "base", entries: await baseEntries() },
      { comment: "programs", entries: await programEntries({ ...programs, "/usr/bin/kubectl": kubectl }) },
    ],
    entrypoint: ["/usr/bin/sleep", "3600"],
    env: { PATH: "/usr/bin:/bin" },
  });
  const archive = join(directory.path, "images.tar");
  await writeImageArchive([built, await makeTenonImage({ name: tenonImage, compression: "none" })], archive);
  await world.load(archive);
  await world.promote("--promote", "tests,environments", "--install-crds");
  for (const { apiVersion, kind } of [EphemeralClaim, SpaceRequest]) {
    await world.client.discovery.whenServed({ apiVersion, kind }, AbortSignal.timeout(300_000));
  }
  const tasks = ["--environment-tasks", "--task-image", tenonImage, "--instance", instance, "--yes"];
  await tenon("promote", "onboard", namespace, ...tasks);
  const small = await readExample("environments/class.yaml");
  // Tenon runs outside the cluster here; inside, it says this by itself.
  const server = "https://kubernetes.default.svc";
  const spec = Object.assign({}, small["spec"], { server });
  await world.client.apply({ ...small, spec }, { fieldManager: "test", force: true });
  const pipeline = await readExample("environments/test-in-environment.yaml");
  await world.client.create({ ...pipeline, metadata: { ...pipeline.metadata, namespace } });
  const { apiVersion, kind } = Application;
  await world.client.create({
    apiVersion,
    kind,
    metadata: { name: "shop", namespace },
    spec: { displayName: "shop" },
  });
});

/** A Snapshot of this image, and the test run of the pipeline that it gets. */
async function startTest(name: string, kind: string, tested: string): Promise<string> {
  await world.client.create({
    apiVersion: IntegrationTestScenario.apiVersion,
    kind: IntegrationTestScenario.kind,
    metadata: { name, namespace },
    spec: {
      application: "shop",
      resolverRef: {
        resolver: "cluster",
        params: [
          { name: "kind", value: "pipeline" },
          { name: "name", value: "test-in-environment" },
          { name: "namespace", value: namespace },
        ],
      },
      params: [
        { name: "kind", value: kind },
        { name: "image", value: image },
      ],
      contexts: [{ name: `component_${name}` }],
    },
  });
  const labels = { "test.appstudio.openshift.io/type": "component", "appstudio.openshift.io/component": name };
  await world.client.create({
    apiVersion: Snapshot.apiVersion,
    kind: Snapshot.kind,
    metadata: { name, namespace, labels },
    spec: { application: "shop", components: [{ name, containerImage: tested }] },
  });
  const runOf = ({ metadata }: KubeObject) => {
    const entries: unknown = JSON.parse(metadata.annotations?.[promotionAnnotations.testStatus] ?? "[]");
    const entry = Array.isArray(entries)
      ? entries.filter(isRecord).find(({ scenario }) => scenario === name)
      : undefined;
    return entry?.["testPipelineRunName"];
  };
  return String(runOf(await world.waitFor(snapshotRef(name), (found) => runOf(found) !== undefined)));
}

const snapshotRef = (name: string) => ({ apiVersion: Snapshot.apiVersion, kind: Snapshot.kind, namespace, name });
const runRef = (name: string) => ({ apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace, name });

function conditionOf(object: KubeObject, type: string): Readonly<Record<string, unknown>> | undefined {
  const conditions = valueAt(object, ["status", "conditions"]);
  return Array.isArray(conditions) ? conditions.filter(isRecord).find((each) => each["type"] === type) : undefined;
}

/** Tasks that ran, by their names in the pipeline, and whether they succeeded. */
async function taskRuns(run: string): Promise<Readonly<Record<string, unknown>>> {
  const selection = { apiVersion: "tekton.dev/v1", kind: "TaskRun", namespace };
  const { items } = await world.client.list({ ...selection, labelSelector: `tekton.dev/pipelineRun=${run}` });
  const rows = items.map((task) => [
    task.metadata.labels?.["tekton.dev/pipelineTask"],
    conditionOf(task, "Succeeded")?.["status"],
  ]);
  return Object.fromEntries(rows);
}

async function environments(): Promise<readonly string[]> {
  const selection = { apiVersion: "v1", kind: "Namespace", labelSelector: "tenon.dev/claim-uid" };
  return (await world.client.list(selection)).items.map(({ metadata }) => metadata.name);
}

async function deploymentsIn(inNamespace: string | undefined): Promise<number> {
  if (inNamespace === undefined) return 0;
  return (await world.client.list({ apiVersion: "apps/v1", kind: "Deployment", namespace: inNamespace })).items.length;
}

/** What is left of environments, and of what asked for them. */
async function leftovers(): Promise<readonly string[]> {
  const kinds = [SpaceRequest, EphemeralClaim, { apiVersion: "v1", kind: "Secret" }];
  const lists = await Promise.all(
    kinds.map(({ apiVersion, kind }) => world.client.list({ apiVersion, kind, namespace })),
  );
  const names = lists.flatMap(({ items }) => items.map(({ kind, metadata: { name } }) => `${kind} ${name}`));
  const ours = names.filter((name) => !name.startsWith("Secret ") || name.endsWith("-kubeconfig"));
  return [...(await environments()), ...ours];
}

async function untilAllIsGone(): Promise<void> {
  await expect.poll(leftovers, { ...polling, message: "what is left" }).toEqual([]);
}

test.each(["SpaceRequest", "EphemeralClaim"])(
  "P67: a test gets an environment by the task that makes a %s, deploys the SNAPSHOT there, reports TEST_OUTPUT, and leaves nothing",
  async (kind) => {
    const name = `by-${kind.toLowerCase()}`;
    const run = await startTest(name, kind, image);
    const tested = await world.waitFor(
      snapshotRef(name),
      (found) => conditionOf(found, "AppStudioTestSucceeded")?.["status"] === "True",
    );
    const status = JSON.parse(tested.metadata.annotations?.[promotionAnnotations.testStatus] ?? "[]");
    expect(status).toMatchObject([{ scenario: name, status: "TestPassed" }]);
    expect(await taskRuns(run)).toEqual({ create: "True", test: "True", destroy: "True" });
    await untilAllIsGone();
  },
);

test.each([
  { spec: "CancelledRunFinally", reason: "the task under finally removes it", destroy: "True" },
  { spec: "Cancelled", reason: "no task runs any more, and it ends with its run", destroy: undefined },
])("P67: a test that is $spec leaves no environment: $reason", async ({ spec, destroy }) => {
  const name = spec.toLowerCase();
  const run = await startTest(name, "SpaceRequest", missingImage);
  await expect
    .poll(async () => deploymentsIn((await environments())[0]), { ...polling, message: "a deployment that waits" })
    .toBe(1);
  await world.client.patch(runRef(run), { type: "merge", body: { spec: { status: spec } } });
  await world.waitFor(runRef(run), (found) => conditionOf(found, "Succeeded")?.["status"] === "False");
  expect((await taskRuns(run))["destroy"]).toBe(destroy);
  await expect.poll(environments, { ...polling, message: "environments" }).toEqual([]);
  // Without finally, the request stays with its run, and says that the space has ended.
  await world.client.delete(runRef(run));
  await untilAllIsGone();
});
