import { isRecord, silentLogger, systemClock } from "#base";
import { countedTransport } from "#harness";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import {
  conditionState,
  createReleases,
  installPromotion,
  promotionLabels,
  Release,
  releaseConditions,
  ReleasePlan,
  Snapshot,
} from "#promotion";
import { SamplePusher, startEmbeddedRegistry } from "#registry";
import { runControllers } from "#runtime";
import { benchCluster } from "./bench-cluster.ts";
import { median } from "./measure.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";

const namespace = "released";
const account = "appstudio-pipeline";
const rounds = 9;
const few = 25;
const atOnce = 100;
/** A Release among many costs no more than one among few, but for what differs from run to run. */
const mostGrowth = 1.1;
const finished = 500;

interface World {
  readonly client: KubeClient;
  readonly kubeconfig: string;
  readonly host: string;
  readonly components: readonly object[];
  readonly releases: ObjectWatch;
}

/** Snapshots that passed, to their moved tags, with `builtin/retag` and three components; and a restart with many Releases. */
export async function measureRelease(): Promise<void> {
  await using cluster = await benchCluster();
  await using registry = await startEmbeddedRegistry();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  const client = createClient(transport);
  await installPromotion(client, silentLogger, AbortSignal.timeout(120_000));
  await prepare(client);
  const { host } = registry.url;
  const components = await Promise.all(
    ["web", "api", "db"].map(async (name) => {
      const { digest } = await new SamplePusher(registry.url, `acme/${name}`).image(name);
      return { name, containerImage: `${host}/acme/${name}@${digest}` };
    }),
  );
  await using releases = await watchObjects(client, Release);
  const world: World = { client, kubeconfig: cluster.kubeconfig, host, components, releases };
  const times: number[] = [];
  let writes = 0;
  {
    await using tenon = await start(world);
    await pass(world, ["warm"]);
    for (let round = 0; round < rounds; round++) {
      const before = tenon.writes();
      times.push(await pass(world, [`one-${round}`]));
      writes = Math.max(writes, tenon.writes() - before);
    }
    const small = await measureBurst(world, tenon, range("few", few));
    const large = await measureBurst(world, tenon, range("burst", atOnce));
    console.log(`a passed Snapshot of three components to its finished Release: ${inMs(median(times))} (bar: 500 ms)`);
    console.log(`its writes to Kubernetes: ${writes} (bar: 9; release-service 15)`);
    console.log(`${atOnce} at once: ${inMs(large.ms * atOnce)}, and each ${describeGrowth(large, small)}`);
    await pass(world, range("more", finished - atOnce - few - rounds - 1));
  }
  await using again = await start(world);
  // Once the last one is released, the others have been looked at.
  await pass(world, ["last"]);
  const released = await client.list({ apiVersion: Release.apiVersion, kind: Release.kind, namespace });
  const last = released.items.filter(({ spec }) => isRecord(spec) && spec["snapshot"] === "last");
  const own = new Set(["last", ...last.map(({ metadata }) => metadata.name)]);
  const foreign = again.written.filter((path) => path.split("/").every((part) => !own.has(part)));
  // The Release of the last one was created without a name in the path.
  const writesOfOthers = foreign.length - last.length;
  console.log(`a restart with ${finished} finished Releases: ${writesOfOthers} writes (bar: 0)`);
}

/** What each of some Releases took. */
interface BurstCost {
  readonly ms: number;
  readonly cpuMs: number;
  readonly writes: number;
}

async function measureBurst(world: World, tenon: { writes(): number }, names: readonly string[]): Promise<BurstCost> {
  const [writes, cpu] = [tenon.writes(), process.cpuUsage()];
  const ms = await pass(world, names);
  const { user, system } = process.cpuUsage(cpu);
  const each = (amount: number): number => amount / names.length;
  return { ms: each(ms), cpuMs: each((user + system) / 1_000), writes: each(tenon.writes() - writes) };
}

function describeGrowth(large: BurstCost, small: BurstCost): string {
  const parts = [
    `${inMs(large.ms)} by the clock, ${(large.ms / small.ms).toFixed(2)} times one of ${few}`,
    `${inMs(large.cpuMs)} of processor time with this benchmark, ${(large.cpuMs / small.cpuMs).toFixed(2)} times`,
    `${large.writes.toFixed(1)} writes`,
  ];
  return `${parts.join("; ")} (bar: linear, at most ${mostGrowth} times; 9 writes)`;
}

async function prepare(client: KubeClient): Promise<void> {
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } });
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name: account, namespace };
  const rules = [{ apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"] }];
  await client.create({ apiVersion, kind: "Role", metadata, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account };
  const subjects = [{ kind: "ServiceAccount", name: account, namespace }];
  await client.create({ apiVersion, kind: "RoleBinding", metadata, roleRef, subjects });
  const pipelineRef = { resolver: "builtin", params: [{ name: "name", value: "retag" }] };
  await client.create({
    apiVersion: ReleasePlan.apiVersion,
    kind: ReleasePlan.kind,
    metadata: { name: "released", namespace, labels: { [promotionLabels.standingAttribution]: "true" } },
    spec: {
      application: "shop",
      tenantPipeline: { pipelineRef, serviceAccountName: account },
      data: { mapping: { defaults: { tags: ["released"] } } },
    },
  });
}

async function start({ kubeconfig, host }: World) {
  const written: string[] = [];
  const transport = connect(await loadAccess({ kubeconfig }));
  const counted = countedTransport(transport, ({ method, path }) => {
    if (method !== "GET") written.push(path.replace(/\?.*/, ""));
  });
  const given = { clock: systemClock, random: Math.random, log: silentLogger };
  const controllers = createReleases({ ...given, client: createClient(counted), registries: { plainHttp: [host] } });
  const ending = new AbortController();
  const running = runControllers({ ...given, controllers, graceMs: 0 }, ending.signal);
  return {
    written,
    writes: () => written.length,
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("measured"));
      await running;
      await transport[Symbol.asyncDispose]();
    },
  };
}

/** Creates Snapshots that passed, and waits until all are released: the time since the first passed. */
async function pass({ client, components, releases }: World, names: readonly string[]): Promise<number> {
  const { apiVersion, kind } = Snapshot;
  const spec = { application: "shop", components };
  for (const name of names) await client.create({ apiVersion, kind, metadata: { name, namespace }, spec });
  const lastTransitionTime = new Date().toISOString();
  const condition = {
    type: "AppStudioTestSucceeded",
    status: "True",
    reason: "Passed",
    message: "",
    lastTransitionTime,
  };
  const body = { status: { conditions: [condition] } };
  const started = performance.now();
  await Promise.all(
    names.map((name) =>
      client.patch({ apiVersion, kind, namespace, name }, { type: "merge", subresource: "status", body }),
    ),
  );
  const wanted = new Set(names);
  await releases.until((release) => {
    const snapshot = isRecord(release["spec"]) ? release["spec"]["snapshot"] : undefined;
    const isReleased = conditionState(release, releaseConditions.released) === "succeeded";
    return isReleased && typeof snapshot === "string" && wanted.has(snapshot);
  }, names.length);
  return performance.now() - started;
}

function range(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

function inMs(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}

if (import.meta.main) await measureRelease();
