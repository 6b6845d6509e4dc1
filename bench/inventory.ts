import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import { clusterHome, inspectBinary } from "#cluster";
import { ClusterClients, ManagedObject, planChanges, realizePlan, ResourceInventory } from "#inventory";
import { connect, createClient, isKubeObject, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { patchAll, runKubectl } from "./apply.ts";
import { bareAccess } from "./bare-access.ts";
import { benchCluster } from "./bench-cluster.ts";
import { describeSpent, medianSpent, spend, type Spent } from "./measure.ts";
import { buildInventory, identity, makeObjects } from "./plan-inputs.ts";

const never = new AbortController().signal;

/** Each way goes first about as often as the others, because earlier objects keep the controllers busy. */
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

/** The same bytes as ours, with the owner's annotations. */
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
  const inventory = await buildInventory(clusters, namespace, objects);
  const plan = planChanges(inventory, identity);
  const outcomes = await realizePlan(plan, clusters, { threadPoolSize: 32 }, never);
  const failed = outcomes.find(({ state }) => state !== "done");
  if (failed || outcomes.length !== objects.length) throw new Error(failed?.reason ?? "not everything was planned");
}

const count = 10_000;
const pureRounds = 5;

/** A plan of unchanged objects of 5 kB. */
async function measurePurePlan(): Promise<void> {
  const bodies = Array.from({ length: count }, (_, index) => largeDeployment(index));
  const current = bodies.map((body) => {
    const live: JsonValue = JSON.parse(JSON.stringify(new ManagedObject({ ...identity, body }).annotate(new Date(0))));
    if (!isJsonObject(live)) throw new TypeError("an object stays one");
    return new ManagedObject({ ...identity, body: live });
  });
  const spent: Spent[] = [];
  for (let round = 0; round < pureRounds; round += 1) {
    const inventory = new ResourceInventory();
    inventory.initialize("c", "n", "Deployment");
    for (const live of current) inventory.addCurrent("c", "n", "Deployment", live.name, live);
    spent.push(await spend(() => planAll(inventory, bodies)));
  }
  console.log(`plan of ${count} unchanged objects, with the hashes of the desired ones, median of ${pureRounds}:`);
  console.log(`  ours: ${describeSpent(medianSpent(spent))} (bar: 1 s CPU)\n`);
}

function planAll(inventory: ResourceInventory, bodies: readonly JsonObject[]): void {
  for (const body of bodies) {
    const value = new ManagedObject({ ...identity, body });
    inventory.addDesired({ cluster: "c", namespace: "n", kind: "Deployment", name: value.name, value });
  }
  const { actions, unchanged } = planChanges(inventory, identity);
  if (actions.length > 0 || unchanged !== count) throw new Error("the plan should be empty");
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

const planProcess = join(import.meta.dirname, "plan-once.ts");
const bareList = join(import.meta.dirname, "list-bare.ts");
const coldRounds = 7;
const kubectlRounds = 3;

/** Whole processes, from start to end, that plan a namespace without differences. */
async function measureColdPlan(kubeconfig: string, kubectl: string, namespace: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tenon-bench-plan-"));
  const file = join(directory, "objects.json");
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: makeObjects(namespace) }));
  const diffFlags = ["diff", "--server-side", "--force-conflicts", "--field-manager", "bench", "-f", file];
  const spent = { plan: [] as Spent[], list: [] as Spent[], diff: [] as Spent[] };
  const requests = runPlan(kubeconfig, namespace);
  runProcess(process.execPath, [bareList, kubeconfig, namespace]); // both have filled the compile cache now
  for (let round = 0; round < coldRounds; round += 1) {
    spent.plan.push(await spend(() => runPlan(kubeconfig, namespace)));
    spent.list.push(await spend(() => runProcess(process.execPath, [bareList, kubeconfig, namespace])));
  }
  for (let round = 0; round < kubectlRounds; round += 1) {
    spent.diff.push(await spend(() => runProcess(kubectl, ["--kubeconfig", kubeconfig, ...diffFlags], [0, 1])));
  }
  await rm(directory, { recursive: true });
  const [plan, list, diff] = [medianSpent(spent.plan), medianSpent(spent.list), medianSpent(spent.diff)];
  const [times, timesFaster] = [(plan.wall / list.wall).toFixed(2), (diff.wall / plan.wall).toFixed(1)];
  console.log(
    `plan of 1200 unchanged live objects, whole processes, median of ${coldRounds} (kubectl: ${kubectlRounds}):`,
  );
  console.log(`  ours:                       ${describeSpent(plan)}`);
  console.log(`  bare paged lists, parsed:   ${describeSpent(list)}; wall ratio ${times} (bar: at most 1.5)`);
  console.log(`  kubectl diff --server-side: ${describeSpent(diff)}; ${timesFaster} times our wall (bar: at least 15)`);
  console.log(`  our requests: ${requests.join(", ")} (bar: one list for each of 2 kinds)\n`);
}

/** Gives the requests it made; throws if a kind was listed twice. */
function runPlan(kubeconfig: string, namespace: string): readonly string[] {
  const requests: readonly string[] = JSON.parse(runProcess(process.execPath, [planProcess, kubeconfig, namespace]));
  const lists = requests.filter((request) => request.includes(namespace) && !request.endsWith("(next page)"));
  if (lists.length !== 2 || new Set(lists).size !== 2) throw new Error(`lists: ${lists.join(", ")}`);
  return requests;
}

function runProcess(file: string, args: readonly string[], codes: readonly number[] = [0]): string {
  // As bin/tenon starts it: code that was compiled once is not compiled again.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "tenon-bench-compile-cache") };
  const { status, stdout, stderr } = spawnSync(file, args, { env, encoding: "utf8", maxBuffer: 256 * 2 ** 20 });
  if (!codes.includes(status ?? -1)) throw new Error(stderr);
  return stdout;
}
