import { expect, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
/** An administrator of a namespace often has `resources: ["*"]`, status included. */
const tenant = useTenant(world, "forger", [
  { apiGroups: ["integration.rock8s.com"], resources: ["plugs/status", "sockets/status"], verbs: ["*"] },
]);
const identity = ({ kind, metadata }: KubeObject) => ({
  apiVersion: "integration.rock8s.com/v1beta1",
  kind,
  name: metadata.name,
  namespace: metadata.namespace,
  uid: metadata.uid,
});

async function forge(kind: "Plug" | "Socket", name: string, status: object): Promise<void> {
  await tenant.client.patch(tenant.ref(kind, name), { type: "merge", subresource: "status", body: { status } });
}

function pairingWith(socket: KubeObject, more: object = {}): object {
  const { namespace, name, uid } = socket.metadata;
  return { socket: { namespace, name, uid }, stage: "coupled", generation: 1, done: ["plug", "socket"], ...more };
}

const entry = (object: KubeObject, more: object = {}) => ({
  group: "",
  version: "v1",
  kind: object.kind,
  namespace: object.metadata.namespace,
  name: object.metadata.name,
  uid: object.metadata.uid,
  side: "plug",
  stage: "coupled",
  ...more,
});

const foreign = (namespace: string) => ({
  ...configMapTemplate("foreign"),
  metadata: { name: "foreign", namespace },
});

const loot = { template: configMapTemplate("loot", { loot: "{% toJson .socketConfig %}" }) };

test("a plug with a forged coupled status gets nothing from a socket that does not admit it", async () => {
  const left = { when: ["decoupled"], template: configMapTemplate("ran-decoupled", { v: "{% .plugConfig.v %}" }) };
  const shared = { config: { password: "sesame-open" }, resources: [left] };
  await world.apply(world.socket("closed", { ...shared, allowedPlugs: { namespaces: "Same" } }));
  const socket = await world.client.get(world.ref("Socket", "closed"));
  const onClosed = { socket: { name: "closed", namespace: world.prov }, config: { v: "evil" } };
  await tenant.create(tenant.plug("claims", { ...onClosed, resources: [loot] }));
  expect(await tenant.refusal("claims")).toContain("is not allowed");
  for (const stage of ["coupled", "updated", "decoupled"]) {
    const pairing = pairingWith(socket, { stage, hasState: true });
    await forge("Plug", "claims", { pairing, coupledSocket: identity(socket) });
    await tenant.change("claims", { epoch: stage });
    await world.waitFor(tenant.ref("Plug", "claims"), (plug) => valueAt(plug, ["status", "pairing"]) === undefined);
    expect(await tenant.refusal("claims")).toContain("is not allowed");
  }
  await forge("Plug", "claims", { pairing: pairingWith(socket), coupledSocket: identity(socket) });
  await world.restart();
  await tenant.remove("Plug", "claims");
  expect(await world.client.find(tenant.ref("ConfigMap", "loot"))).toBe(undefined);
  expect(await world.client.find(world.ref("ConfigMap", "ran-decoupled", world.prov))).toBe(undefined);
  const after = await world.client.get(world.ref("Socket", "closed"));
  expect(valueAt(after, ["status", "coupledPlugs"])).toBe(undefined);
});

test.for([
  { name: "forgets", forged: { hasState: null }, reason: "nothing was kept for it" },
  { name: "renames", forged: { socket: { name: "nowhere" } }, reason: "its socket was another one" },
])("a decoupled plug does not couple again through a forged status: $reason", async ({ name, forged }) => {
  const left = { when: ["decoupled"], template: configMapTemplate("left-{% .plug.metadata.name %}") };
  await world.apply(world.socket(name, { resources: [left] }), world.socket(`not-${name}`, {}));
  const onSocket = (socket: string) => ({ socket: { name: socket, namespace: world.prov } });
  await tenant.create(tenant.plug(name, onSocket(name)));
  const { status } = await tenant.waitUntilCoupled(name);
  const pairing = valueAt(status, ["pairing"]);
  expect(valueAt(pairing, ["hasState"])).toBe(true);
  await forge("Plug", name, { pairing: forged });
  await tenant.change(name, onSocket(`not-${name}`));
  await tenant.waitUntilCoupled(name);
  expect(await world.dataOf(`left-${name}`, world.prov)).toEqual({ a: "b" });
  await world.apply(world.socket(name, { resources: [left], allowedPlugs: { namespaces: "Same" } }));
  await forge("Plug", name, { pairing, coupledSocket: null });
  await tenant.change(name, onSocket(name));
  expect(await tenant.refusal(name)).toContain("is not allowed");
  expect(valueAt(await world.client.get(world.ref("Socket", name)), ["status", "coupledPlugs"])).toBe(undefined);
});

test("a forged inventory that names foreign objects deletes none of them, on either side", async () => {
  const own = { template: configMapTemplate("created-by-socket"), when: ["created"] };
  const made = { template: configMapTemplate("made-{% .plug.metadata.name %}") };
  await world.apply(foreign(world.prov), foreign(world.app), foreign(tenant.namespace));
  await world.apply(world.socket("open", { resources: [own, made] }));
  const onOpen = { socket: { name: "open", namespace: world.prov } };
  await world.apply(world.plug("victim", { ...onOpen, resources: [{ template: configMapTemplate("of-victim") }] }));
  await world.waitUntilCoupled("victim");
  await tenant.create(tenant.plug("thief", onOpen));
  await tenant.waitUntilCoupled("thief");
  const places: (readonly [string, string])[] = [
    ["foreign", world.prov],
    ["foreign", world.app],
    ["foreign", tenant.namespace],
    ["created-by-socket", world.prov],
    ["made-victim", world.prov],
    ["of-victim", world.app],
  ];
  const targets = await Promise.all(
    places.map(([name, namespace]) => world.client.get(world.ref("ConfigMap", name, namespace))),
  );
  const inventory = targets.flatMap((target) => [entry(target), entry(target, { side: "socket" })]);
  await forge("Plug", "thief", { inventory: inventory.map((each) => Object.assign({}, each, { uid: undefined })) });
  await tenant.change("thief", { epoch: "prune" });
  await tenant.waitUntilCoupled("thief");
  await forge("Plug", "thief", { inventory });
  await tenant.remove("Plug", "thief");
  await tenant.create(world.socket("thief", {}, tenant.namespace));
  await world.waitFor(tenant.ref("Socket", "thief"), (socket) => socket?.["status"] !== undefined);
  await forge("Socket", "thief", {
    inventory: inventory.map((each) => Object.assign({}, each, { side: "socket", stage: "created" })),
  });
  await tenant.remove("Socket", "thief");
  const found = await Promise.all(
    places.map(([name, namespace]) => world.client.find(world.ref("ConfigMap", name, namespace))),
  );
  expect(found.map((object) => object?.metadata.uid)).toEqual(targets.map(({ metadata }) => metadata.uid));
  expect(found.map((object) => object?.metadata.deletionTimestamp)).toEqual(targets.map(() => undefined));
  await world.waitUntilCoupled("victim");
});

test("a forged inventory with a known uid does not delete an object in the socket's namespace", async () => {
  const theirs = {
    ...configMapTemplate("set-x", { theirs: "yes" }),
    metadata: { name: "set-x", namespace: world.prov },
  };
  await world.apply(theirs);
  const template = configMapTemplate("set-{% .plugConfig.name %}", { ours: "yes" });
  await world.apply(world.socket("names", { resources: [{ template }] }));
  const onNames = { socket: { name: "names", namespace: world.prov } };
  await tenant.create(tenant.plug("namer", { ...onNames, config: { name: "mine" } }));
  await tenant.waitUntilCoupled("namer");
  const live = await world.client.get(world.ref("ConfigMap", "set-x", world.prov));
  await forge("Plug", "namer", { inventory: [entry(live, { side: "socket" })] });
  await tenant.change("namer", { config: { name: "x" } });
  await tenant.waitUntilCoupled("namer");
  await tenant.remove("Plug", "namer");
  const after = await world.client.get(world.ref("ConfigMap", "set-x", world.prov));
  expect(after.metadata.ownerReferences).toBe(undefined);
  expect(after.metadata.labels).toBe(undefined);
});

test("a forged binding does not overwrite a foreign Secret", async () => {
  const name = "binder-integration-result";
  const metadata = { name, namespace: tenant.namespace };
  const type = "servicebinding.io/integration";
  await world.apply({ apiVersion: "v1", kind: "Secret", metadata, type, stringData: { type: "theirs", token: "t" } });
  await world.apply(world.socket("results", {}));
  const onResults = { socket: { name: "results", namespace: world.prov } };
  await tenant.create(tenant.plug("binder", onResults));
  await tenant.waitUntilCoupled("binder");
  await forge("Plug", "binder", { binding: { name }, resultHash: "forged" });
  await tenant.change("binder", { result: { token: "evil" } });
  expect(await tenant.refusal("binder")).toMatch(
    /Secret .*binder-integration-result.* does not belong to this plug.*rename/,
  );
  const { data } = await world.client.get(world.ref("Secret", name, tenant.namespace));
  expect(data).toEqual({ type: Buffer.from("theirs").toString("base64"), token: Buffer.from("t").toString("base64") });
});
