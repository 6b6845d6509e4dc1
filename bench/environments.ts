import { isRecord, silentLogger, systemClock } from "#base";
import {
  connect,
  createClient,
  type KubeClient,
  type KubeObject,
  type KubeRequest,
  loadAccess,
  type Transport,
} from "#kube";
import {
  createEnvironments,
  EphemeralClaim,
  EphemeralClass,
  installEnvironments,
  RemoteClusters,
  rememberInstallation,
} from "#promotion";
import { runControllers } from "#runtime";
import { benchCluster } from "./bench-cluster.ts";
import { median } from "./measure.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";

const namespace = "tests";
const className = "measured";
const rounds = 9;
const few = 20;
const atOnce = 100;
/** A claim among many costs no more than one among few, but for what differs from run to run. */
const mostGrowth = 1.2;

interface World {
  readonly client: KubeClient;
  readonly tenon: Tenon;
  readonly claims: ObjectWatch;
  readonly namespaces: ObjectWatch;
}

/** Claims to their kubeconfigs, at rest and many at once; and their way back, Tenon's part and Kubernetes'. */
export async function measureEnvironments(): Promise<void> {
  await using cluster = await benchCluster();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  const client = createClient(transport);
  const signal = AbortSignal.timeout(120_000);
  await installEnvironments(client, silentLogger, signal);
  for (const { apiVersion, kind } of [EphemeralClass, EphemeralClaim]) {
    await client.discovery.whenServed({ apiVersion, kind }, signal);
  }
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const { apiVersion, kind } = EphemeralClass;
  const spec = { limits: { default: { memory: "64Mi" } }, quota: { pods: 10 }, maxPerNamespace: 1_000 };
  await client.create({ apiVersion, kind, metadata: { name: className }, spec });
  await using claims = await watchObjects(client, EphemeralClaim);
  await using namespaces = await watchObjects(client, { apiVersion: "v1", kind: "Namespace" });
  await using tenon = await start(cluster.kubeconfig);
  const world: World = { client, tenon, claims, namespaces };
  await claimAndRelease(world, ["warm"]);
  const made: Cost[] = [];
  const removed: Cost[] = [];
  for (let round = 0; round < rounds; round++) {
    const costs = await claimAndRelease(world, [`one-${round}`]);
    made.push(costs.made);
    removed.push(costs.removed);
  }
  const small = await claimAndRelease(world, range("few", few));
  const large = await claimAndRelease(world, range("burst", atOnce));
  const of = (costs: readonly Cost[], key: keyof Cost): number => median(costs.map((cost) => cost[key]));
  const total = `${inMs(of(made, "ms"))}, ${inMs(of(made, "waiting"))} of it for the API server`;
  console.log(`a claim to its kubeconfig: ${total}; ours ${inMs(of(made, "own"))} (bar: 300 ms)`);
  console.log(`its requests: ${of(made, "requests")}, of which ${of(made, "writes")} write`);
  console.log(`${atOnce} claims at once: each ${describeGrowth(large.made, small.made)}`);
  const gone = `${inMs(of(removed, "ms"))}, ${inMs(of(removed, "until"))} until Tenon has deleted the namespace`;
  const rest = inMs(of(removed, "ms") - of(removed, "until"));
  console.log(`a deleted claim to its namespace gone: ${gone}; the rest is Kubernetes' (${rest})`);
}

interface Cost {
  readonly ms: number;
  /** While at least one request was not answered. */
  readonly waiting: number;
  readonly own: number;
  readonly requests: number;
  readonly writes: number;
  /** Until every namespace was being deleted. */
  readonly until: number;
}

async function claimAndRelease(world: World, names: readonly string[]) {
  const { client, claims, namespaces } = world;
  const { apiVersion, kind } = EphemeralClaim;
  const wanted = new Set(names);
  const made = await measure(world, names.length, async () => {
    const spec = { className };
    await Promise.all(names.map((name) => client.create({ apiVersion, kind, metadata: { name, namespace }, spec })));
    await claims.until(
      ({ metadata, status }) => wanted.has(metadata.name) && phaseOf(status) === "Ready",
      names.length,
    );
    return 0;
  });
  const removed = await measure(world, names.length, async () => {
    const begin = performance.now();
    const leaving = namespaces.until(
      ({ metadata }) => isEnvironmentOf(metadata, wanted) && metadata.deletionTimestamp !== undefined,
      names.length,
    );
    await Promise.all(names.map((name) => client.delete({ apiVersion, kind, namespace, name })));
    await leaving;
    const until = performance.now() - begin;
    await untilGone(world, wanted);
    return until;
  });
  return { made, removed };
}

async function untilGone({ client }: World, wanted: ReadonlySet<string>): Promise<void> {
  const { apiVersion, kind } = EphemeralClaim;
  for (;;) {
    const { items } = await client.list({ apiVersion, kind, namespace });
    if (!items.some(({ metadata }) => wanted.has(metadata.name))) return;
    await systemClock.sleep(20);
  }
}

function isEnvironmentOf({ annotations = {} }: KubeObject["metadata"], names: ReadonlySet<string>): boolean {
  const [, name = ""] = (annotations["tenon.dev/claim"] ?? "").split("/");
  return names.has(name);
}

async function measure({ tenon }: World, count: number, task: () => Promise<number>): Promise<Cost> {
  const before = tenon.spent();
  const begin = performance.now();
  const until = await task();
  const ms = performance.now() - begin;
  const after = tenon.spent();
  const waiting = after.waiting - before.waiting;
  return {
    ms: ms / count,
    waiting: waiting / count,
    own: Math.max(ms - waiting, 0) / count,
    requests: (after.requests - before.requests) / count,
    writes: (after.writes - before.writes) / count,
    until: until / count,
  };
}

interface Spent {
  readonly requests: number;
  readonly writes: number;
  readonly waiting: number;
}

interface Tenon extends AsyncDisposable {
  spent(): Spent;
}

async function start(kubeconfig: string): Promise<Tenon> {
  const access = await loadAccess({ kubeconfig });
  const transport = connect(access);
  let [requests, writes, waiting, inFlight, since] = [0, 0, 0, 0, 0];
  const timed = timedTransport(transport, {
    begin({ method }) {
      requests += 1;
      writes += method === "GET" ? 0 : 1;
      if (inFlight === 0) since = performance.now();
      inFlight += 1;
    },
    end() {
      inFlight -= 1;
      if (inFlight === 0) waiting += performance.now() - since;
    },
  });
  const client = createClient(timed);
  const given = { clock: systemClock, random: Math.random, log: silentLogger };
  const installation = rememberInstallation(client);
  const clusters = new RemoteClusters({ client, namespace, installation });
  const controllers = createEnvironments({ ...given, client, server: access.server.href, clusters, installation });
  const ending = new AbortController();
  const running = runControllers({ ...given, controllers, graceMs: 0 }, ending.signal);
  return {
    spent: () => ({ requests, writes, waiting: waiting + (inFlight > 0 ? performance.now() - since : 0) }),
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("measured"));
      await running;
      await clusters[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
    },
  };
}

interface Timing {
  begin(request: KubeRequest): void;
  end(): void;
}

/** Reports when requests begin and end, except watches. */
function timedTransport(transport: Transport, timing: Timing): Transport {
  return {
    cluster: transport.cluster,
    async send(request, signal) {
      timing.begin(request);
      try {
        return await transport.send(request, signal);
      } finally {
        timing.end();
      }
    },
    open: (request, signal) => transport.open(request, signal),
    impersonate: (identity) => timedTransport(transport.impersonate(identity), timing),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function describeGrowth(large: Cost, small: Cost): string {
  const growth = (large.ms / small.ms).toFixed(2);
  const parts = [`${inMs(large.ms)}, ${growth} times one of ${few}`, `${large.requests.toFixed(1)} requests`];
  return `${parts.join("; ")} (bar: linear, at most ${mostGrowth} times)`;
}

function phaseOf(status: unknown): unknown {
  return isRecord(status) ? status["phase"] : undefined;
}

function range(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

function inMs(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}
