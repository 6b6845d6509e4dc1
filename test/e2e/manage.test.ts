import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { valueAt } from "#base";
import { isInShard } from "#integrations";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess, readLogs } from "#kube";
import { writeImageArchive } from "#oci";
import { testKubeconfig } from "#harness";
import { makeIntegrationImage } from "../../examples/integration/image.ts";
import { loadOnNode } from "./use-node.ts";

const tenonProgram = join(import.meta.dirname, "..", "..", "bin", "tenon");
const suffix = crypto.randomUUID().slice(0, 8);
const home = `manage-${suffix}`;
const places = [0, 1].flatMap((shardId) => placesOfShard(shardId, 3));
const serviceAccount = "integrations";
const cleanup = new AsyncDisposableStack();
const polling = { interval: 250 };
let client: KubeClient;
let data: { readonly path: string };

beforeAll(async () => {
  data = cleanup.use(await mkdtempDisposable(join(tmpdir(), "tenon-manage-")));
  await mkdir(join(data.path, "data"));
  const access = await loadAccess({ kubeconfig: testKubeconfig() });
  client = createClient(cleanup.use(connect(access)));
  const archive = join(data.path, "integrations.tar");
  await writeImageArchive([await makeIntegrationImage("localhost/integrations:1", "none")], archive);
  await loadOnNode(archive);

  for (const name of [home, ...places]) {
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    cleanup.defer(() => client.delete({ apiVersion: "v1", kind: "Namespace", name }));
  }
  await client.create({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: serviceAccount, namespace: home },
  });
  for (const namespace of places) await allowConfigMaps(namespace);
  await writeData(access.context);
  // The chart mounts this Secret at /config, where qontract-reconcile has its settings.
  await tenon("data", "bundle", data.path, "--file", join(data.path, "bundle.json"));
  const bundle = await readFile(join(data.path, "bundle.json"), "base64");
  const metadata = { name: "qontract-reconcile-toml", namespace: home };
  await client.create({ apiVersion: "v1", kind: "Secret", metadata, data: { "bundle.json": bundle } });
  await tenon("apply", "--yes", ...settings());
});
afterAll(() => cleanup.disposeAsync());

test("two shards run, and each creates the ConfigMaps of its half", async () => {
  for (const shardId of [0, 1]) {
    const name = `whereabouts-${shardId}`;
    await expect
      .poll(async () => (await podsOf(`app=whereabouts,tenon.dev/shard=${shardId}`)).map(isReady), polling)
      .toEqual([true]);
    const half = places.filter((place) => isInShard(place, { shards: 2, shardId }));
    expect(half, "a half of its own").toHaveLength(3);
    const worked = async () =>
      (await logsOf(`app=whereabouts,tenon.dev/shard=${shardId}`)).filter((line) => line.startsWith("c1/")).toSorted();
    await expect
      .poll(worked, { ...polling, message: `what ${name} says that it does` })
      .toEqual(half.map((place) => `c1/${place}`).toSorted());
  }
  const made = async () =>
    Promise.all(
      places.map((namespace) => client.find({ apiVersion: "v1", kind: "ConfigMap", namespace, name: "whereabouts" })),
    );
  await expect
    .poll(async () => (await made()).map((found) => found?.["data"]), polling)
    .toEqual(places.map(() => ({ cluster: "c1", environment: "test" })));
});

test("an integration with state has a volume that binds, and finds its file again after its pod was deleted", async () => {
  await expect.poll(() => logsOf("app=census"), polling).toEqual(["7 namespaces, the first count"]);
  const [claim] = await listed("v1", "PersistentVolumeClaim");
  expect(claim).toMatchObject({ metadata: { name: "storage-census-0" }, status: { phase: "Bound" } });

  const [before] = await podsOf("app=census");
  await client.delete({ apiVersion: "v1", kind: "Pod", namespace: home, name: "census-0" });
  await expect.poll(() => logsOf("app=census"), polling).toEqual(["7 namespaces, 7 the last time, count 2"]);
  const [after] = await podsOf("app=census");
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
});

test("`tenon get` shows how many shards run, and with which image", async () => {
  await expect
    .poll(() => shownIntegrations(), polling)
    .toMatchObject([
      { integration: "census", desired: 1, running: 1, image: "localhost/integrations:1", trouble: [] },
      { integration: "census-again", desired: 0, shards: [{ kind: "CronJob" }], trouble: [] },
      { integration: "whereabouts", desired: 2, running: 2, shards: [{ running: 1 }, { running: 1 }], trouble: [] },
    ]);
});

test("an integration with a schedule runs on time, and completes", async () => {
  await expect.poll(async () => (await succeededJobs()).length, polling).toBeGreaterThan(0);
  const [job] = await succeededJobs();
  expect(job?.metadata.ownerReferences).toMatchObject([{ kind: "CronJob", name: "census-again" }]);
  expect(await logsOf(`job-name=${job?.metadata.name}`)).toEqual(["7 namespaces"]);
});

test("an integration that is removed from the data is deleted with its pod, and the others continue", async () => {
  const [before] = await podsOf("app=whereabouts,tenon.dev/shard=0");
  await rm(join(data.path, "data", "census.json"));
  const { stdout } = await tenon("apply", "--yes", ...settings());
  expect(stdout).toContain("  - StatefulSet census: no longer desired\n");
  expect(stdout).toMatch(/\n1 of 1 done\n$/);
  await expect.poll(() => podsOf("app=census,tenon.dev/shard="), polling).toEqual([]);
  expect((await tenon("plan", ...settings())).stdout).toMatch(/^\d unchanged\n$/);
  const [after] = await podsOf("app=whereabouts,tenon.dev/shard=0");
  expect(after).toMatchObject({ metadata: { uid: before?.metadata.uid }, status: { phase: "Running" } });
});

async function writeData(context: string): Promise<void> {
  const parameters = {
    IMAGE: "localhost/integrations",
    IMAGE_TAG: "1",
    DRY_RUN: "--no-dry-run",
    SERVICE_ACCOUNT_NAME: serviceAccount,
  };
  await put("cluster", { $schema: "/openshift/cluster-1.yml", name: "c1", serverUrl: "https://c1.example" });
  await put("environment", { $schema: "/app-sre/environment-1.yml", name: "test", parameters });
  const [cluster, environment] = [{ $ref: "/cluster.json" }, { $ref: "/environment.json" }];
  for (const name of [home, ...places]) {
    await put(name, { $schema: "/openshift/namespace-1.yml", name, cluster, environment });
  }
  const extraEnv = [
    { name: "DATA", value: "/config/bundle.json" },
    { name: "CLUSTER", value: "c1" },
  ];
  const sharding = { strategy: "static", shards: 2 };
  await putIntegration("whereabouts", { args: ["whereabouts.mjs"], extraEnv }, { sharding });
  const state = { name: "STATE", value: "/state" };
  await putIntegration("census", { args: ["census.mjs"], extraEnv: [...extraEnv, state], state: true });
  await putIntegration("census-again", { args: ["census.mjs"], extraEnv, cron: "* * * * *" });
  const lines = ["data: .", `kubeconfig: ${testKubeconfig()}`, `context: ${context}`, "stateFile: state.json"];
  await writeFile(join(data.path, "tenon.yaml"), [...lines, "side: external"].join("\n"));
}

async function putIntegration(name: string, spec: object, more: object = {}): Promise<void> {
  const resources = { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "256Mi" } };
  const managed = [{ namespace: { $ref: `/${home}.json` }, spec: { resources, ...spec }, ...more }];
  await put(name, { $schema: "/app-sre/integration-1.yml", name, description: name, managed });
}

async function put(name: string, content: object): Promise<void> {
  await writeFile(join(data.path, "data", `${name}.json`), JSON.stringify(content));
}

/** Names that the shard is responsible for, so that no half is empty. */
function placesOfShard(shardId: number, count: number): string[] {
  const names = Array.from({ length: 100 }, (_, index) => `place-${index}-${suffix}`);
  return names.filter((name) => isInShard(name, { shards: 2, shardId })).slice(0, count);
}

async function allowConfigMaps(namespace: string): Promise<void> {
  const group = "rbac.authorization.k8s.io";
  const metadata = { name: serviceAccount, namespace };
  const verbs = ["get", "list", "create", "patch", "delete"];
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs }];
  await client.create({ apiVersion: `${group}/v1`, kind: "Role", metadata, rules });
  const subjects = [{ kind: "ServiceAccount", name: serviceAccount, namespace: home }];
  const roleRef = { apiGroup: group, kind: "Role", name: serviceAccount };
  await client.create({ apiVersion: `${group}/v1`, kind: "RoleBinding", metadata, roleRef, subjects });
}

function settings(): string[] {
  return ["--config", join(data.path, "tenon.yaml")];
}

async function tenon(...words: readonly string[]) {
  return await promisify(execFile)(tenonProgram, words);
}

async function listed(apiVersion: string, kind: string, labelSelector?: string): Promise<readonly KubeObject[]> {
  const { items } = await client.list({
    apiVersion,
    kind,
    namespace: home,
    ...(labelSelector ? { labelSelector } : {}),
  });
  return items;
}

async function shownIntegrations(): Promise<unknown> {
  return JSON.parse((await tenon("get", "integrations", "-o", "json", ...settings())).stdout);
}

async function succeededJobs(): Promise<readonly KubeObject[]> {
  return (await listed("batch/v1", "Job")).filter((job) => valueAt(job, ["status", "succeeded"]) === 1);
}

async function podsOf(labelSelector: string): Promise<readonly KubeObject[]> {
  return await listed("v1", "Pod", labelSelector);
}

function isReady(pod: KubeObject): boolean {
  const conditions = valueAt(pod, ["status", "conditions"]);
  return Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** Of the one pod that has these labels; nothing while its container does not run. */
async function logsOf(labelSelector: string): Promise<string[]> {
  const [pod] = await podsOf(labelSelector);
  if (!pod) return [];
  const { name } = pod.metadata;
  return await Array.fromAsync(readLogs(client, { namespace: home, name }, {}, AbortSignal.timeout(300_000))).catch(
    () => [],
  );
}
