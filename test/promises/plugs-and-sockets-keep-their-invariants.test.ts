import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { valueAt } from "#base";
import { conditionOf } from "#coupling";
import { configMapTemplate, testKubeconfig, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { fc, seed } from "#seeded";
import { killed, loggingApparatus, type Mark, misorders } from "./coupling/stage-log.ts";

const plugCount = 30;
const socketCount = 5;
const isSoak = process.env["TENON_SOAK"] !== undefined;
const operationCount = isSoak ? 2_000 : 200;
const key = "the key of the churn";

const marks: Mark[] = [];
const apparatus = loggingApparatus((mark) => marks.push(mark));
const world = useCoupling({ apparatus, fingerprintKey: Buffer.from(key) });

const socketIndex = fc.nat(socketCount - 1);
const plugIndex = fc.nat(plugCount - 1);
const value = fc.nat(3);
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("plug" as const), plug: plugIndex, socket: socketIndex, value }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("unplug" as const), plug: plugIndex }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("socket" as const), socket: socketIndex, value }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), socket: socketIndex }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("source" as const), value }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const source = (n: number) => ({
  ...configMapTemplate("source", { s: String(n) }),
  metadata: { name: "source", namespace: world.app },
});
const plugOf = (index: number, socket: number, n: number) =>
  world.plug(`p${index}`, {
    socket: { name: `s${socket}`, namespace: world.prov },
    config: { n: String(n) },
    configConfigMapName: "source",
    resources: [{ template: configMapTemplate(`p${index}-{% .plugConfig.n %}-{% .plugConfig.s %}`) }],
    resultTemplate: { n: "{% .plugConfig.n %}" },
  });
const socketOf = (index: number, n: number) =>
  world.socket(`s${index}`, {
    config: { v: String(n) },
    resources: [
      { template: configMapTemplate(`s${index}-shared`) },
      { template: configMapTemplate(`s${index}-{% .plug.metadata.name %}-{% .socketConfig.v %}`) },
      { when: ["created"], template: configMapTemplate(`s${index}-created`) },
      // For which the configs have to be kept.
      ...(index % 2 === 0
        ? [{ when: ["decoupled"], do: "delete", template: configMapTemplate("never-{% .socketConfig.v %}") }]
        : []),
    ],
  });

async function carryOut(step: Operation): Promise<void> {
  // An object of the name may be on its way out, and be there no more when the change arrives.
  const apply = (object: KubeObject) => world.apply(object);
  if (step.do === "plug") await apply(plugOf(step.plug, step.socket, step.value));
  else if (step.do === "unplug") await world.client.delete(world.ref("Plug", `p${step.plug}`), {});
  else if (step.do === "socket") await apply(socketOf(step.socket, step.value));
  else if (step.do === "remove") await world.client.delete(world.ref("Socket", `s${step.socket}`), {});
  else await apply(source(step.value));
}

async function list(kind: "Plug" | "Socket"): Promise<KubeObject[]> {
  const { apiVersion, namespace } = world.ref(kind, "any");
  return (await world.client.list({ apiVersion, kind, namespace })).items;
}

const listedBy = (socket: KubeObject): unknown[] => {
  const plugs = valueAt(socket, ["status", "coupledPlugs"]);
  return Array.isArray(plugs) ? plugs.map((plug) => valueAt(plug, ["uid"])) : [];
};

/** What is not as it should be when nothing changes any more. */
async function unsettled(): Promise<string[]> {
  const [plugs, sockets] = [await list("Plug"), await list("Socket")];
  const problems = [...plugs, ...sockets]
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ kind, metadata }) => `${kind} ${metadata.name} is still being deleted`);
  for (const plug of plugs) {
    const { name, uid, generation } = plug.metadata;
    const wanted = sockets.find(({ metadata }) => metadata.name === valueAt(plug, ["spec", "socket", "name"]));
    const coupled = conditionOf(plug, "Coupled");
    const listing = sockets.filter((socket) => listedBy(socket).includes(uid)).map(({ metadata }) => metadata.uid);
    if (!wanted) {
      if (coupled?.["reason"] !== "SocketNotCreated") problems.push(`${name} says ${String(coupled?.["reason"])}`);
      if (listing.length > 0) problems.push(`${name} is listed, and its socket is not there`);
      continue;
    }
    const isSo =
      coupled?.["status"] === "True" &&
      coupled["observedGeneration"] === generation &&
      valueAt(plug, ["status", "coupledResult", "observedGeneration"]) === generation &&
      valueAt(plug, ["status", "coupledSocket", "uid"]) === wanted.metadata.uid &&
      valueAt(plug, ["status", "pairing", "socketGeneration"]) === wanted.metadata.generation;
    if (!isSo) problems.push(`${name} says ${String(coupled?.["reason"])} ${JSON.stringify(plug["status"])}`);
    if (listing.length !== 1 || listing[0] !== wanted.metadata.uid)
      problems.push(`${name} is listed by ${listing.length}`);
  }
  return problems;
}

/** Objects with our labels that nothing remembers. */
async function orphans(): Promise<string[]> {
  const [plugs, sockets] = [await list("Plug"), await list("Socket")];
  const inventories = [...plugs, ...sockets].flatMap((object) => {
    const entries = valueAt(object, ["status", "inventory"]);
    return Array.isArray(entries) ? entries : [];
  });
  const known = new Set(
    inventories.map((entry) => ["kind", "namespace", "name"].map((field) => String(valueAt(entry, [field]))).join("/")),
  );
  const uids = new Set(
    plugs.filter((plug) => valueAt(plug, ["status", "pairing"])).map(({ metadata }) => metadata.uid),
  );
  const found: string[] = [];
  for (const namespace of [world.app, world.prov]) {
    const labelSelector = "app.kubernetes.io/managed-by=integration-operator";
    for (const kind of ["ConfigMap", "Secret"]) {
      const { items } = await world.client.list({ apiVersion: "v1", kind, namespace, labelSelector });
      for (const { metadata } of items) {
        const name = `${kind}/${namespace}/${metadata.name}`;
        const isState = kind === "Secret" && uids.has(metadata.labels?.["integration.rock8s.com/plug-uid"] ?? "");
        if (!isState && !known.has(name)) found.push(name);
      }
    }
  }
  return found;
}

/** The operator in a process of its own, until it is killed. */
function startChild(): ChildProcess {
  const script = join(import.meta.dirname, "coupling", "operator.ts");
  const child = spawn(process.execPath, [script, testKubeconfig(), key], { stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: child.stdout }).on("line", (line) => marks.push(JSON.parse(line)));
  return child;
}

async function churn(operations: readonly Operation[]): Promise<void> {
  marks.length = 0;
  await world.apply(source(0));
  const third = Math.floor(operations.length / 3);
  for (const step of operations.slice(0, third)) await carryOut(step);
  await world.stop();
  marks.push(killed);
  await world.restart();
  for (const step of operations.slice(third, third + 20)) await carryOut(step);
  await world.stop();
  marks.push(killed);
  const child = startChild();
  const before = marks.length;
  for (const step of operations.slice(third + 20, 2 * third)) await carryOut(step);
  await expect.poll(() => marks.length).toBeGreaterThan(before);
  child.kill("SIGKILL");
  await once(child, "close");
  marks.push(killed);
  await world.restart();
  for (const step of operations.slice(2 * third)) await carryOut(step);
  await expect.poll(unsettled, { interval: 500 }).toEqual([]);
  // What a deleted plug owned is left to Kubernetes' garbage collector, which takes its time.
  await expect.poll(orphans, { interval: 500 }).toEqual([]);
  expect(misorders(marks)).toEqual([]);
}

test(`H74: through random changes and kills, plugs and sockets keep their invariants, and nothing is left behind (seed ${seed})`, async () => {
  const operations = fc.array(operation, { minLength: operationCount, maxLength: operationCount });
  await fc.assert(fc.asyncProperty(operations, churn), { numRuns: isSoak ? 5 : 1, endOnFailure: !isSoak });
});
