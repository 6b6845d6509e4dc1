import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { z } from "zod";
import { valueAt } from "#base";
import { loadImages } from "#cluster";
import { couplingKinds, Plug, Socket } from "#coupling";
import { installKinds } from "#crd";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { buildImage, nodePath, nodeRuntimeLayer, unprivilegedUser, writeImageArchive } from "#oci";
import { benchCluster } from "./bench-cluster.ts";
import { bareCoupling } from "./coupling-floor.ts";
import { isCoupled, plugOf, removeObjects } from "./couple-objects.ts";
import { median } from "./measure.ts";
import { type OperatorProcess, operatorProgram } from "./operator-process.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";

const { apiVersion } = Plug;
const namespace = "apparatus";
const image = "localhost/bench-apparatus:1";
const plugs = 50;
const rounds = 7;

/**
 * What it costs that plugs and sockets bring a pod along. Cold: from the creation of a socket to the arrival of its first stage
 * call, less the time in which the pod could not answer. Warm: plugs through one apparatus, against the same requests to the
 * API server and to the apparatus, issued in parallel without an operator; the two take turns.
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
  await installKinds(client, couplingKinds);
  for (const kind of couplingKinds) await client.discovery.whenServed(kind, AbortSignal.timeout(30_000));
  await makeNamespace(client);
  await using program = await operatorProgram();
  const start = async () => await program.start(cluster.kubeconfig);
  await measureCold(client, start);
  await measureWarm(client, start);
}

async function measureCold(client: KubeClient, start: () => Promise<OperatorProcess>): Promise<void> {
  await using pods = await watchObjects(client, { apiVersion: "v1", kind: "Pod", namespace });
  await using _ = await start();
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

async function startCold(client: KubeClient, pods: ObjectWatch, name: string): Promise<Cold> {
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

async function measureWarm(client: KubeClient, start: () => Promise<OperatorProcess>): Promise<void> {
  await using watched = await watchObjects(client, { apiVersion, kind: "Plug", namespace });
  const address = await addressOf(client, "warm");
  await coupleBare(client, address, "first");
  await removePlugs(client);
  const turns: { readonly floorMs: number; readonly ms: number }[] = [];
  const before = (await readSeen(address)).length;
  for (let round = 0; round < rounds; round++) {
    const floorMs = await coupleBare(client, address, `bare-${round}`);
    await removePlugs(client);
    {
      await using operator = await start();
      for (const prefix of ["first", "second"]) {
        await coupleByOperator(client, watched, `${prefix}-${round}`);
        await operator.quiet();
      }
      turns.push({ floorMs, ms: await coupleByOperator(client, watched, `plug-${round}`) });
      await operator.quiet();
    }
    await removePlugs(client);
  }
  const calls = (await readSeen(address)).length - before;
  const ratios = turns.map(({ ms, floorMs }) => ms / floorMs);
  const between = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${rounds} rounds`;
  const [time, floor] = [median(turns.map(({ ms }) => ms)), median(turns.map(({ floorMs }) => floorMs))];
  const each = (calls / (plugs * rounds * 4)).toFixed(1);
  console.log(
    `${plugs} plugs through one warm apparatus: ${inSeconds(time)}, ratio ${median(ratios).toFixed(2)} to the bare calls of ${inSeconds(floor)} (bar: 1.3; ${between}), ${each} calls a plug\n`,
  );
}

async function coupleByOperator(client: KubeClient, watched: ObjectWatch, prefix: string): Promise<number> {
  const begin = Date.now();
  const all = watched.until((plug) => plug.metadata.name.startsWith(`${prefix}-`) && isCoupled(plug), plugs);
  await Promise.all(namesOf(prefix).map((name) => client.create(plugOf(namespace, name, "warm"))));
  return (await all) - begin;
}

/**
 * Create, finalizer, what is about to happen, configuration, what decoupling will need on either side, the stage; then the
 * socket's list, and only then that it has happened.
 */
async function coupleBare(client: KubeClient, address: string, prefix: string): Promise<number> {
  const bare = bareCoupling(client);
  const socket = await client.get({ ...Socket, namespace, name: "warm" });
  const begin = Date.now();
  const coupled = await Promise.all(
    namesOf(prefix).map(async (name) => {
      const made = await client.create(plugOf(namespace, name, "nowhere"));
      const plug = await bare.begin(await bare.addFinalizer(made), "Coupling", "coupled", []);
      await post(`${address}/config`, { version: 1, plug, socket, plugData: {}, socketData: {} });
      await Promise.all([keepState(client, plug, plug), keepState(client, socket, plug)]);
      await post(`${address}/coupled`, { version: "1", plug, socket, plugConfig: {}, socketConfig: {} });
      return plug;
    }),
  );
  await bare.list(socket, coupled);
  await Promise.all(coupled.map(async (plug) => await bare.end(plug, "coupled", [], socket)));
  return Date.now() - begin;
}

async function removePlugs(client: KubeClient): Promise<void> {
  await removeObjects(client, { apiVersion: "v1", kind: "Secret", namespace });
  await removeObjects(client, { apiVersion, kind: "Plug", namespace });
}

async function post(url: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await request(url, { method: "POST", headers, body: JSON.stringify(body) });
  await answer.body.dump();
}

const Seen = z.array(z.object({ path: z.string(), at: z.number() }));

async function readSeen(address: string): Promise<z.infer<typeof Seen>> {
  const { body } = await request(`${address}/seen`);
  return Seen.parse(await body.json());
}

/** When the apparatus can be reached through its Service, which every caller has to wait for. */
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

/** By an apply, since an earlier attempt may have left it; with an owner, since it has to be deleted with that. */
async function keepState(client: KubeClient, owner: KubeObject, plug: KubeObject): Promise<void> {
  const { kind, metadata } = owner;
  const { uid = "" } = plug.metadata;
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" }];
  const name = `${metadata.name}-${uid.slice(0, 8)}`;
  const labels = { "integration.rock8s.com/plug-uid": uid };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace, name, labels, ownerReferences } };
  await client.apply({ ...secret, stringData: { state: "{}" } }, { fieldManager: "bench" });
}

function socketOf(name: string): KubeObject {
  const container = { name: "apparatus", image, ports: [{ name: "container", containerPort: 3000 }] };
  const spec = { apparatus: { idleTimeout: 3600, containers: [container] } };
  return { apiVersion, kind: "Socket", metadata: { namespace, name }, spec };
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
  const made = await buildImage({
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

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

if (import.meta.main) await measureApparatus();
