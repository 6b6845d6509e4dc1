import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "#base";
import { Plug, Socket } from "#coupling";
import { installKinds } from "#crd";
import { connect, createClient, createReflector, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { benchCluster } from "./bench-cluster.ts";
import { bundle } from "./bundle.ts";

const apiVersion = "integration.rock8s.com/v1beta1";
const idleSeconds = 60;

interface Cost {
  readonly reads: number;
  readonly writes: number;
  readonly events: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

/**
 * Plugs and sockets, by an operator in a process of its own, against the floor: the requests that any implementation must make
 * for the same, issued in parallel by our client.
 */
export async function measureCouple(): Promise<void> {
  await using cluster = await benchCluster();
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig });
  await using transport = connect(access);
  const client = createClient(transport);
  await installKinds(client, [Plug, Socket]);
  for (const kind of ["Plug", "Socket"]) {
    await client.discovery.whenServed({ apiVersion, kind }, new AbortController().signal);
  }
  const sockets = Array.from({ length: 10 }, (_, index) => `s${index}`);
  const floors = await measureFloors(client, sockets);
  await using seen = await watchPlugs(client);
  await using published = await mkdtempDisposable(join(tmpdir(), "tenon-bench-couple-"));
  await symlink(join(import.meta.dirname, "..", "node_modules"), join(published.path, "node_modules"));
  const program = bundle("bench/couple-operator.ts", published.path);
  let operator = await startOperator(program, cluster.kubeconfig);
  try {
    await makeNamespace(client, "warm", "a");
    await couple(client, seen, "warm", 20, ["a"]);

    await makeNamespace(client, "one", "a");
    const singles: number[] = [];
    for (let index = 0; index < 5; index++) singles.push((await couple(client, seen, "one", 1, ["a"], index)).ms);
    const [single = 0] = singles.toSorted((a, b) => a - b).slice(2);
    console.log(`1 plug, create to True: ${(single / 1000).toFixed(3)} s, median of 5 (bar: 0.15 s; upstream 0.26 s)`);

    const hundred = await burst(client, seen, operator, "hundred", ["a"], { count: 100, floorMs: floors.hundred });
    console.log(
      `100 plugs in a burst, a ConfigMap each: ${describe(hundred)} (bar: 1.6; upstream 37.7 s, 38 requests a plug)`,
    );

    const edit = await editSocket(client, seen, operator, floors.edit);
    console.log(`one socket edit with 100 plugs: ${describe(edit)} (bar: 1.6; upstream 184 s, 310 requests a plug)`);

    await operator.stop();
    operator = await startOperator(program, cluster.kubeconfig);
    await operator.quiet();
    const restarted = await operator.cost();
    console.log(
      `restart with 100 plugs: ${restarted.writes} writes, ${restarted.reads} reads (bar: no write; upstream 35,100 requests)`,
    );

    const thousand = await burst(client, seen, operator, "thousand", sockets, {
      count: 1_000,
      floorMs: floors.thousand,
    });
    const { rssMb } = await operator.cost();
    console.log(
      `1,000 plugs on 10 sockets: ${describe(thousand)} (bar: 1.6), ${rssMb.toFixed(0)} MB resident (bar: 200)`,
    );

    // How often an Event has been is written up to 10 s later.
    await sleep(11_000);
    await operator.quiet();
    const before = await operator.cost();
    await sleep(idleSeconds * 1000);
    const after = await operator.cost();
    const requests = after.reads + after.writes + after.events - before.reads - before.writes - before.events;
    const cpu = (after.cpuMs - before.cpuMs) / idleSeconds;
    console.log(
      `${idleSeconds} s idle with 1,000 plugs: ${requests} requests (bar: 0), ${cpu.toFixed(1)} ms of CPU a second\n`,
    );
  } finally {
    await operator.stop();
  }
}

interface Burst {
  readonly ms: number;
  readonly floorMs: number;
  readonly requests: number;
  readonly events: number;
  readonly cpuMs: number;
  readonly count: number;
}

function describe({ ms, floorMs, requests, events, cpuMs, count }: Burst): string {
  const each = `${(requests / count).toFixed(1)} requests and ${(events / count).toFixed(1)} events a plug`;
  return `${(ms / 1000).toFixed(2)} s, ratio ${(ms / floorMs).toFixed(2)} to the floor, ${each}, ${(cpuMs / 1000).toFixed(2)} s of CPU`;
}

async function burst(
  client: KubeClient,
  seen: Seen,
  operator: Operator,
  namespace: string,
  sockets: readonly string[],
  { count, floorMs }: Pick<Burst, "count" | "floorMs">,
): Promise<Burst> {
  await makeNamespace(client, namespace, ...sockets);
  await operator.quiet();
  const before = await operator.cost();
  const { ms } = await couple(client, seen, namespace, count, sockets);
  await operator.quiet();
  return spentSince(before, await operator.cost(), { ms, floorMs, count });
}

interface Floors {
  readonly hundred: number;
  readonly edit: number;
  readonly thousand: number;
}

/** Before there is an operator, which would take these plugs for its own. The first hundred only warm up. */
async function measureFloors(client: KubeClient, sockets: readonly string[]): Promise<Floors> {
  await makeNamespace(client, "floor-warm", "a");
  await floorOfCoupling(client, "floor-warm", 100, ["a"]);
  await makeNamespace(client, "floor-hundred", "a");
  const hundred = await floorOfCoupling(client, "floor-hundred", 100, ["a"]);
  const edit = await floorOfUpdate(client, "floor-hundred", 100);
  await makeNamespace(client, "floor-thousand", ...sockets);
  const thousand = await floorOfCoupling(client, "floor-thousand", 1_000, sockets);
  for (const namespace of ["floor-warm", "floor-hundred", "floor-thousand"]) await removeAll(client, namespace);
  return { hundred, edit, thousand };
}

async function removeAll(client: KubeClient, namespace: string): Promise<void> {
  for (const kind of ["Plug", "Socket"]) {
    const { items } = await client.list({ apiVersion, kind, namespace });
    await Promise.all(
      items.map(async ({ metadata: { name } }) => {
        const ref = { apiVersion, kind, namespace, name };
        await client.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } });
        await client.delete(ref);
      }),
    );
  }
}

function spentSince(before: Cost, after: Cost, rest: Pick<Burst, "ms" | "floorMs" | "count">): Burst {
  return {
    ...rest,
    requests: after.reads + after.writes - before.reads - before.writes,
    events: after.events - before.events,
    cpuMs: after.cpuMs - before.cpuMs,
  };
}

/** From the first request to the last True. */
async function couple(
  client: KubeClient,
  seen: Seen,
  namespace: string,
  count: number,
  sockets: readonly string[],
  from = 0,
): Promise<{ readonly ms: number }> {
  const start = performance.now();
  const names = Array.from({ length: count }, (_, index) => `p${from + index}`);
  await Promise.all(
    names.map((name, index) => client.create(plugOf(namespace, name, sockets[index % sockets.length] ?? ""))),
  );
  await seen.until((plug) => isCoupled(plug), namespace, from + count);
  return { ms: performance.now() - start };
}

async function editSocket(client: KubeClient, seen: Seen, operator: Operator, floorMs: number): Promise<Burst> {
  const namespace = "hundred";
  const before = await operator.cost();
  const start = performance.now();
  await client.apply(socketOf(namespace, "a", "2"), { fieldManager: "bench", force: true });
  await seen.until(
    (plug) => isCoupled(plug) && fieldOf(plug, "status", "pairing", "socketGeneration") === 2,
    namespace,
    100,
  );
  const ms = performance.now() - start;
  await operator.quiet();
  return spentSince(before, await operator.cost(), { ms, floorMs, count: 100 });
}

/** Create, finalizer, what is about to happen, the ConfigMap, what has happened; and the sockets' lists once. */
async function floorOfCoupling(
  client: KubeClient,
  namespace: string,
  count: number,
  sockets: readonly string[],
): Promise<number> {
  const start = performance.now();
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const plug = plugOf(namespace, `p${index}`, "nowhere");
      const ref = { apiVersion, kind: "Plug", namespace, name: plug.metadata.name };
      await client.create({ ...plug, metadata: { ...plug.metadata, finalizers: ["bench.tenon.dev/floor"] } });
      await client.patch(ref, { type: "merge", body: { metadata: { labels: { finalizer: "added" } } } });
      await patchStatus(client, ref, "Coupling");
      await client.apply(configMapOf(namespace, plug.metadata.name, "1"), { fieldManager: "bench" });
      await patchStatus(client, ref, "Coupled");
    }),
  );
  await Promise.all(
    sockets.map((name) => patchStatus(client, { apiVersion, kind: "Socket", namespace, name }, "Coupled")),
  );
  return performance.now() - start;
}

async function floorOfUpdate(client: KubeClient, namespace: string, count: number): Promise<number> {
  const start = performance.now();
  await client.apply(socketOf(namespace, "a", "2"), { fieldManager: "bench", force: true });
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const ref = { apiVersion, kind: "Plug", namespace, name: `p${index}` };
      await patchStatus(client, ref, "Updating");
      await client.apply(configMapOf(namespace, ref.name, "2"), { fieldManager: "bench" });
      await patchStatus(client, ref, "Coupled");
    }),
  );
  return performance.now() - start;
}

async function patchStatus(client: KubeClient, ref: Parameters<KubeClient["patch"]>[0], phase: string): Promise<void> {
  const condition = { type: "Coupled", status: "False", reason: phase, message: phase };
  await client.patch(ref, {
    type: "merge",
    subresource: "status",
    body: { status: { phase, conditions: [condition] } },
  });
}

function plugOf(namespace: string, name: string, socket: string): KubeObject {
  return {
    apiVersion,
    kind: "Plug",
    metadata: { namespace, name },
    spec: { socket: { name: socket }, config: { name } },
  };
}

function socketOf(namespace: string, name: string, value: string): KubeObject {
  const template = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "{% .plug.metadata.name %}" },
    data: { name: "{% .plugConfig.name %}", value: "{% .socketConfig.value %}" },
  };
  const spec = { config: { value }, resources: [{ when: ["coupled", "updated"], do: "apply", template }] };
  return { apiVersion, kind: "Socket", metadata: { namespace, name }, spec };
}

function configMapOf(namespace: string, name: string, value: string): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data: { name, value } };
}

async function makeNamespace(client: KubeClient, name: string, ...sockets: readonly string[]): Promise<void> {
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { name: "config-maps", namespace: name };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }];
  await client.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  const subjects = [{ kind: "ServiceAccount", name: "default", namespace: name }];
  const roleRef = { apiGroup: rbac, kind: "Role", name: metadata.name };
  await client.create({ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, roleRef, subjects });
  for (const socket of sockets) await client.apply(socketOf(name, socket, "1"), { fieldManager: "bench" });
}

interface Seen extends AsyncDisposable {
  /** Resolves when so many plugs of a namespace are so. */
  until(isSo: (plug: KubeObject) => boolean, namespace: string, count: number): Promise<void>;
}

async function watchPlugs(client: KubeClient): Promise<Seen> {
  const ending = new AbortController();
  const reflector = createReflector({
    client,
    selection: { apiVersion, kind: "Plug" },
    clock: systemClock,
    random: Math.random,
  });
  const running = reflector.run(ending.signal);
  await reflector.whenSynced();
  return {
    until(isSo, namespace, count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const so = new Set<string>();
      const look = (plug: KubeObject): void => {
        if (plug.metadata.namespace !== namespace) return;
        if (isSo(plug)) so.add(plug.metadata.name);
        else so.delete(plug.metadata.name);
        if (so.size >= count) resolve();
      };
      const listening = reflector.subscribe(({ object }) => look(object));
      for (const plug of reflector.store.list()) look(plug);
      return promise.finally(() => listening[Symbol.dispose]());
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("the benchmark is over"));
      await running;
    },
  };
}

function isCoupled(plug: KubeObject): boolean {
  const conditions = fieldOf(plug, "status", "conditions");
  return Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Coupled" && status === "True");
}

function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? Object.entries(at).find(([name]) => name === key)?.[1] : undefined,
    value,
  );
}

interface Operator {
  cost(): Promise<Cost>;
  /** When nothing was requested for a second. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

/** In its published form, and as `bin/tenon` and the image start it. */
async function startOperator(program: string, kubeconfig: string): Promise<Operator> {
  const child: ChildProcess = fork(program, [kubeconfig], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: ["--max-semi-space-size=16"],
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("the operator has ended");
  });
  ended.catch(() => {}); // whoever waits for an answer is told
  async function cost(): Promise<Cost> {
    child.send("cost");
    const [answer]: Cost[] = await Promise.race([once(child, "message"), ended]);
    if (!answer) throw new Error("the operator says nothing");
    return answer;
  }
  await Promise.race([once(child, "message"), ended]);
  return {
    cost,
    async quiet() {
      for (let before = -1; ; ) {
        const { reads, writes, events } = await cost();
        if (reads + writes + events === before) return;
        before = reads + writes + events;
        await sleep(1_000);
      }
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, "exit");
    },
  };
}
