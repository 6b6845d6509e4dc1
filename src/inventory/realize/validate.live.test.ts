import { expect, test } from "vitest";
import type { JsonObject } from "#base";
import { never, useManaged } from "#harness";
import { ClusterClients } from "../current/cluster-clients.ts";
import { validatePlanned } from "./validate-planned.ts";
import { validateRealized } from "./validate-realized.ts";

const world = useManaged(["Secret", "ConfigMap", "Service", "Deployment"]);
const { client, namespace } = world;
const clusters = ClusterClients.of({ c1: client });

function deployment(name: string, container: JsonObject, spec: JsonObject = {}): JsonObject {
  const labels = { app: name };
  const containers = [{ name: "main", image: "example.invalid/app:1", ...container }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers, ...spec } } },
  };
}

function variable(kind: "secret" | "configMap", name: string, key: string, more: JsonObject = {}): JsonObject {
  return { env: [{ name: "A", valueFrom: { [`${kind}KeyRef`]: { name, key, ...more } } }] };
}

test("D-49: a ConfigMap or Secret that a workload needs must be desired, live or promised, with its keys", async () => {
  await client.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name: "there" },
    stringData: { a: "1" },
  });
  const annotations = { "service.beta.openshift.io/serving-cert-secret-name": "promised" };
  const inventory = await world.inventory([
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "wanted" }, data: { a: "1" } },
    { apiVersion: "v1", kind: "Service", metadata: { name: "web", annotations }, spec: { ports: [{ port: 1 }] } },
    deployment("a-there", variable("secret", "there", "a")),
    deployment("b-without-key", variable("secret", "there", "b")),
    deployment("c-wanted", variable("configMap", "wanted", "a")),
    deployment("d-wanted-without-key", variable("configMap", "wanted", "b")),
    deployment("e-promised", {}, { volumes: [{ name: "v", secret: { secretName: "promised" } }] }),
    deployment("f-missing", { envFrom: [{ configMapRef: { name: "missing" } }] }),
    deployment("g-optional", variable("secret", "missing", "a", { optional: true })),
  ]);
  await validatePlanned(inventory, clusters, never);
  expect(inventory.errors.map(({ what, next }) => [what, next])).toEqual([
    ["Deployment b-without-key needs Secret there with the key b, which is missing", "add the key"],
    ["Deployment d-wanted-without-key needs ConfigMap wanted with the key b, which is missing", "add the key"],
    ["Deployment f-missing needs ConfigMap missing, which is missing", "add it, or create it"],
  ]);
});

test("D-50: applied objects are waited for, and one that does not become ready is named with the reason", async () => {
  const stuck = { nodeSelector: { "example.dev/none": "such" } };
  const { outcomes } = await world.run([deployment("ready", {}), deployment("stuck", {}, stuck)]);
  const [ready, ...others] = outcomes;
  expect(await validateRealized(ready ? [ready] : [], clusters, {}, never)).toEqual([]);
  const reason = async () =>
    (await validateRealized(others, clusters, { timeoutMs: 0 }, never)).map((each) => each.reason).join();
  await expect.poll(reason).toMatch(/waited 0 s for Deployment .*stuck to be ready: 0 of 1 replicas are ready/);
});
