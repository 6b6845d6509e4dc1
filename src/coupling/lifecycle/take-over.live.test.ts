import { beforeEach, expect, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import type { StageCall } from "../apparatus/calls/apparatus-client.ts";

const names = new Set(["taken", "deleted", "claimed"]);
const ran: string[] = [];
const apparatus = {
  call: async ({ stage, side, object }: StageCall) => {
    const { namespace = "", name } = object.metadata;
    if ([world.app, world.prov].includes(namespace) && names.has(name)) ran.push(`${stage} ${side}`);
  },
  config: async () => undefined,
  forget: () => {},
};
const world = useCoupling({ apparatus });
beforeEach(() => world.stop());

const spec = (side: string) => ({
  config: { [side]: "now" },
  resources: [
    { when: ["coupled", "updated"], template: configMapTemplate(`{% .plug.metadata.name %}-${side}-kept`) },
    { when: ["coupled"], template: configMapTemplate(`{% .plug.metadata.name %}-${side}-once`) },
  ],
});
/** Read whenever the plug is looked at. */
const sourceOf = (plug: string) => `${plug}-source`;
const namesOf = (plug: string) => [
  [`${plug}-plug-kept`, world.app] as const,
  [`${plug}-plug-once`, world.app] as const,
  [`${plug}-socket-kept`, world.prov] as const,
  [`${plug}-socket-once`, world.prov] as const,
];

/** The status that integration-operator 1.2 leaves behind, and its finalizer. */
async function leave(object: KubeObject, status: object): Promise<KubeObject> {
  const finalizers = ["integration.rock8s.com/finalizer"];
  const { apiVersion, kind, metadata } = object;
  const made = await world.client.create({ ...object, metadata: { ...metadata, finalizers } });
  const ref = { apiVersion, kind, namespace: metadata.namespace, name: metadata.name };
  await world.client.patch(ref, { type: "merge", subresource: "status", body: { status } });
  return made;
}

const condition = (reason: string, message: string) => {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  return { type: "Coupled", status: "True", reason, message, lastTransitionTime, observedGeneration: 1 };
};
const identity = ({ apiVersion, kind, metadata: { name, namespace, uid } }: KubeObject) => {
  return { apiVersion, kind, name, namespace, uid };
};

/** A plug that is coupled, as far as one can see: both list each other, and the objects are there. */
async function leaveCoupled(name: string, { isListed }: { readonly isListed: boolean }): Promise<KubeObject> {
  const socket = await leave(world.socket(name, spec("socket")), {
    conditions: [condition("SocketEmpty", "0 plugs coupled")],
  });
  const source = { ...configMapTemplate(sourceOf(name)), metadata: { name: sourceOf(name), namespace: world.app } };
  await world.apply(source);
  const wanted = { ...spec("plug"), configConfigMapName: sourceOf(name), socket: { name, namespace: world.prov } };
  const plug = await leave(world.plug(name, wanted), {
    conditions: [condition("CouplingSucceeded", "coupling succeeded")],
    coupledSocket: identity(socket),
    coupledResult: { plug: {}, socket: {}, observedGeneration: 1 },
  });
  const status = {
    conditions: [condition("SocketCoupled", "1 plug coupled")],
    coupledPlugs: isListed ? [identity(plug)] : [],
  };
  await world.client.patch(world.ref("Socket", name), { type: "merge", subresource: "status", body: { status } });
  for (const [object, namespace] of namesOf(name)) {
    const template = configMapTemplate(object, { made: "by integration-operator" });
    const made = { ...template, metadata: { name: object, namespace } };
    await world.client.apply(made, { fieldManager: "integration-operator" });
  }
  ran.length = 0;
  return plug;
}

test("a plug that integration-operator coupled is updated, not coupled again, and its objects are deleted with it", async () => {
  const { metadata } = await leaveCoupled("taken", { isListed: true });
  await world.restart();
  await world.waitFor(world.ref("Plug", "taken"), (plug) => valueAt(plug, ["status", "inputsHash"]) !== undefined);
  await world.waitUntilCoupled("taken");
  expect(ran).toEqual(["updated plug", "updated socket"]);
  expect(await world.dataOf("taken-socket-kept", world.prov)).toEqual({ a: "b" });
  expect(await world.dataOf("taken-plug-once", world.app)).toEqual({ made: "by integration-operator" });
  const socket = await world.client.get(world.ref("Socket", "taken"));
  expect(valueAt(socket, ["status", "coupledPlugs", 0, "uid"])).toBe(metadata.uid);
  world.calls.length = 0;
  await world.restart();
  await expect.poll(() => world.calls.filter((call) => call.endsWith(`/${sourceOf("taken")}`))).not.toEqual([]);
  await world.settle();
  expect(ran).toHaveLength(2);
  await world.client.delete(world.ref("Plug", "taken"));
  await world.waitUntilDeleted(world.ref("Plug", "taken"));
  for (const [name, namespace] of namesOf("taken"))
    await world.waitUntilDeleted(world.ref("ConfigMap", name, namespace));
});

test("a plug that was deleted while no operator ran is decoupled, and integration-operator's objects are deleted", async () => {
  await leaveCoupled("deleted", { isListed: true });
  await world.client.delete(world.ref("Plug", "deleted"));
  await world.restart();
  await world.waitUntilDeleted(world.ref("Plug", "deleted"));
  expect(ran).toEqual(["decoupled plug", "decoupled socket", "deleted plug"]);
  for (const [name, namespace] of namesOf("deleted"))
    await world.waitUntilDeleted(world.ref("ConfigMap", name, namespace));
});

test("a plug that its socket does not list counts as never coupled, whatever its status says", async () => {
  await leaveCoupled("claimed", { isListed: false });
  await world.restart();
  await world.waitFor(world.ref("Plug", "claimed"), (plug) => valueAt(plug, ["status", "inputsHash"]) !== undefined);
  expect(ran).toEqual(["coupled plug", "coupled socket"]);
});
