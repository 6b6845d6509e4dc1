import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isJsonObject, type JsonObject, valueAt } from "#base";
import { clusterHome, inspectBinary } from "#cluster";
import { testKubeconfig, useManaged } from "#harness";
import { defaultUpstream, managerIdentity } from "#integrations";
import { ManagedObject } from "#inventory";
import { useManagerWorld } from "./manager/manager-world.ts";
import { allKinds, configMap, deployment, secret, service } from "./managed/objects.ts";

const world = useManaged(allKinds);
const manager = useManagerWorld();
const { kubectl } = await inspectBinary(clusterHome());
const wanted = [configMap("settings"), secret("key", { password: "hunter22" }), service("web"), deployment("app")];

/** By client-side apply, stamped, as qontract-reconcile does with oc. */
function applyAsUpstream(resource: ManagedObject, namespace: string): void {
  const input = JSON.stringify(resource.annotate(new Date(0)));
  const flags = ["--kubeconfig", testKubeconfig(), "--namespace", namespace, "apply", "--filename", "-"];
  const { status, stderr } = spawnSync(kubectl, flags, { input, encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

beforeAll(() => {
  for (const body of wanted) {
    applyAsUpstream(new ManagedObject({ body, integration: "test", integrationVersion: "0.1.0" }), world.namespace);
  }
});

test("G1-05: the hash on an object is the one that qontract-reconcile writes", () => {
  const body = configMap("a", { k: "v", b: "2" });
  const { annotations } = {
    ...valueAtMetadata(
      new ManagedObject({ body, integration: "i", integrationVersion: "1.0.0" }).annotate(new Date(0)),
    ),
  };
  expect(annotations).toMatchObject({
    "qontract.sha256sum": "a62b990120180a57386388042ea1119951680171f97287125d311e1e2bab4973",
  });
});

function valueAtMetadata(object: unknown): { annotations?: unknown } {
  return { annotations: valueAt(object, ["metadata", "annotations"]) };
}

test("a namespace that upstream manages is taken over with an empty plan", async () => {
  const plan = await world.plan(wanted);
  expect(plan).toMatchObject({ actions: [], refusals: [], errors: [], unchanged: 4 });
});

test("the first change after the takeover shows the one field that differs, and no default of the server", async () => {
  const changes = [secret("key", { password: "hunter23" }), service("web"), deployment("app", { app: "app" }, "app:2")];
  const { actions } = await world.plan([wanted[0] ?? {}, ...changes]);
  expect(actions.map(({ kind, diff }) => [kind, diff.map(({ path }) => path)])).toEqual([
    ["Secret", ["data.password"]],
    ["Deployment", ["spec.template.spec.containers[main].image"]],
  ]);
});

test("the first change after the takeover removes the same fields as upstream would", async () => {
  const body = deployment("app");
  const containers = [{ name: "main", image: "example.invalid/app:1" }];
  const template = { metadata: { labels: { app: "app" } }, spec: { containers } };
  const spec = { replicas: 1, selector: { matchLabels: { app: "app" } }, template };
  await world.run([...wanted.slice(0, 3), { ...body, spec }]);
  const live = await world.client.get({
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace: world.namespace,
    name: "app",
  });
  const container = valueAt(live, ["spec", "template", "spec", "containers", 0]);
  expect(valueAt(container, ["env"])).toBeUndefined();
  expect(valueAt(container, ["resources"])).toEqual({});
  expect(live.metadata.annotations).not.toHaveProperty(["kubectl.kubernetes.io/last-applied-configuration"]);
});

/** The object of a plan as qontract-reconcile would have made it: its own concatenation of arguments, and none of our annotations. */
function asUpstreamMade(body: JsonObject, extraArguments: string): ManagedObject {
  const made: JsonObject = JSON.parse(JSON.stringify(body), (key, value: unknown) => {
    if (key === "annotations") return undefined;
    return valueAt(value, ["name"]) === "INTEGRATION_EXTRA_ARGS"
      ? { name: "INTEGRATION_EXTRA_ARGS", value: extraArguments }
      : value;
  });
  return new ManagedObject({ body: made, ...managerIdentity, callerName: defaultUpstream });
}

test("G4-12: a shard of an account, without arguments of its own, is taken over with an empty plan", async () => {
  const [here] = manager.namespaces;
  const accounts = join(manager.data.path, "data", "aws");
  await mkdir(accounts, { recursive: true });
  const account = { $schema: "/aws/account-1.yml", name: "acc-1", uid: "1" };
  await writeFile(join(accounts, "acc-1.json"), JSON.stringify(account));
  await manager.data.namespace("n1", { realName: here });
  const sharding = { strategy: "per-aws-account" };
  await manager.data.integration("sharded", [{ namespace: "n1", sharding }], { shardArguments: ["--account-name"] });
  const { actions } = await manager.plan();
  expect(actions.map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
    "create Service integrations",
    "create Deployment sharded-acc-1",
  ]);
  for (const { body } of actions) {
    if (isJsonObject(body)) applyAsUpstream(asUpstreamMade(body, " --account-name acc-1"), here);
  }
  expect(await manager.plan()).toMatchObject({ actions: [], refusals: [], errors: [], unchanged: 2 });
});
