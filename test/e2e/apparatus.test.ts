import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { valueAt } from "#base";
import { conditionOf } from "#coupling";
import { testKubeconfig, useCoupling } from "#harness";
import { type KubeObject, readLogs } from "#kube";
import { buildImage, nodePath, nodeRuntimeLayer, unprivilegedUser, writeImageArchive } from "#oci";
import { loadOnNode } from "./use-node.ts";

const image = "localhost/recorder:1";
const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const Call = z.object({
  method: z.string(),
  path: z.string(),
  id: z.string().optional(),
  attempt: z.string().optional(),
  plug: z.string().optional(),
  socket: z.string().optional(),
  body: z.record(z.string(), z.unknown()),
});

beforeAll(async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tenon-apparatus-"));
  const contents = await readFile(join(import.meta.dirname, "programs", "recorder.mjs"), "utf8");
  const recorder = await buildImage({
    name: image,
    compression: "none",
    layers: [await nodeRuntimeLayer(), { comment: "recorder", entries: [{ path: "/recorder.mjs", contents }] }],
    entrypoint: [nodePath, "/recorder.mjs"],
    user: `${unprivilegedUser}:${unprivilegedUser}`,
  });
  const archive = join(folder.path, "recorder.tar");
  await writeImageArchive([recorder], archive);
  await loadOnNode(archive);
});

function recording(endpoint: string, env: Readonly<Record<string, string>> = {}, more: object = {}) {
  const container = {
    name: "main",
    image,
    imagePullPolicy: "Never",
    ports: [{ name: "container", containerPort: 3000 }],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
  };
  return { endpoint, containers: [container], terminationGracePeriodSeconds: 1, ...more };
}

const podRef = (name: string, namespace: string) => ({ apiVersion: "v1", kind: "Pod", namespace, name });
const pathsOf = (calls: readonly z.infer<typeof Call>[]) => calls.map(({ method, path }) => `${method} ${path}`);
const untilPod = (name: string, namespace: string, isSo: (pod: KubeObject) => boolean = () => true) =>
  world.waitFor(podRef(name, namespace), (found) => found !== undefined && isSo(found));
const polling = { interval: 100 };

/** So far, or with `follow` until the pod ends. */
async function callsOf(pod: string, namespace: string, follow = false): Promise<z.infer<typeof Call>[]> {
  const lines: string[] = [];
  const log = readLogs(world.client, { namespace, name: pod }, { follow }, AbortSignal.timeout(300_000));
  for await (const line of log) if (line.startsWith("{")) lines.push(line);
  return lines.map((line) => Call.parse(JSON.parse(line)));
}

const stageCalls = async (pod: string, namespace: string, path: string) =>
  (await callsOf(pod, namespace).catch(() => [])).filter((call) => call.path === path);

/** The pod as it was last. */
async function endOf({ metadata: { uid, namespace, resourceVersion } }: KubeObject): Promise<KubeObject> {
  const selection = { apiVersion: "v1", kind: "Pod", namespace };
  for await (const event of world.client.watch(selection, { resourceVersion }, AbortSignal.timeout(300_000))) {
    if (event.type === "DELETED" && event.object.metadata.uid === uid) return event.object;
  }
  throw new Error("the watch has ended before the pod");
}

const callsUntilCoupled = (side: string) => ["created", "config", "coupled"].map((stage) => `POST /${side}/${stage}`);
const says = (message: RegExp) => ({ reason: "WaitingForApparatus", message: expect.stringMatching(message) });

describe("apparatuses in real pods", () => {
  test("H80, H87: a plug and a socket of the same name have a pod each, which gets its own calls in order", async () => {
    await world.apply(
      world.socket("x", { apparatus: recording("/socket") }, world.app),
      world.plug("x", { socket: { name: "x" }, apparatus: recording("/plug") }),
    );
    await world.waitUntilCoupled("x");
    const first = await untilPod("x-apparatus", world.app);
    const isPlugs = first?.metadata.ownerReferences?.[0]?.kind === "Plug";
    const [plugs, sockets] = isPlugs ? ["x-apparatus", "x-socket-apparatus"] : ["x-plug-apparatus", "x-apparatus"];
    const posts = async (pod: string) =>
      pathsOf(await callsOf(pod, world.app)).filter((path) => path.startsWith("POST"));
    await expect.poll(() => posts(plugs), polling).toEqual(callsUntilCoupled("plug"));
    await expect.poll(() => posts(sockets), polling).toEqual(callsUntilCoupled("socket"));
    const calls = await callsOf(sockets, world.app);
    expect(calls.find(({ path }) => path === "/socket/config")?.body).toMatchObject({ version: 1 });
    expect(calls.find(({ path }) => path === "/socket/coupled")?.body).toEqual({
      version: "1",
      plugConfig: {},
      socketConfig: {},
    });
  });

  test("H81, H82, H88: an apparatus gives a config, is called again when it fails, and its path may end with a slash", async () => {
    const env = { CONFIG: '{"port":5432,"nul":null,"list":["a"]}', FAILURES: "2" };
    const out = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "out82" },
      data: { all: "{% .plugConfig | toJson %}" },
    };
    await world.apply(
      world.socket("s82", {}),
      world.plug("p82", { ...on("s82"), apparatus: recording("/plug/", env), resources: [{ template: out }] }),
    );
    await world.waitUntilCoupled("p82");
    const all = valueAt(await world.dataOf("out82", world.app), ["all"]);
    expect(JSON.parse(String(all))).toEqual({ port: "5432", list: '["a"]' });
    const calls = () => stageCalls("p82-apparatus", world.app, "/plug/coupled");
    await expect.poll(calls, polling).toMatchObject([{ attempt: "1" }, { attempt: "2" }, { attempt: "3" }]);
    const coupled = await calls();
    expect(new Set(coupled.map(({ id }) => id)).size).toBe(1);
  });

  test("H83: four apparatuses that hang do not delay a fifth plug", async () => {
    await world.apply(world.socket("s83", {}));
    const names = ["a", "b", "c", "d"].map((letter) => `p83-${letter}`);
    const hung = names.map((name) => {
      const plug = world.plug(name, { ...on("s83"), apparatus: recording("/plug", { SILENT: "coupled" }) });
      const annotations = { "integration.rock8s.com/apparatus-timeout": "15s" };
      return { ...plug, metadata: { ...plug.metadata, annotations } };
    });
    await world.apply(...hung);
    await world.apply(world.plug("p83-e", on("s83")));
    await world.waitUntilCoupled("p83-e");
    for (const name of names) {
      expect(conditionOf(await world.client.find(world.ref("Plug", name)), "Failed"), "still waits").toBeUndefined();
    }
    for (const name of names) {
      const failed = await world.waitFor(
        world.ref("Plug", name),
        (found) => conditionOf(found, "Failed") !== undefined,
      );
      expect(conditionOf(failed, "Failed")?.["message"]).toContain("no answer within 15 s");
    }
  });

  test("H84, H85, X15: an apparatus pod is probed for readiness, is stopped when idle, also after a restart, and is started again", async () => {
    await world.apply(
      world.socket("s84", { apparatus: recording("/socket", {}, { idleTimeout: 5 }) }),
      world.plug("p84", on("s84")),
    );
    const pod = await untilPod(
      "s84-apparatus",
      world.prov,
      (found) => valueAt(found, ["status", "phase"]) === "Running",
    );
    if (!pod) throw new Error("it was there a moment ago");
    const service = { apiVersion: "v1", kind: "Service", namespace: world.prov, name: "s84-apparatus" };
    const [called, last] = await Promise.all([callsOf("s84-apparatus", world.prov, true), endOf(pod)]);
    const calls = pathsOf(called);
    expect(calls[0]).toBe("GET /socket/ping");
    // On a busy machine the pod may be idle before all calls were made; the next pod then gets the rest.
    const posts = calls.filter((path) => path.startsWith("POST"));
    expect(posts).toEqual(callsUntilCoupled("socket").slice(0, posts.length));
    const { annotations = {}, deletionTimestamp = "", deletionGracePeriodSeconds } = last.metadata;
    const used = Date.parse(annotations["integration.rock8s.com/last-used"] ?? "");
    // The time of a deletion is when the pod has to be gone.
    const stopped = Date.parse(deletionTimestamp) - Number(deletionGracePeriodSeconds) * 1_000;
    expect(stopped - used, "milliseconds from the last use to the end").toBeGreaterThan(2_000);
    expect(await world.client.find(service)).toBeDefined();

    await world.waitUntilCoupled("p84");
    await world.apply(world.plug("p84", { ...on("s84"), config: { a: "b" } }));
    const second = await untilPod("s84-apparatus", world.prov, ({ metadata }) => metadata.uid !== pod.metadata.uid);
    if (!second) throw new Error("it was there a moment ago");
    await Promise.all([endOf(second), world.waitUntilCoupled("p84").then(() => world.restart())]);
  });

  test("H86: a missing image and a program that ends are named in the status", async () => {
    const apparatus = recording("/plug");
    const missing = apparatus.containers.map((each) => ({
      ...each,
      image: "localhost/missing:1",
      imagePullPolicy: "IfNotPresent",
    }));
    await world.apply(
      world.plug("p86-image", { ...on("s"), apparatus: { ...apparatus, containers: missing } }),
      world.plug("p86-exit", { ...on("s"), apparatus: recording("/plug", { EXIT: "3" }) }),
    );
    const coupledOf = async (name: string) => conditionOf(await world.client.find(world.ref("Plug", name)), "Coupled");
    await expect.poll(() => coupledOf("p86-image"), polling).toMatchObject(says(/ErrImagePull|ImagePullBackOff/));
    await expect.poll(() => coupledOf("p86-exit"), polling).toMatchObject(says(/CrashLoopBackOff|exit code 3/));
    await world.apply(world.plug("p86-exit", { ...on("s"), apparatus: recording("/plug") }));
    await expect.poll(() => coupledOf("p86-exit"), polling).toMatchObject({ reason: "SocketNotCreated" });
  });

  test("H70: after a kill between the halves of a stage, the next operator calls the apparatus with the same id", async () => {
    await world.stop();
    await world.apply(
      world.socket("s70", { apparatus: recording("/socket", { HELD: "coupled" }) }),
      world.plug("p70", { ...on("s70"), apparatus: recording("/plug") }),
    );
    const socketCalls = () => stageCalls("s70-apparatus", world.prov, "/socket/coupled");
    const killed = startTenon();
    await expect.poll(socketCalls, polling).toHaveLength(1);
    killed.kill("SIGKILL");
    await once(killed, "close");
    const next = startTenon();
    await expect.poll(socketCalls, polling).toHaveLength(2);
    const pod = await world.client.get(podRef("s70-apparatus", world.prov));
    await fetch(`http://${String(valueAt(pod, ["status", "podIP"]))}:3000/release`);
    await world.waitUntilCoupled("p70");
    next.kill("SIGTERM");
    await once(next, "close");
    const ofSocket = await socketCalls();
    expect(ofSocket).toHaveLength(2);
    const ofPlug = await stageCalls("p70-apparatus", world.app, "/plug/coupled");
    expect(ofPlug.length).toBeLessThanOrEqual(2);
    for (const calls of [ofSocket, ofPlug]) expect(new Set(calls.map(({ id }) => id)).size).toBe(1);
    await world.restart();
  });
});

function startTenon() {
  const program = join(import.meta.dirname, "..", "..", "bin", "tenon");
  const words = ["run", "--only", "couple", "--no-leader-election", "--port", "0", "--tenon-namespace", world.app];
  return spawn(program, [...words, "--kubeconfig", testKubeconfig()], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    stdio: ["ignore", "ignore", "inherit"],
  });
}
