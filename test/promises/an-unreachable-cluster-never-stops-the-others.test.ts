import { expect, test } from "vitest";
import { startCluster, stopCluster } from "#cluster";
import { never, temporaryHome, testKubeconfig, useManaged } from "#harness";
import { ClusterClients, fetchCurrentState, ManagedObject, realizeData, type Realized } from "#inventory";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { configMap } from "./managed/objects.ts";

const { client: here, namespace } = useManaged([]);
const identity = { integration: "test", integrationVersion: "0.1.0" };

async function open(kubeconfig: string): Promise<KubeClient> {
  return createClient(connect(await loadAccess({ kubeconfig }), { connectTimeoutMs: 2_000 }));
}

async function run(clusters: ClusterClients, names: readonly string[]): Promise<Realized> {
  const namespaces = ["there", "here"].map((cluster) => ({ cluster, namespace }));
  const { inventory } = await fetchCurrentState(
    { ...identity, namespaces, managedKinds: ["ConfigMap"], clusters },
    never,
  );
  for (const { cluster } of namespaces) {
    for (const name of names) {
      const value = new ManagedObject({ ...identity, body: configMap(name) });
      inventory.addDesired({ cluster, namespace, kind: "ConfigMap", name, value });
    }
  }
  return await realizeData({ ...identity, inventory, clusters }, never);
}

function summary({ outcomes }: Realized): string[] {
  return outcomes.map(({ cluster, action, name, state }) => `${cluster} ${action} ${name} ${state}`);
}

test("G7-10: other clusters are applied and pruned while one is unreachable, before or during the run", async () => {
  await using home = await temporaryHome();
  const { kubeconfig } = await startCluster({ home, name: "there", endsWithUs: true }, never);
  const sources = [
    { name: "there", open: () => open(kubeconfig) },
    { name: "here", open: () => open(testKubeconfig()) },
  ];
  await using clusters = await ClusterClients.connect(sources, {}, never);
  await clusters.get("there")?.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  expect(summary(await run(clusters, ["a", "b"]))).toEqual([
    "there create a done",
    "there create b done",
    "here create a done",
    "here create b done",
  ]);

  await stopCluster({ home, name: "there" }, never);
  const during = await run(clusters, ["a", "c"]);
  expect(during.isSuccess).toBe(false);
  expect(summary(during)).toEqual(["here create c done", "here delete b done"]);
  expect(during.plan.errors).toMatchObject([{ cluster: "there" }]);

  await using without = await ClusterClients.connect(sources, {}, never);
  expect(without.unreachable).toMatchObject([
    { cluster: "there", what: expect.stringContaining("cluster there cannot be used") },
  ]);
  const after = await run(without, ["a", "d"]);
  expect(after.isSuccess).toBe(false);
  expect(summary(after)).toEqual(["here create d done", "here delete c done"]);
  expect(
    (await here.list({ apiVersion: "v1", kind: "ConfigMap", namespace })).items.map(({ metadata }) => metadata.name),
  ).toEqual(["a", "d", "kube-root-ca.crt"]);
});
