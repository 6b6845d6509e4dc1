import { afterAll, beforeAll, expect, test } from "vitest";
import { type JsonObject, valueAt } from "#base";
import { useManaged, writesIn } from "#harness";
import { type KubeObject, type ObjectRef, refOf } from "#kube";
import { describePlan } from "../plan/describe-plan.ts";
import { successorLabel } from "../object/attribution.ts";

const world = useManaged(["Service", "Secret", "ConfigMap", "Deployment", "StatefulSet", "DaemonSet", "Job"]);
const { client, namespace, calls } = world;
const polling = { interval: 200 };

function ref(kind: string, name: string, apiVersion = "apps/v1"): ObjectRef {
  return { apiVersion, kind, namespace, name };
}

function podSpec(): JsonObject {
  return { containers: [{ name: "main", image: "example.invalid/app:1" }], terminationGracePeriodSeconds: 0 };
}

function deployment(name: string, app: string, spec: JsonObject = {}): JsonObject {
  const labels = { app };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec() },
      ...spec,
    },
  };
}

async function pods(app: string): Promise<KubeObject[]> {
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod", namespace, labelSelector: `app=${app}` });
  return items;
}

async function readyReplicas(kind: string, name: string): Promise<unknown> {
  return valueAt(await client.find(ref(kind, name)), ["status", "readyReplicas"]);
}

const service = (clusterIP: JsonObject) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { ...clusterIP, selector: { app: "web" }, ports: [{ port: 80 }] },
});

const secret = (type: string, data: JsonObject) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "key" },
  type,
  data,
});

const large = (text: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "large" },
  data: { text },
});

const job = (image: string) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "once" },
  spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } } },
});

const daemonSet = (app: string) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "everywhere" },
  spec: { selector: { matchLabels: { app } }, template: { metadata: { labels: { app } }, spec: podSpec() } },
});

test("G7-13, D-38: a Service whose cluster IP cannot change is deleted and created again", async () => {
  await world.run([service({})]);
  const before = await client.get(ref("Service", "web", "v1"));
  calls.length = 0;
  const { outcomes } = await world.run([service({ clusterIP: "None" })]);
  expect(outcomes).toMatchObject([{ action: "replace", state: "done" }]);
  const after = await client.get(ref("Service", "web", "v1"));
  expect(after).toMatchObject({ spec: { clusterIP: "None" } });
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
  expect(writesIn(calls).map((call) => call.split(" ")[0])).toEqual(["PATCH", "DELETE", "PATCH"]);
});

test("D-38: a Secret with another type is deleted and created again; one with another error is kept", async () => {
  const tls = { "tls.crt": "YQ==", "tls.key": "YQ==" };
  await world.run([secret("Opaque", { a: "YQ==" })]);
  const before = await client.get(ref("Secret", "key", "v1"));
  const faulty = await world.run([secret("kubernetes.io/dockerconfigjson", { ".dockerconfigjson": "YQ==" })]);
  expect(faulty.outcomes).toMatchObject([{ state: "failed" }]);
  expect((await client.get(ref("Secret", "key", "v1"))).metadata.uid).toBe(before.metadata.uid);
  expect(await world.run([secret("example.dev/tls", tls)])).toMatchObject({
    isSuccess: true,
    outcomes: [{ action: "replace" }],
  });
  expect(await client.get(ref("Secret", "key", "v1"))).toMatchObject({ type: "example.dev/tls", data: tls });
});

test("D-38: a Job that changes is deleted and created again", async () => {
  await world.run([job("example.invalid/app:1")]);
  const before = await client.get(ref("Job", "once", "batch/v1"));
  expect(await world.run([job("example.invalid/app:2")])).toMatchObject({
    isSuccess: true,
    outcomes: [{ action: "replace" }],
  });
  const after = await client.get(ref("Job", "once", "batch/v1"));
  expect(valueAt(after, ["spec", "template", "spec", "containers", 0, "image"])).toBe("example.invalid/app:2");
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
});

test("D-38: an object of another kind whose immutable field changes fails, and stays as it was", async () => {
  await world.run([daemonSet("one")]);
  const before = await client.get(ref("DaemonSet", "everywhere"));
  const { outcomes } = await world.run([daemonSet("two")]);
  expect(outcomes).toMatchObject([{ state: "failed", reason: expect.stringContaining("field is immutable") }]);
  const after = await client.get(ref("DaemonSet", "everywhere"));
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(valueAt(after, ["spec", "selector", "matchLabels", "app"])).toBe("one");
});

test("G7-14, D-39: a Deployment with another selector hands its pods over, and the new one scales them down", async () => {
  await world.run([deployment("rolling", "old")]);
  await expect.poll(() => readyReplicas("Deployment", "rolling"), polling).toBe(2);
  const [oldSet] = (
    await client.list({ apiVersion: "apps/v1", kind: "ReplicaSet", namespace, labelSelector: "app=old" })
  ).items;
  const { outcomes } = await world.run([deployment("rolling", "new")]);
  expect(outcomes).toMatchObject([{ action: "replace", state: "done" }]);
  const made = await client.get(ref("Deployment", "rolling"));
  const handedOver = () => client.get(ref("ReplicaSet", oldSet?.metadata.name ?? ""));
  await expect
    .poll(async () => (await handedOver()).metadata.ownerReferences?.[0]?.uid, polling)
    .toBe(made.metadata.uid);
  expect((await handedOver()).metadata.uid).toBe(oldSet?.metadata.uid);
  await expect.poll(async () => valueAt(await handedOver(), ["spec", "replicas"]), polling).toBe(0);
  await expect.poll(async () => [(await pods("old")).length, (await pods("new")).length], polling).toEqual([0, 2]);
});

test.each([
  { reason: "another label", name: "adopted", before: { app: "by-hand" } },
  { reason: "a label more", name: "adopted-2", before: { app: "ours", release: "by-hand" } },
])("a Deployment made by hand whose selector has $reason is replaced, and plan and dry run say so", async (row) => {
  const { name, before } = row;
  const wanted = deployment(name, "ours", { replicas: 0 });
  const byHand = { selector: { matchLabels: before }, template: { metadata: { labels: before }, spec: podSpec() } };
  const { metadata } = await client.create({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name },
    spec: { replicas: 0, ...byHand },
  });
  const { plan, outcomes } = await world.run([wanted], { dryRun: true });
  expect(plan.actions[0]).toMatchObject({
    action: "replace",
    name,
    reason: expect.stringMatching(/^has no owner yet; replaced, because spec\.selector\S* cannot be changed$/),
  });
  expect(describePlan(plan)).toMatch(new RegExp(`\\n {2}-/\\+ Deployment ${name}: [^]*\\n1 to replace`));
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
  const told = outcomes[0]?.calls.map((call) => `${call.method} ${call.path}`);
  expect(told?.filter((call) => call.endsWith(path))).toEqual([`DELETE ${path}`, `PATCH ${path}`]);

  expect(await world.run([wanted])).toMatchObject({ isSuccess: true });
  const after = await client.get(ref("Deployment", name));
  expect(after.metadata.uid).not.toBe(metadata.uid);
  expect(valueAt(after, ["spec", "selector", "matchLabels"])).toEqual({ app: "ours" });
  expect((await world.plan([wanted])).actions).toEqual([]);
});

test("killed between the two Deployments, the next run finds the ReplicaSets that were left", async () => {
  await world.run([deployment("killed", "left")]);
  await expect.poll(() => readyReplicas("Deployment", "killed"), polling).toBe(2);
  const { items } = await client.list({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    namespace,
    labelSelector: "app=left",
  });
  for (const set of items) {
    await client.patch(refOf(set), { type: "merge", body: { metadata: { labels: { [successorLabel]: "killed" } } } });
  }
  await client.delete(ref("Deployment", "killed"), { propagation: "Orphan" });
  await expect.poll(() => client.find(ref("Deployment", "killed")), polling).toBeUndefined();
  await world.run([deployment("killed", "next")]);
  await expect.poll(async () => [(await pods("left")).length, (await pods("next")).length], polling).toEqual([0, 2]);
});

test("a Deployment that recreates its pods ends the old ones before the new ones begin", async () => {
  const strategy = { strategy: { type: "Recreate" } };
  await world.run([deployment("recreated", "one", strategy)]);
  await expect.poll(() => readyReplicas("Deployment", "recreated"), polling).toBe(2);
  expect(await world.run([deployment("recreated", "two", strategy)])).toMatchObject({ isSuccess: true });
  expect(await pods("one")).toEqual([]);
});

function statefulSet(storage: string): JsonObject {
  const labels = { app: "store" };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "store" },
    spec: {
      replicas: 2,
      serviceName: "store",
      selector: { matchLabels: labels },
      podManagementPolicy: "Parallel",
      template: { metadata: { labels }, spec: podSpec() },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], storageClassName: namespace, resources: { requests: { storage } } },
        },
      ],
    },
  };
}

const volumes = [0, 1].map((index) => ({ apiVersion: "v1", kind: "PersistentVolume", name: `${namespace}-${index}` }));

beforeAll(async () => {
  await client.create({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: namespace },
    provisioner: "example.dev/none",
    allowVolumeExpansion: true,
  });
  for (const { apiVersion, kind, name } of volumes) {
    const spec = {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: namespace,
      hostPath: { path: "/tmp" },
    };
    await client.create({ apiVersion, kind, metadata: { name }, spec });
  }
});
afterAll(async () => {
  await client.delete({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", name: namespace });
  for (const volume of volumes) await client.delete(volume);
});

test("G7-15, D-40: a StatefulSet that requests more storage gets it, and its pods stay", async () => {
  await world.run([statefulSet("1Gi")]);
  await expect.poll(() => readyReplicas("StatefulSet", "store"), polling).toBe(2);
  const uids = (await pods("store")).map(({ metadata }) => metadata.uid);

  const [shrunk] = (await world.run([statefulSet("512Mi")])).outcomes;
  expect(shrunk).toMatchObject({ state: "failed", reason: expect.stringContaining("claims can only grow") });

  const [grown] = (await world.run([statefulSet("2Gi")])).outcomes;
  expect(grown).toMatchObject({ action: "replace", state: "done", kind: "StatefulSet" });
  for (const index of [0, 1]) {
    const claim = await client.get(ref("PersistentVolumeClaim", `data-store-${index}`, "v1"));
    expect(valueAt(claim, ["spec", "resources", "requests", "storage"])).toBe("2Gi");
  }
  await expect.poll(() => readyReplicas("StatefulSet", "store"), polling).toBe(2);
  expect((await pods("store")).map(({ metadata }) => metadata.uid)).toEqual(uids);
  expect((await world.plan([statefulSet("2Gi")])).actions.filter(({ kind }) => kind === "StatefulSet")).toEqual([]);
});

test("G7-16, D-38: an object that is too large for kubectl's annotation is applied and updated", async () => {
  expect(await world.run([large("x".repeat(900_000))])).toMatchObject({ isSuccess: true });
  expect(await world.run([large("y".repeat(900_000))])).toMatchObject({ isSuccess: true });
  expect(valueAt(await client.get(ref("ConfigMap", "large", "v1")), ["data", "text"])).toBe("y".repeat(900_000));
  const tooLarge = await world.run([large("z".repeat(2_000_000))]);
  expect(tooLarge.outcomes).toMatchObject([{ state: "failed" }]);
  expect(tooLarge.outcomes[0]?.reason?.length).toBeLessThan(1_000);
});
