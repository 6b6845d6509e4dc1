import type { JsonObject } from "#base";
import { clusterHome, inspectBinary } from "#cluster";
import { ClusterClients, ManagedObject, planChanges, realizePlan } from "#inventory";
import { connect, createClient, isKubeObject, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { patchAll, runKubectl } from "./apply.ts";
import { bareAccess } from "./bare-access.ts";
import { benchCluster } from "./bench-cluster.ts";
import { measureColdPlan } from "./cold-plan.ts";
import { makeObjects } from "./make-objects.ts";
import { measurePurePlan } from "./pure-plan.ts";
import { identity, readAndWant } from "./read-and-want.ts";
import { describeSpent, medianSpent, spend, type Spent } from "./spent.ts";

const never = new AbortController().signal;

/** None goes first more often than another: what was applied before keeps the controllers busy. */
const orders = [
  ["ours", "bare", "kubectl"],
  ["bare", "ours"],
  ["kubectl", "ours", "bare"],
  ["ours", "bare"],
  ["bare", "kubectl", "ours"],
] as const;

/** What planning and applying cost beyond the calls that they cannot do without. */
export async function measureInventory(): Promise<void> {
  await measurePurePlan();
  await using cluster = await benchCluster();
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig });
  await using transport = connect(access);
  await using bare = await bareAccess(access, 32);
  const client = createClient(transport);
  const { kubectl } = await inspectBinary(clusterHome());
  const spent = { ours: [] as Spent[], bare: [] as Spent[], kubectl: [] as Spent[] };
  for (const [round, order] of orders.entries()) {
    for (const way of order) {
      const namespace = `${way}-${round}`;
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const objects = makeObjects(namespace);
      const marked = objects.map(stamped);
      const ways = {
        ours: () => applyAll(client, namespace, objects),
        bare: () => patchAll(bare, marked),
        kubectl: () => runKubectl(kubectl, cluster.kubeconfig, objects),
      };
      spent[way].push(await spend(ways[way]));
    }
  }
  const [ours, loop, theirs] = [medianSpent(spent.ours), medianSpent(spent.bare), medianSpent(spent.kubectl)];
  const [times, timesFaster] = [(ours.wall / loop.wall).toFixed(2), (theirs.wall / ours.wall).toFixed(2)];
  console.log(
    `read, plan and apply 1200 new objects, median of ${spent.ours.length} (kubectl: ${spent.kubectl.length}):`,
  );
  console.log(`  ours:                          ${describeSpent(ours)}`);
  console.log(`  bare loop of parallel PATCHes: ${describeSpent(loop)}; wall ratio ${times} (bar: at most 1.3)`);
  console.log(
    `  kubectl apply --server-side:   ${describeSpent(theirs)}; ${timesFaster} times our wall (bar: at least 1.8)\n`,
  );
  await measureColdPlan(cluster.kubeconfig, kubectl, "ours-0");
}

/** The same bytes as ours, stamps included. */
function stamped(body: JsonObject): KubeObject {
  const made: unknown = new ManagedObject({ ...identity, body }).annotate(new Date(0));
  if (!isKubeObject(made)) throw new TypeError("a stamped object is an object");
  return made;
}

async function applyAll(
  client: KubeClient,
  namespace: string,
  objects: readonly (KubeObject & JsonObject)[],
): Promise<void> {
  const clusters = ClusterClients.of({ main: client });
  const inventory = await readAndWant(clusters, namespace, objects);
  const plan = planChanges(inventory, identity);
  const outcomes = await realizePlan(plan, clusters, { threadPoolSize: 32 }, never);
  const failed = outcomes.find(({ state }) => state !== "done");
  if (failed || outcomes.length !== objects.length) throw new Error(failed?.reason ?? "not everything was planned");
}
