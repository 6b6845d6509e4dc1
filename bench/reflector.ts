import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Agent, fetch } from "undici";
import { z } from "zod";
import { systemClock } from "#base";
import {
  type ClusterAccess,
  connect,
  createClient,
  createReflector,
  type KubeClient,
  loadAccess,
  type Reflector,
} from "#kube";
import { bareAccess } from "./bare-access.ts";
import { benchCluster } from "./bench-cluster.ts";
import { median } from "./measure.ts";

const objects = 10_000;
const watches = 3;
const runs = 7;
const path = "/api/v1/namespaces/default/configmaps";
const selection = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", labelSelector: "bench=reflector" };
const query = `labelSelector=${encodeURIComponent(selection.labelSelector)}`;

/** Lists 10,000 objects of 1 kB beside fetch and JSON.parse, weighs them in a reflector, and watches 30,000 events. */
export async function measureReflector(): Promise<void> {
  await using cluster = await benchCluster();
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig });
  await using transport = connect(access);
  const client = createClient(transport);
  await createObjects(client);
  await measureList(client, access);
  await measureMemory(client);
  await measureWatch(client);
}

async function measureList(client: KubeClient, access: ClusterAccess): Promise<void> {
  await using bare = await bareAccess(access);
  const times = { ours: [] as number[], paged: [] as number[], whole: [] as number[] };
  const fetched = (limit?: number) => fetchList(bare.server, bare.agent, limit);
  for (let run = 0; run < runs; run++) {
    times.ours.push(await timed(async () => (await client.list(selection)).items.length));
    times.paged.push(await timed(() => fetched(1000)));
    times.whole.push(await timed(() => fetched()));
  }
  const [ours, paged, whole] = [median(times.ours), median(times.paged), median(times.whole)];
  console.log(`list of ${objects} objects of 1 kB:     ${ours.toFixed(0)} ms (median of ${runs})`);
  console.log(`fetch and JSON.parse, same pages:   ${paged.toFixed(0)} ms, ratio ${(ours / paged).toFixed(2)}`);
  console.log(
    `fetch and JSON.parse, in one piece: ${whole.toFixed(0)} ms, ratio ${(ours / whole).toFixed(2)} (bar: 1.3)\n`,
  );
}

async function measureMemory(client: KubeClient): Promise<void> {
  const before = heapUsed();
  await using running = await startSynced(client);
  const perObject = (heapUsed() - before) / running.reflector.store.size;
  const [sample] = running.reflector.store.list();
  console.log(`kept in a reflector:                ${perObject.toFixed(0)} bytes an object`);
  console.log(`the same object as JSON:            ${JSON.stringify(sample).length} bytes\n`);
}

/** The initial events of a watch, more and faster than objects could be written meanwhile. */
async function measureWatch(client: KubeClient): Promise<void> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let events = 0;
  for (let watch = 0; watch < watches; watch++) {
    await using running = await startSynced(client, () => (events += 1));
    if (running.reflector.store.size !== objects) throw new Error("the watch missed objects");
  }
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000;
  console.log(`${events} watch events:                 ${((events / ms) * 1000).toFixed(0)} a second`);
  console.log(
    `processor time:                     ${cpuMs.toFixed(0)} ms, ${((cpuMs / events) * 1000).toFixed(0)} µs an event\n`,
  );
}

async function startSynced(
  client: KubeClient,
  onChange: () => void = () => {},
): Promise<AsyncDisposable & { readonly reflector: Reflector }> {
  const reflector = createReflector({ client, selection, clock: systemClock, random: Math.random });
  reflector.subscribe(onChange);
  const stopping = new AbortController();
  const running = reflector.run(stopping.signal);
  await reflector.whenSynced();
  return {
    reflector,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

const ListPage = z.object({ metadata: z.object({ continue: z.string().optional() }), items: z.array(z.unknown()) });

async function fetchList(server: URL, dispatcher: Agent, limit?: number): Promise<number> {
  let count = 0;
  let token: string | undefined;
  do {
    const paging = `${limit ? `&limit=${limit}` : ""}${token ? `&continue=${encodeURIComponent(token)}` : ""}`;
    const answer = await fetch(new URL(`${path}?${query}${paging}`, server), { dispatcher });
    const body: unknown = JSON.parse(await answer.text());
    const page = ListPage.parse(body);
    count += page.items.length;
    token = page.metadata.continue;
  } while (token);
  return count;
}

async function timed(list: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  const count = await list();
  if (count !== objects) throw new Error(`the list has ${count} objects instead of ${objects}`);
  return performance.now() - startedAt;
}

async function createObjects(client: KubeClient): Promise<void> {
  const indexes = Array.from({ length: objects }, (_, index) => index).values();
  const create = async (): Promise<void> => {
    for (const index of indexes) {
      const metadata = { name: `object-${index}`, namespace: selection.namespace, labels: { bench: "reflector" } };
      const data = { index: `${index}`, text: "0123456789abcdef".repeat(56) };
      await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
    }
  };
  await Promise.all(Array.from({ length: 32 }, create));
}

/** After everything that can be collected has been, also when Node was started without --expose-gc. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") for (let time = 0; time < 3; time++) collect();
  return process.memoryUsage().heapUsed;
}
