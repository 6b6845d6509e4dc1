import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { clusterHome, inspectBinary } from "#cluster";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { type BareAccess, bareAccess } from "./bare-access.ts";
import { benchCluster } from "./bench-cluster.ts";
import { configMaps, deployments, makeObjects } from "./plan-inputs.ts";
import { describeSpent, medianSpent, spend, type Spent } from "./measure.ts";

/** Each goes first about as often as the others, because earlier objects keep the controllers busy; kubectl is slow and runs less often. */
const orders = [
  ["client", "bare", "kubectl"],
  ["bare", "client"],
  ["kubectl", "client", "bare"],
  ["client", "bare"],
  ["bare", "kubectl", "client"],
] as const;

/** Server-side apply of the same objects: by our client, by a bare loop of parallel PATCHes, and by kubectl. */
export async function measureApply(): Promise<void> {
  await using cluster = await benchCluster();
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig });
  await using transport = connect(access);
  await using bare = await bareAccess(access, 32);
  const client = createClient(transport);
  const { kubectl } = await inspectBinary(clusterHome());
  const spent = { client: [] as Spent[], bare: [] as Spent[], kubectl: [] as Spent[] };
  const ways: Record<keyof typeof spent, (objects: KubeObject[]) => Promise<void>> = {
    client: (objects) => applyAll(client, objects),
    bare: (objects) => patchAll(bare, objects),
    kubectl: (objects) => runKubectl(kubectl, cluster.kubeconfig, objects),
  };
  for (const [round, order] of orders.entries()) {
    for (const way of order) {
      const namespace = `${way}-${round}`;
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const objects = makeObjects(namespace);
      spent[way].push(await spend(() => ways[way](objects)));
    }
  }
  const [ours, loop, theirs] = [medianSpent(spent.client), medianSpent(spent.bare), medianSpent(spent.kubectl)];
  const [times, timesFaster] = [(ours.wall / loop.wall).toFixed(2), (theirs.wall / ours.wall).toFixed(2)];
  console.log(
    `server-side apply of ${configMaps} ConfigMaps and ${deployments} Deployments, median of ${spent.client.length} (kubectl: ${spent.kubectl.length}):`,
  );
  console.log(`  our client:                    ${describeSpent(ours)}`);
  console.log(`  bare loop of parallel PATCHes: ${describeSpent(loop)}; wall ratio ${times} (bar: at most 1.3)`);
  console.log(
    `  kubectl apply --server-side:   ${describeSpent(theirs)}; ${timesFaster} times our wall (bar: at least 1.8)\n`,
  );
}

async function applyAll(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  await Promise.all(objects.map((object) => client.apply(object, { fieldManager: "bench" })));
}

/** What any client has to do at least: the same requests over as many connections, and nothing read from the answers. */
export async function patchAll({ server, agent }: BareAccess, objects: readonly KubeObject[]): Promise<void> {
  await Promise.all(
    objects.map(async (object) => {
      const { namespace, name } = object.metadata;
      const collection = object.kind === "ConfigMap" ? "/api/v1" : "/apis/apps/v1";
      const path = `${collection}/namespaces/${namespace}/${object.kind.toLowerCase()}s/${name}?fieldManager=bench&fieldValidation=Strict`;
      const { statusCode, body } = await request(new URL(path, server), {
        dispatcher: agent,
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: JSON.stringify(object),
      });
      await body.dump();
      if (statusCode > 299) throw new Error(`${path}: ${statusCode}`);
    }),
  );
}

export async function runKubectl(kubectl: string, kubeconfig: string, objects: readonly KubeObject[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tenon-bench-apply-"));
  const file = join(directory, "objects.json");
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const flags = ["--kubeconfig", kubeconfig, "apply", "--server-side", "--field-manager", "bench", "-f", file];
  const { status, stderr } = spawnSync(kubectl, flags, { encoding: "utf8", maxBuffer: 64 * 2 ** 20 });
  await rm(directory, { recursive: true });
  if (status !== 0) throw new Error(stderr);
}
