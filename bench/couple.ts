import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { valueAt } from "#base";
import { couplingKinds, Plug } from "#coupling";
import { installKinds } from "#crd";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { benchCluster } from "./bench-cluster.ts";
import { floorOfCoupling, floorOfUpdate } from "./coupling-floor.ts";
import { isCoupled, makeNamespace, plugOf, removeAll, socketOf } from "./couple-objects.ts";
import { median } from "./measure.ts";
import { type Cost, type OperatorProcess, operatorProgram } from "./operator-process.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";

interface CoupleBench {
  /** Of a hundred plugs; none if 0. */
  readonly rounds?: number;
  /** Of a thousand plugs; none if 0. */
  readonly bigRounds?: number;
}

const idleSeconds = 60;
const tenSockets = Array.from({ length: 10 }, (_, index) => `s${index}`);

interface World {
  readonly client: KubeClient;
  readonly plugs: ObjectWatch;
  readonly start: () => Promise<OperatorProcess>;
}

/**
 * Plugs and sockets, by an operator in a process of its own, against the floor: the requests that any implementation must make
 * for the same, issued in parallel by our client. Floor and operator take turns, since the machine is not always equally fast;
 * both are warm, and the same watch observes them.
 */
export async function measureCouple({ rounds = 5, bigRounds = 3 }: CoupleBench = {}): Promise<void> {
  await using cluster = await benchCluster();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  const client = createClient(transport);
  await installKinds(client, couplingKinds);
  for (const kind of couplingKinds) await client.discovery.whenServed(kind, AbortSignal.timeout(30_000));
  await using plugs = await watchObjects(client, Plug);
  await using program = await operatorProgram();
  const world = { client, plugs, start: async () => await program.start(cluster.kubeconfig) };
  if (rounds > 0) await measureHundred(world, rounds);
  if (bigRounds > 0) await measureThousand(world, bigRounds);
}

async function measureHundred(world: World, rounds: number): Promise<void> {
  const { client, start } = world;
  await makeNamespace(client, "floor-warm", ["a"]);
  await floorOfCoupling(client, "floor-warm", 100, ["a"]);
  await removeAll(client, "floor-warm");
  const [bursts, edits, singles]: [Turn[], Turn[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    const floor = `floor-${round}`;
    await makeNamespace(client, floor, ["a"]);
    const floorMs = await floorOfCoupling(client, floor, 100, ["a"]);
    const floorOfEditMs = await floorOfUpdate(client, floor, "a");
    await removeAll(client, floor);
    const [warm, namespace] = [`warm-${round}`, `hundred-${round}`];
    {
      await using operator = await start();
      await makeNamespace(client, warm, ["a"]);
      await couple(world, warm, range(100), ["a"]);
      bursts.push(await burst(world, operator, namespace, ["a"], { count: 100, floorMs }));
      edits.push(await editSocket(world, operator, namespace, floorOfEditMs));
      singles.push(await couple(world, warm, [100], ["a"]));
      await operator.quiet();
    }
    if (round === rounds - 1) await measureRestart(world);
    for (const used of [warm, namespace]) await removeAll(client, used);
  }
  const single = inSeconds(median(singles));
  console.log(`1 plug, create to True: ${single}, median of ${rounds} (bar: 0.15 s; upstream 0.26 s)`);
  console.log(`100 plugs in a burst, a ConfigMap each: ${describe(bursts)} (upstream 37.7 s, 38 requests a plug)`);
  console.log(`one socket edit with 100 plugs: ${describe(edits)} (upstream 184 s, 310 requests a plug)`);
}

async function measureRestart({ start }: World): Promise<void> {
  await using operator = await start();
  await operator.quiet();
  const { reads, writes, events } = await operator.cost();
  console.log(
    `restart with 200 plugs: ${writes + events} writes, ${reads} reads (bar: no write; upstream 35,100 requests with 100)`,
  );
}

async function measureThousand(world: World, bigRounds: number): Promise<void> {
  const { client, start } = world;
  const turns: Turn[] = [];
  const [sizes, empties]: [number[], number[]] = [[], []];
  let idle = "";
  for (let round = 0; round < bigRounds; round++) {
    const floor = `big-floor-${round}`;
    await makeNamespace(client, floor, tenSockets);
    const floorMs = await floorOfCoupling(client, floor, 1_000, tenSockets);
    await removeAll(client, floor);
    const [warm, namespace] = [`big-warm-${round}`, `thousand-${round}`];
    {
      await using operator = await start();
      await makeNamespace(client, warm, ["a"]);
      await operator.quiet();
      empties.push((await operator.cost()).rssMb);
      await couple(world, warm, range(100), ["a"]);
      turns.push(await burst(world, operator, namespace, tenSockets, { count: 1_000, floorMs }));
      sizes.push((await operator.cost()).rssMb);
      if (round === bigRounds - 1) idle = await measureIdle(operator);
    }
    for (const used of [warm, namespace]) await removeAll(client, used);
  }
  const empty = `${median(empties).toFixed(0)} MB of them before the first plug`;
  const size = `${median(sizes).toFixed(0)} MB resident, ${empty} (bar: 170, see couple-memory.ts)`;
  console.log(`1,000 plugs on 10 sockets: ${describe(turns)}, ${size}`);
  console.log(`${idle}\n`);
}

async function measureIdle(operator: OperatorProcess): Promise<string> {
  // The count of a repeated Event is written up to 10 s later.
  await sleep(11_000);
  await operator.quiet();
  const before = await operator.cost();
  await sleep(idleSeconds * 1000);
  const { requests, events, cpuMs } = spentSince(before, await operator.cost());
  const cpu = `${(cpuMs / idleSeconds).toFixed(1)} ms of CPU a second`;
  return `${idleSeconds} s idle with 1,100 plugs: ${requests + events} requests (bar: 0), ${cpu}`;
}

/** The cost of one run of the operator, and of the floor before it. */
interface Turn {
  readonly ms: number;
  readonly floorMs: number;
  readonly requests: number;
  readonly events: number;
  readonly cpuMs: number;
  readonly count: number;
}

function describe(turns: readonly Turn[]): string {
  const medianOf = (figure: (turn: Turn) => number) => median(turns.map(figure));
  const [ms, floorMs] = [medianOf((turn) => turn.ms), medianOf((turn) => turn.floorMs)];
  const ratios = turns.map((turn) => turn.ms / turn.floorMs);
  const between = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const ratio = `ratio ${median(ratios).toFixed(2)} to the floor of ${inSeconds(floorMs)} (bar: 1.6; ${between} in ${turns.length} rounds)`;
  const each = `${medianOf(({ requests, count }) => requests / count).toFixed(1)} requests and ${medianOf(({ events, count }) => events / count).toFixed(1)} events a plug`;
  return `${inSeconds(ms)}, ${ratio}, ${each}, ${inSeconds(medianOf(({ cpuMs }) => cpuMs))} of CPU`;
}

async function burst(
  world: World,
  operator: OperatorProcess,
  namespace: string,
  sockets: readonly string[],
  { count, floorMs }: Pick<Turn, "count" | "floorMs">,
): Promise<Turn> {
  await makeNamespace(world.client, namespace, sockets);
  await operator.quiet();
  const before = await operator.cost();
  const ms = await couple(world, namespace, range(count), sockets);
  await operator.quiet();
  return { ...spentSince(before, await operator.cost()), ms, floorMs, count };
}

/** From the first request to the last True. */
async function couple(
  { client, plugs }: World,
  namespace: string,
  indices: readonly number[],
  sockets: readonly string[],
): Promise<number> {
  const start = performance.now();
  const names = new Set(indices.map((index) => `p${index}`));
  const all = plugs.until(
    (plug) => plug.metadata.namespace === namespace && names.has(plug.metadata.name) && isCoupled(plug),
    names.size,
  );
  await Promise.all(
    indices.map((index) => client.create(plugOf(namespace, `p${index}`, sockets[index % sockets.length] ?? ""))),
  );
  await all;
  return performance.now() - start;
}

async function editSocket(
  { client, plugs }: World,
  operator: OperatorProcess,
  namespace: string,
  floorMs: number,
): Promise<Turn> {
  const before = await operator.cost();
  const isDone = (plug: KubeObject) =>
    plug.metadata.namespace === namespace &&
    isCoupled(plug) &&
    valueAt(plug, ["status", "pairing", "socketGeneration"]) === 2;
  const start = performance.now();
  const all = plugs.until(isDone, 100);
  await client.apply(socketOf(namespace, "a", "2"), { fieldManager: "bench", force: true });
  await all;
  const ms = performance.now() - start;
  await operator.quiet();
  return { ...spentSince(before, await operator.cost()), ms, floorMs, count: 100 };
}

function spentSince(before: Cost, after: Cost): Pick<Turn, "requests" | "events" | "cpuMs"> {
  return {
    requests: after.reads + after.writes - before.reads - before.writes,
    events: after.events - before.events,
    cpuMs: after.cpuMs - before.cpuMs,
  };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: "string" }, "big-rounds": { type: "string" } } });
  await measureCouple({ rounds: Number(values.rounds ?? 5), bigRounds: Number(values["big-rounds"] ?? 3) });
}
