import { isRecord, silentLogger } from "#base";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { EphemeralClaim, EphemeralClass, environmentName, installEnvironments } from "#promotion";
import { benchCluster } from "./bench-cluster.ts";
import { type EnvironmentsOperator, startEnvironments } from "./environments-operator.ts";
import { median } from "./measure.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";
import { within } from "./within.ts";

const namespace = "tests";
const className = "measured";
const rounds = 7;
const few = 20;
const atOnce = 100;
/** A claim among many costs no more than one among few, but for what differs from run to run. */
const mostGrowth = 1.2;

interface World {
  readonly client: KubeClient;
  readonly tenon: EnvironmentsOperator;
  readonly claims: ObjectWatch;
  readonly namespaces: ObjectWatch;
}

/** Claims to their kubeconfigs, at rest and many at once; and their way back, Tenon's part and Kubernetes'. */
export async function measureEnvironments(): Promise<void> {
  await using cluster = await benchCluster();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  const client = createClient(transport);
  const signal = AbortSignal.timeout(180_000);
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
  await using tenon = await startEnvironments(cluster.kubeconfig);
  const world: World = { client, tenon, claims, namespaces };
  await claim(world, ["warm"]);
  await release(world, "warm");
  const made: Cost[] = [];
  const removed: Removal[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `one-${round}`;
    made.push(await claim(world, [name]));
    removed.push(await release(world, name));
  }
  const of = (key: keyof Cost): string => inMs(median(made.map((cost) => cost[key])));
  const total = `${of("ms")}, ${of("waiting")} of it for the API server`;
  console.log(`a claim to its kubeconfig: ${total}; ours ${of("own")} (bar: 300 ms), medians of ${rounds}`);
  const requests = median(made.map((cost) => cost.requests));
  console.log(`  its requests: ${requests}, of which ${median(made.map(({ writes }) => writes))} write`);
  const part = (key: keyof Removal): string => inMs(median(removed.map((removal) => removal[key])));
  console.log(`a deleted claim to its namespace gone: ${part("ms")}`);
  console.log(`  until Tenon has deleted the namespace: ${part("untilDeleted")}`);
  console.log(`  until Kubernetes has removed it:       ${part("untilRemoved")}`);
  console.log(`  until Tenon has let the claim go:      ${part("untilReleased")}`);
  // They end with the cluster: Kubernetes' work on so many namespaces would only be waited for.
  const small = await claim(world, range("few", few));
  const large = await claim(world, range("burst", atOnce));
  console.log(`${atOnce} claims at once: each ${describeGrowth(large, small)}`);
}

/** What a claim costs, on average of those that were made at once. */
interface Cost {
  readonly ms: number;
  /** While at least one request was not answered. */
  readonly waiting: number;
  readonly own: number;
  readonly requests: number;
  readonly writes: number;
}

/** Makes claims, and waits until all of them have their kubeconfigs. */
async function claim({ client, tenon, claims }: World, names: readonly string[]): Promise<Cost> {
  const { apiVersion, kind } = EphemeralClaim;
  const wanted = new Set(names);
  const isReady = ({ metadata, status }: KubeObject): boolean =>
    wanted.has(metadata.name) && isRecord(status) && status["phase"] === "Ready";
  const before = tenon.spent();
  const begin = performance.now();
  const spec = { className };
  await Promise.all(names.map((name) => client.create({ apiVersion, kind, metadata: { name, namespace }, spec })));
  await within(`${names.length} claims to be Ready, ${names[0]} the first`, claims.until(isReady, names.length));
  const ms = performance.now() - begin;
  const after = tenon.spent();
  const waiting = after.waiting - before.waiting;
  return {
    ms: ms / names.length,
    waiting: waiting / names.length,
    own: Math.max(ms - waiting, 0) / names.length,
    requests: (after.requests - before.requests) / names.length,
    writes: (after.writes - before.writes) / names.length,
  };
}

/** The parts of the way from a deleted claim until nothing is left of it. */
interface Removal {
  readonly ms: number;
  readonly untilDeleted: number;
  readonly untilRemoved: number;
  readonly untilReleased: number;
}

async function release({ client, claims, namespaces }: World, name: string): Promise<Removal> {
  const { apiVersion, kind } = EphemeralClaim;
  const { metadata } = await client.get({ apiVersion, kind, namespace, name });
  const environment = environmentName({ uid: metadata.uid ?? "" });
  const isOf = (found: KubeObject): boolean => found.metadata.name === environment;
  const deleted = namespaces.until((found) => isOf(found) && found.metadata.deletionTimestamp !== undefined);
  const removed = namespaces.untilGone(isOf);
  const released = claims.untilGone((found) => found.metadata.name === name);
  const begin = Date.now();
  await client.delete({ apiVersion, kind, namespace, name });
  const times = await within(`claim ${name} to be gone`, Promise.all([deleted, removed, released]));
  const [atDeletion, atRemoval, atRelease] = times;
  return {
    ms: Math.max(atRemoval, atRelease) - begin,
    untilDeleted: atDeletion - begin,
    untilRemoved: atRemoval - atDeletion,
    untilReleased: Math.max(atRelease - atRemoval, 0),
  };
}

function describeGrowth(large: Cost, small: Cost): string {
  const growth = (large.ms / small.ms).toFixed(2);
  const parts = [`${inMs(large.ms)}, ${growth} times one of ${few}`, `${large.requests.toFixed(1)} requests`];
  return `${parts.join("; ")} (bar: linear, at most ${mostGrowth} times)`;
}

function range(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

function inMs(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}

if (import.meta.main) await measureEnvironments();
