import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { z } from "zod";
import { valueAt } from "#base";
import { loadImages } from "#cluster";
import { Plug, Socket } from "#coupling";
import { installKinds } from "#crd";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { makeImage, nodePath, nodeRuntimeLayer, unprivilegedUser, writeImageArchive } from "#oci";
import { benchCluster } from "./bench-cluster.ts";
import { median } from "./measure.ts";
import { type Watched, watchObjects } from "./watched.ts";

const { apiVersion } = Plug;
const namespace = "apparatus";
const image = "localhost/bench-apparatus:1";
const plugs = 50;
const rounds = 3;

/**
 * What it costs that plugs and sockets bring a pod along. Cold: from the creation of a socket to the arrival of its first stage
 * call, less the time in which the pod could not answer. Warm: plugs through one apparatus, against the same requests to the
 * API server and to the apparatus, issued in parallel without an operator.
 */
export async function measureApparatus(): Promise<void> {
  if (process.getuid?.() !== 0) {
    console.log("apparatuses: needs root, for a node that runs pods\n");
    return;
  }
  await using cluster = await benchCluster(0, true);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-apparatus-"));
  const files = [await writeArchive(directory.path)];
  await loadImages({ ...cluster.instance, files }, new AbortController().signal);
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  const client = createClient(transport);
  await installKinds(client, [Plug, Socket]);
  for (const kind of [Plug, Socket]) await client.discovery.whenServed(kind, AbortSignal.timeout(30_000));
  await makeNamespace(client);
  await measureCold(client, cluster.kubeconfig);
  await measureWarm(client, cluster.kubeconfig);
}

async function measureCold(client: KubeClient, kubeconfig: string): Promise<void> {
  await using pods = await watchObjects(client, { apiVersion: "v1", kind: "Pod", namespace });
  await using _ = await startOperator(kubeconfig);
  await startCold(client, pods, "warm");
  const colds: Cold[] = [];
  for (let round = 0; round < rounds; round++) colds.push(await startCold(client, pods, `cold-${round}`));
  const medianOf = (time: (cold: Cold) => number) => inSeconds(median(colds.map(time)));
  const total = medianOf(({ before, pod, after }) => before + pod + after);
  const ours = medianOf(({ before, after }) => before + after);
  const parts = `${medianOf(({ before }) => before)} until there is a pod, ${medianOf(({ after }) => after)} after it answers`;
  console.log(`cold apparatus, socket created to first stage call: ${total}, medians of ${rounds}`);
  console.log(`  its pod, from its creation until it answers: ${medianOf(({ pod }) => pod)}`);
  console.log(`  the rest, which is ours:                     ${ours} (bar: 0.3 s), ${parts}`);
}

/** From the socket to its pod, from there until the pod can be reached, and from there to the first call. */
interface Cold {
  readonly before: number;
  readonly pod: number;
  readonly after: number;
}

async function startCold(client: KubeClient, pods: Watched, name: string): Promise<Cold> {
  const begin = Date.now();
  await client.create(socketOf(name));
  const made = await pods.until(({ metadata }) => metadata.name === `${name}-apparatus`);
  const address = await addressOf(client, name);
  const answers = await whenAnswers(address);
  let seen = await readSeen(address);
  while (seen.length === 0) {
    await sleep(5);
    seen = await readSeen(address);
  }
  const first = Math.min(...seen.map(({ at }) => at));
  // The call may arrive before we notice that the pod answers.
  const reachable = Math.min(answers, first);
  return { before: made - begin, pod: reachable - made, after: first - reachable };
}

async function measureWarm(client: KubeClient, kubeconfig: string): Promise<void> {
  await using watched = await watchObjects(client, { apiVersion, kind: "Plug", namespace });
  const address = await addressOf(client, "warm");
  const floors: number[] = [];
  for (let round = 0; round <= rounds; round++) floors.push(await coupleBare(client, address, `bare-${round}`));
  await using _ = await startOperator(kubeconfig);
  const times: number[] = [];
  const before = await readSeen(address);
  for (let round = 0; round <= rounds; round++) times.push(await coupleByOperator(client, watched, `plug-${round}`));
  const calls = (await readSeen(address)).length - before.length;
  // The first round warms up.
  const [floor, time] = [median(floors.slice(1)), median(times.slice(1))];
  const ratio = (time / floor).toFixed(2);
  const each = (calls / (plugs * (rounds + 1))).toFixed(1);
  console.log(
    `${plugs} plugs through one warm apparatus: ${inSeconds(time)}, ratio ${ratio} to the bare calls (bar: 1.3), ${each} calls a plug\n`,
  );
}

async function coupleByOperator(client: KubeClient, watched: Watched, prefix: string): Promise<number> {
  const begin = Date.now();
  const all = watched.until((plug) => plug.metadata.name.startsWith(prefix) && isCoupled(plug), plugs);
  await Promise.all(namesOf(prefix).map((name) => client.create(plugOf(name, "warm"))));
  return (await all) - begin;
}

/**
 * Create, finalizer, what is about to happen, configuration, what decoupling will need on either side, the stage, what has
 * happened; and the socket's list once.
 */
async function coupleBare(client: KubeClient, address: string, prefix: string): Promise<number> {
  const socket = socketOf("warm");
  const begin = Date.now();
  await Promise.all(
    namesOf(prefix).map(async (name) => {
      const plug = await client.create(plugOf(name, "nowhere"));
      const ref = { apiVersion, kind: "Plug", namespace, name };
      await client.patch(ref, { type: "merge", body: { metadata: { labels: { finalizer: "added" } } } });
      await patchStatus(client, ref, "Coupling");
      await post(`${address}/config`, { version: 1, plug, socket, plugData: {}, socketData: {} });
      await Promise.all(["plug", "socket"].map((side) => client.create(secretOf(`${name}-${side}`))));
      await post(`${address}/coupled`, { version: "1", plug, socket, plugConfig: {}, socketConfig: {} });
      await patchStatus(client, ref, "Coupled");
    }),
  );
  await patchStatus(client, { apiVersion, kind: "Socket", namespace, name: "warm" }, "Coupled");
  const ms = Date.now() - begin;
  await Promise.all(namesOf(prefix).map((name) => client.delete({ apiVersion, kind: "Plug", namespace, name })));
  return ms;
}

async function post(url: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await request(url, { method: "POST", headers, body: JSON.stringify(body) });
  await answer.body.dump();
}

async function patchStatus(client: KubeClient, ref: Parameters<KubeClient["patch"]>[0], phase: string): Promise<void> {
  const conditions = [{ type: "Coupled", status: "False", reason: phase, message: phase }];
  await client.patch(ref, { type: "merge", subresource: "status", body: { status: { phase, conditions } } });
}

const Seen = z.array(z.object({ path: z.string(), at: z.number() }));

async function readSeen(address: string): Promise<z.infer<typeof Seen>> {
  const { body } = await request(`${address}/seen`);
  return Seen.parse(await body.json());
}

/** When the apparatus can be reached by its Service, which is what its caller has to wait for whatever it does. */
async function whenAnswers(address: string): Promise<number> {
  for (;;) {
    const answer = await request(`${address}/ping`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return Date.now();
    await sleep(5);
  }
}

async function addressOf(client: KubeClient, name: string): Promise<string> {
  const service = await client.get({ apiVersion: "v1", kind: "Service", namespace, name: `${name}-apparatus` });
  return `http://${String(valueAt(service, ["spec", "clusterIP"]))}`;
}

function namesOf(prefix: string): string[] {
  return Array.from({ length: plugs }, (_, index) => `${prefix}-${index}`);
}

function plugOf(name: string, socket: string): KubeObject {
  const spec = { socket: { name: socket }, config: { name } };
  return { apiVersion, kind: "Plug", metadata: { namespace, name }, spec };
}

function secretOf(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, stringData: { state: "{}" } };
}

function socketOf(name: string): KubeObject {
  const container = { name: "apparatus", image, ports: [{ name: "container", containerPort: 3000 }] };
  const spec = { apparatus: { idleTimeout: 3600, containers: [container] } };
  return { apiVersion, kind: "Socket", metadata: { namespace, name }, spec };
}

function isCoupled(plug: KubeObject): boolean {
  const conditions = valueAt(plug, ["status", "conditions"]);
  return Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Coupled" && status === "True");
}

async function makeNamespace(client: KubeClient): Promise<void> {
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const group = "rbac.authorization.k8s.io";
  const metadata = { name: "apparatus", namespace };
  const rules = [{ apiGroups: [""], resources: ["pods", "services"], verbs: ["*"] }];
  await client.create({ apiVersion: `${group}/v1`, kind: "Role", metadata, rules });
  const subjects = [{ kind: "ServiceAccount", name: "default", namespace }];
  const roleRef = { apiGroup: group, kind: "Role", name: metadata.name };
  await client.create({ apiVersion: `${group}/v1`, kind: "RoleBinding", metadata, roleRef, subjects });
}

async function writeArchive(directory: string): Promise<string> {
  const program = "recording-apparatus.ts";
  const entries = [{ path: `/${program}`, copyOf: join(import.meta.dirname, program) }];
  const made = await makeImage({
    name: image,
    layers: [await nodeRuntimeLayer(), { comment: "apparatus", entries }],
    entrypoint: [nodePath, `/${program}`],
    user: `${unprivilegedUser}`,
    compression: "none",
  });
  const archive = join(directory, "apparatus.tar");
  await writeImageArchive([made], archive);
  return archive;
}

/** As users run it. */
async function startOperator(kubeconfig: string): Promise<AsyncDisposable> {
  const words = ["run", "--only", "couple", "--no-leader-election", "--port", "0", "-n", namespace];
  const operator: ChildProcess = spawn(
    join(import.meta.dirname, "..", "bin", "tenon"),
    [...words, "--kubeconfig", kubeconfig],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const exit = once(operator, "exit");
  if (!operator.stderr) throw new Error("the operator has no standard error");
  const lines: string[] = [];
  for await (const line of createInterface(operator.stderr)) {
    lines.push(line);
    if (line.includes('"msg":"running"')) break;
  }
  if (operator.exitCode !== null) throw new Error(`the operator has ended: ${lines.join("\n")}`);
  operator.stderr.resume();
  return {
    async [Symbol.asyncDispose]() {
      operator.kill("SIGTERM");
      await exit;
    },
  };
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

if (import.meta.main) await measureApparatus();
