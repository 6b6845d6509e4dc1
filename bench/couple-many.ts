import { once } from "node:events";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { couplingKinds, Plug, Socket } from "#coupling";
import { installKinds } from "#crd";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { benchCluster } from "./bench-cluster.ts";
import { isCoupled, makeNamespace, plugOf, removeObjects } from "./couple-objects.ts";
import { type OperatorProcess, operatorProgram } from "./operator-process.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";

const plugsOfOne = 520;
const socketsAStep = 50;
const plugsASocket = 20;
const atOnce = 100;

/**
 * Many plugs at once on one warm apparatus, and ten thousand on five hundred sockets of as many namespaces, thousand by thousand:
 * time, requests and memory should grow with the plugs and not faster.
 */
export async function measureCoupleMany(steps = 10): Promise<void> {
  await using cluster = await benchCluster();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  const client = createClient(transport);
  await installKinds(client, couplingKinds);
  for (const kind of couplingKinds) await client.discovery.whenServed(kind, AbortSignal.timeout(30_000));
  await using plugs = await watchObjects(client, Plug);
  await using program = await operatorProgram();
  await using apparatus = await startApparatus();
  {
    await using operator = await program.start(cluster.kubeconfig, { apparatus: apparatus.origin });
    await measureOneApparatus(client, plugs, operator, apparatus);
  }
  if (steps === 0) return;
  for (const kind of [Plug, Socket]) await removeObjects(client, { ...kind, namespace: "one" });
  await using operator = await program.start(cluster.kubeconfig, { heapMb: 512 });
  await measureTenThousand(client, plugs, operator, steps);
}

async function measureOneApparatus(
  client: KubeClient,
  plugs: ObjectWatch,
  operator: OperatorProcess,
  apparatus: BenchApparatus,
): Promise<void> {
  await makeNamespace(client, "one", []);
  const spec = { apparatus: { endpoint: "http://anywhere.example", containers: [] } };
  const { apiVersion, kind } = Socket;
  await client.create({ apiVersion, kind, metadata: { namespace: "one", name: "s" }, spec });
  await client.create(plugOf("one", "warm", "s"));
  await plugs.until((plug) => plug.metadata.name === "warm" && isCoupled(plug));
  await operator.quiet();
  const start = await operator.cost();
  const begin = Date.now();
  apparatus.forget();
  const first = plugs.until(isNew);
  const all = plugs.until(isNew, plugsOfOne);
  const names = Array.from({ length: plugsOfOne }, (_, index) => `p${index}`);
  await inBatches(names, async (name) => void (await client.create(plugOf("one", name, "s"))));
  const firstAt = await first;
  const { calls, firstCallAt } = apparatus;
  const before = await operator.cost();
  const allAt = await all;
  const after = await operator.cost();
  console.log(
    `${plugsOfOne} plugs on one warm apparatus: the first is coupled ${inSeconds(firstAt - firstCallAt)} after the first call (bar: 2 s), after ${calls} of ${apparatus.calls} calls, ${before.writes - start.writes} of ${after.writes - start.writes} writes and ${inSeconds(before.cpuMs - start.cpuMs)} of ${inSeconds(after.cpuMs - start.cpuMs)} of CPU; all of them are coupled ${inSeconds(allAt - begin)} after the first was created\n`,
  );
}

function isNew(plug: KubeObject): boolean {
  return plug.metadata.name !== "warm" && isCoupled(plug);
}

async function measureTenThousand(
  client: KubeClient,
  plugs: ObjectWatch,
  operator: OperatorProcess,
  steps: number,
): Promise<void> {
  await operator.quiet();
  let before = await operator.cost();
  console.log(`the operator without a plug: ${before.rssMb.toFixed(0)} MB resident`);
  for (let step = 0; step < steps; step++) {
    const spaces = Array.from({ length: socketsAStep }, (_, index) => `many-${step}-${index}`);
    await inBatches(spaces, async (name) => await makeNamespace(client, name, ["s"]));
    await operator.quiet();
    const start = await operator.cost();
    const begin = Date.now();
    const all = plugs.until(
      (plug) => plug.metadata.namespace?.startsWith(`many-${step}-`) === true && isCoupled(plug),
      socketsAStep * plugsASocket,
    );
    const wanted = spaces.flatMap((space) =>
      Array.from({ length: plugsASocket }, (_, index) => [space, `p${index}`] as const),
    );
    await inBatches(wanted, async ([space, name]) => void (await client.create(plugOf(space, name, "s"))));
    const ms = (await all) - begin;
    await operator.quiet();
    const after = await operator.cost();
    const count = wanted.length;
    const each = (after.reads + after.writes - start.reads - start.writes) / count;
    console.log(
      `  plugs ${step * count + 1} to ${(step + 1) * count} on ${socketsAStep} more sockets: ${inSeconds(ms)}, ${each.toFixed(1)} requests a plug, ${inSeconds(after.cpuMs - start.cpuMs)} of CPU, ${after.rssMb.toFixed(0)} MB resident, ${(after.rssMb - before.rssMb).toFixed(0)} MB more (bar: 20 for each 1,000)`,
    );
    before = after;
  }
  console.log("");
}

/** The API server answers many requests at once no faster than some. */
async function inBatches<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += atOnce) {
    await Promise.all(items.slice(start, start + atOnce).map(act));
  }
}

interface BenchApparatus extends AsyncDisposable {
  readonly origin: string;
  /** When the first call since `forget` arrived. */
  readonly firstCallAt: number;
  /** So many since `forget`. */
  readonly calls: number;
  forget(): void;
}

async function startApparatus(): Promise<BenchApparatus> {
  let firstCallAt: number | undefined;
  let calls = 0;
  const server = createServer((request, response) => {
    firstCallAt ??= Date.now();
    calls++;
    request.resume().on("end", () => response.end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    get firstCallAt() {
      return firstCallAt ?? Number.NaN;
    },
    get calls() {
      return calls;
    },
    forget: () => {
      firstCallAt = undefined;
      calls = 0;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { steps: { type: "string" } } });
  await measureCoupleMany(Number(values.steps ?? 10));
}
