import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import { clusterHome, inspectBinary } from "#cluster";
import { ClusterClients, OpenshiftResource, planChanges, realizePlan, ResourceInventory } from "#inventory";
import { connect, createClient, isKubeObject, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { patchAll, runKubectl, seconds } from "./apply.ts";
import { bareAccess } from "./bare-access.ts";
import { benchCluster } from "./bench-cluster.ts";
import { makeObjects } from "./make-objects.ts";
import { median } from "./measure.ts";
import { identity, readAndWant } from "./read-and-want.ts";

const planProcess = join(import.meta.dirname, "plan-once.ts");
const bareList = join(import.meta.dirname, "list-bare.ts");
const never = new AbortController().signal;
const orders = [
  ["ours", "bare", "kubectl"],
  ["bare", "kubectl", "ours"],
  ["kubectl", "ours", "bare"],
] as const;

/** What planning and applying cost beyond the calls that they cannot do without. */
export async function measureInventory(): Promise<void> {
  measurePurePlan();
  await using cluster = await benchCluster();
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig });
  await using transport = connect(access);
  await using bare = await bareAccess(access, 32);
  const client = createClient(transport);
  const { kubectl } = await inspectBinary(clusterHome());
  const times = { ours: [] as number[], bare: [] as number[], kubectl: [] as number[] };
  for (const order of orders) {
    for (const way of order) {
      const namespace = `${way}-${order[0]}`;
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const objects = makeObjects(namespace);
      const begin = performance.now();
      if (way === "ours") await applyAll(client, namespace, objects);
      else if (way === "bare") await patchAll(bare, objects.map(stamped));
      else await runKubectl(kubectl, cluster.kubeconfig, objects);
      times[way].push(performance.now() - begin);
    }
  }
  const [ours, loop, theirs] = [median(times.ours), median(times.bare), median(times.kubectl)];
  console.log("read, plan and apply 1200 new objects, median of 3:");
  console.log(`  ours:                          ${seconds(ours)}`);
  console.log(
    `  bare loop of parallel PATCHes: ${seconds(loop)}, ratio ${(ours / loop).toFixed(2)} (bar: at most 1.3)`,
  );
  console.log(
    `  kubectl apply --server-side:   ${seconds(theirs)}, ${(theirs / ours).toFixed(2)} times ours (bar: at least 1.8)\n`,
  );
  await measureColdPlan(cluster.kubeconfig, kubectl, "ours-ours");
}

/** 10,000 objects of 5 kB that are as they are wanted. */
function measurePurePlan(): void {
  const count = 10_000;
  const bodies = Array.from({ length: count }, (_, index) => largeDeployment(index));
  const inventory = new ResourceInventory();
  inventory.initialize("c", "n", "Deployment");
  for (const body of bodies) {
    const made = new OpenshiftResource({ ...identity, body });
    const current: JsonValue = JSON.parse(JSON.stringify(made.annotate(new Date(0))));
    if (!isJsonObject(current)) continue;
    inventory.addCurrent("c", "n", "Deployment", made.name, new OpenshiftResource({ ...identity, body: current }));
  }
  const begin = process.cpuUsage();
  for (const body of bodies) {
    const value = new OpenshiftResource({ ...identity, body });
    inventory.addDesired({ cluster: "c", namespace: "n", kind: "Deployment", name: value.name, value });
  }
  const { actions, unchanged } = planChanges(inventory, identity);
  const { user, system } = process.cpuUsage(begin);
  if (actions.length > 0 || unchanged !== count) throw new Error("the plan should be empty");
  console.log(
    `plan of ${count} unchanged objects, with the hashes of what is wanted: ${((user + system) / 1e6).toFixed(2)} s CPU (bar: 1 s)\n`,
  );
}

/** The same bytes as ours, stamps included. */
function stamped(object: KubeObject): KubeObject {
  const body: JsonObject = JSON.parse(JSON.stringify(object));
  const made: unknown = new OpenshiftResource({ ...identity, body }).annotate(new Date(0));
  if (!isKubeObject(made)) throw new TypeError("a stamped object is an object");
  return made;
}

async function applyAll(client: KubeClient, namespace: string, objects: readonly KubeObject[]): Promise<void> {
  const clusters = ClusterClients.of({ main: client });
  const inventory = await readAndWant(clusters, namespace, objects);
  const plan = planChanges(inventory, identity);
  const outcomes = await realizePlan(plan, clusters, { threadPoolSize: 32 }, never);
  const failed = outcomes.find(({ state }) => state !== "done");
  if (failed || outcomes.length !== objects.length) throw new Error(failed?.reason ?? "not everything was planned");
}

/** Whole processes, from their start to their end. */
async function measureColdPlan(kubeconfig: string, kubectl: string, namespace: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tenon-bench-plan-"));
  const file = join(directory, "objects.json");
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: makeObjects(namespace) }));
  const times = { plan: [] as number[], list: [] as number[], diff: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    times.plan.push(timeProcess(process.execPath, [planProcess, kubeconfig, namespace]));
    times.list.push(timeProcess(process.execPath, [bareList, kubeconfig, namespace]));
  }
  const flags = [
    "--kubeconfig",
    kubeconfig,
    "diff",
    "--server-side",
    "--force-conflicts",
    "--field-manager",
    "bench",
    "-f",
    file,
  ];
  times.diff.push(timeProcess(kubectl, flags, [0, 1]));
  await rm(directory, { recursive: true });
  const [plan, list, diff] = [median(times.plan), median(times.list), median(times.diff)];
  console.log("plan of 1200 unchanged live objects, whole processes, median of 5:");
  console.log(`  ours:                       ${seconds(plan)}`);
  console.log(`  bare paged lists, parsed:   ${seconds(list)}, ratio ${(plan / list).toFixed(2)} (bar: at most 1.5)`);
  console.log(
    `  kubectl diff --server-side: ${seconds(diff)}, ${(diff / plan).toFixed(1)} times ours (bar: at least 15)\n`,
  );
}

function timeProcess(file: string, args: readonly string[], codes: readonly number[] = [0]): number {
  const begin = performance.now();
  // As bin/tenon starts it: code that was compiled once is not compiled again.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "tenon-bench-compile-cache") };
  const { status, stderr } = spawnSync(file, args, { env, encoding: "utf8", maxBuffer: 256 * 2 ** 20 });
  if (!codes.includes(status ?? -1)) throw new Error(stderr);
  return performance.now() - begin;
}

function largeDeployment(index: number): JsonObject {
  const labels = { app: `app-${index}`, shard: String(index % 7) };
  const env = Array.from({ length: 60 }, (_, at) => ({ name: `VARIABLE_${at}`, value: `value ${at} of ${index}` }));
  const resources = { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "1", memory: "2Gi" } };
  const containers = [
    { name: "main", image: "example.invalid/app:1", env, resources, args: ["--shard", String(index)] },
  ];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `app-${index}`, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}
