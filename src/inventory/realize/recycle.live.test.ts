import { beforeEach, expect, test } from "vitest";
import { type JsonObject, valueAt } from "#base";
import { clientWithRights, useManaged, writesIn } from "#harness";
import { refOf } from "#kube";
import { ClusterClients } from "../current/cluster-clients.ts";
import { annotation } from "../object/attribution.ts";

const world = useManaged(["ConfigMap", "Secret", "Deployment"]);
const { client, namespace, calls } = world;

function deployment(name: string, container: JsonObject, volumes: JsonObject[] = []): JsonObject {
  const labels = { app: name };
  const containers = [{ name: "main", image: "example.invalid/app:1", ...container }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, volumes } },
    },
  };
}

function recycled(kind: string, name: string, a: string): JsonObject {
  return { apiVersion: "v1", kind, metadata: { name, annotations: { "qontract.recycle": "true" } }, data: { a } };
}

async function restartOf(name: string): Promise<unknown> {
  const live = await client.get({ apiVersion: "apps/v1", kind: "Deployment", namespace, name });
  return valueAt(live, ["spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"]);
}

const byEnv = deployment("by-env", {
  env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }],
});
const byBoth = deployment("by-both", { envFrom: [{ secretRef: { name: "key" } }] }, [
  { name: "settings", configMap: { name: "settings" } },
]);
const wanted = (a: string, users = [byEnv, byBoth, deployment("other", {})]) => [
  recycled("ConfigMap", "settings", a),
  recycled("Secret", "key", a),
  ...users,
];

const podCount = async () => (await client.list({ apiVersion: "v1", kind: "Pod", namespace })).items.length;
const polling = { interval: 200 };

function restartsIn(all: readonly string[]): string[] {
  return writesIn(all).flatMap((call) => /deployments\/(.*)$/.exec(call)?.[1] ?? []);
}

async function markOf(kind: string, name: string): Promise<string | undefined> {
  const { metadata } = await client.get({ apiVersion: "v1", kind, namespace, name });
  return metadata.annotations?.[annotation.restart];
}

beforeEach(startOver);

async function startOver(): Promise<void> {
  for (const [apiVersion, kind] of [
    ["apps/v1", "Deployment"],
    ["v1", "ConfigMap"],
    ["v1", "Secret"],
  ] as const) {
    const { items } = await client.list({ apiVersion, kind, namespace });
    for (const item of items) await client.delete(refOf(item));
  }
  await expect.poll(podCount, polling).toBe(0);
  await world.run(wanted("YQ=="));
  await expect.poll(podCount, polling).toBe(6);
  calls.length = 0;
  world.lines.length = 0;
}

test("G7-18, D-41: workloads that use a changed Secret or ConfigMap are restarted once, and no others", async () => {
  expect(await restartOf("by-env"), "what is made together needs no restart").toBeUndefined();

  const dry = await world.run(wanted("Yg=="), { dryRun: true });
  expect(writesIn(calls)).toEqual([]);
  expect(world.lines.join("")).toContain(`"recycle_deployment","c1","${namespace}","by-both"`);
  const told = dry.outcomes.flatMap(({ calls: each }) => each.map(({ method, path }) => `${method} ${path}`));
  expect(restartsIn(told)).toEqual(["by-both", "by-env"]);

  await world.run(wanted("Yg=="));
  expect(restartsIn(calls)).toEqual(["by-both", "by-env"]);
  expect(await restartOf("other")).toBeUndefined();
  const restarted = await restartOf("by-env");
  expect(restarted).toEqual(expect.any(String));
  expect([await markOf("ConfigMap", "settings"), await markOf("Secret", "key")]).toEqual([undefined, undefined]);

  const { outcomes } = await world.run(wanted("Yg=="));
  expect(
    outcomes.map(({ name }) => name),
    "the restart is noted once",
  ).toEqual(["by-both", "by-env"]);
  expect(await restartOf("by-env")).toBe(restarted);
  calls.length = 0;
  await world.run(wanted("Yg=="));
  expect(writesIn(calls)).toEqual([]);
});

test("what is left out of a ConfigMap is a change too", async () => {
  const [settings, ...others] = wanted("YQ==");
  await world.run([{ ...settings, data: {} }, ...others]);
  expect(await restartOf("by-env")).toEqual(expect.any(String));
});

test("what gets new pods anyway is not restarted once more", async () => {
  await world.run(
    wanted("Yg==", [deployment("by-env", { image: "example.invalid/app:2" }), byBoth, deployment("other", {})]),
  );
  expect(await restartOf("by-both")).toEqual(expect.any(String));
  expect(await restartOf("by-env")).toBeUndefined();
});

test("what could not be restarted fails what was changed, and the next run restarts it, at the same time", async () => {
  const read = { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["list", "get"] } as const;
  const write = {
    apiGroups: [""],
    resources: ["configmaps", "secrets", "pods"],
    verbs: ["list", "get", "patch", "create"],
  } as const;
  const clusters = ClusterClients.of({ c1: await clientWithRights(world, [read, write]) });
  const { outcomes, isSuccess } = await world.run(wanted("Yg=="), { clusters });
  expect(isSuccess).toBe(false);
  expect(outcomes.map(({ kind, name, state, reason }) => [kind, name, state, reason])).toEqual(
    [
      ["Secret", "key"],
      ["ConfigMap", "settings"],
    ].map(([kind, name]) => [
      kind,
      name,
      "failed",
      expect.stringMatching(/^applied, but not all pods that use it were restarted: .*forbidden.*deployments/s),
    ]),
  );
  const since = await markOf("ConfigMap", "settings");
  expect(since).toEqual(expect.any(String));
  // As a run that is killed after the first restart leaves it.
  const template = { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": since ?? "" } } };
  const first = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "by-both" };
  await client.patch(first, { type: "merge", body: { spec: { template } } });

  const again = await world.run(wanted("Yg=="));
  expect(again.plan.actions.find(({ name }) => name === "settings")?.reason).toContain("still need a restart");
  expect(again.isSuccess).toBe(true);
  expect([await restartOf("by-both"), await restartOf("by-env")]).toEqual([since, since]);
  await world.run(wanted("Yg=="));
  calls.length = 0;
  await world.run(wanted("Yg=="));
  expect(writesIn(calls)).toEqual([]);
});
