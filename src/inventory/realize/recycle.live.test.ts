import { expect, test } from "vitest";
import { type JsonObject, valueAt } from "#base";
import { useManaged, writesIn } from "#harness";

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

test("G7-18: who uses what has changed is restarted, once, and nobody else", async () => {
  const users = [
    deployment("by-env", { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }] }),
    deployment("by-both", { envFrom: [{ secretRef: { name: "key" } }] }, [
      { name: "settings", configMap: { name: "settings" } },
    ]),
    deployment("other", {}),
  ];
  const wanted = (a: string) => [recycled("ConfigMap", "settings", a), recycled("Secret", "key", a), ...users];
  await world.run(wanted("YQ=="));
  const podCount = async () => (await client.list({ apiVersion: "v1", kind: "Pod", namespace })).items.length;
  await expect.poll(podCount, { timeout: 20_000, interval: 200 }).toBe(6);

  calls.length = 0;
  await world.run(wanted("Yg=="), { dryRun: true });
  expect(writesIn(calls)).toEqual([]);
  expect(world.lines.join("")).toContain(`"recycle_deployment","c1","${namespace}","by-both"`);

  await world.run(wanted("Yg=="));
  expect(writesIn(calls).filter((call) => call.includes("deployments"))).toEqual([
    `PATCH /apis/apps/v1/namespaces/${namespace}/deployments/by-both`,
    `PATCH /apis/apps/v1/namespaces/${namespace}/deployments/by-env`,
  ]);
  expect(await restartOf("other")).toBeUndefined();
  const restarted = await restartOf("by-env");
  expect(restarted).toEqual(expect.any(String));

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
