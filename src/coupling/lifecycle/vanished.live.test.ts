import { expect, test } from "vitest";
import { configMapTemplate, testKubeconfig, useCoupling } from "#harness";
import { connect, createClient, type KubeRequest, loadAccess, type Transport } from "#kube";
import { conditionOf } from "./unparsed-objects.ts";

/** Called before the operator writes the status of a plug, with the plug's name and how many writes there were before. */
let beforeStatus = async (_name: string, _earlier: number): Promise<void> => {};
const writes = new Map<string, number>();

async function tell({ method, path }: KubeRequest): Promise<void> {
  const name = /\/plugs\/([^/]+)\/status$/.exec(path)?.[1];
  if (method !== "PATCH" || name === undefined) return;
  const earlier = writes.get(name) ?? 0;
  writes.set(name, earlier + 1);
  await beforeStatus(name, earlier);
}

function told(inner: Transport): Transport {
  return {
    cluster: inner.cluster,
    send: async (request, signal) => {
      await tell(request);
      return await inner.send(request, signal);
    },
    open: (request, signal) => inner.open(request, signal),
    impersonate: (identity) => told(inner.impersonate(identity)),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}

const transport = told(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
const world = useCoupling({ client: createClient(transport) });

/** As the API server does with one that it looked at before it had the finalizer. */
async function deleteAtOnce(name: string): Promise<void> {
  await world.client.patch(world.ref("Plug", name), { type: "merge", body: { metadata: { finalizers: null } } });
  await world.client.delete(world.ref("Plug", name));
}

test.each([
  { name: "early", at: 0, reason: "before anything of it is made" },
  { name: "late", at: 1, reason: "when all of it is made" },
])("a plug that is deleted in spite of its finalizer leaves nothing behind: $reason", async ({ name, at }) => {
  const resources = [
    { template: configMapTemplate(`${name}-{% .plug.metadata.name %}`) },
    { when: ["decoupled"], do: "delete", template: configMapTemplate("any") }, // for which the configs are kept
  ];
  const on = { socket: { name, namespace: world.prov } };
  const gone = Promise.withResolvers<string>();
  beforeStatus = async (plug, earlier) => {
    if (plug !== `${name}-gone` || earlier !== at) return;
    const { metadata } = await world.client.get(world.ref("Plug", plug));
    await deleteAtOnce(plug);
    gone.resolve(metadata.uid ?? "");
  };
  await world.apply(world.socket(name, { limit: 1, config: { a: "b" }, resources }));
  await world.waitFor(world.ref("Socket", name), (socket) => conditionOf(socket, "Coupled") !== undefined);
  await world.apply(world.plug(`${name}-gone`, on));
  const uid = await gone.promise;
  // There is one place, which the other one gives up when it is through.
  await world.apply(world.plug(`${name}-next`, on));
  await world.waitUntilCoupled(`${name}-next`);
  const selection = { apiVersion: "v1", labelSelector: `integration.rock8s.com/plug-uid=${uid}` };
  for (const kind of ["ConfigMap", "Secret"]) {
    const left = async () => {
      const { items } = await world.client.list({ ...selection, kind, namespace: world.prov });
      return items.map(({ metadata }) => metadata.name);
    };
    // The place is given up just before the stored configs are deleted.
    await expect.poll(left).toEqual([]);
  }
});

test("a plug whose status has generations that never existed is coupled and decoupled", async () => {
  const onDecoupled = { when: ["decoupled"], template: configMapTemplate("decoupled-{% .plug.metadata.name %}") };
  await world.apply(world.socket("restored", { resources: [onDecoupled] }));
  const { metadata, ...plug } = world.plug("p-restored", { socket: { name: "restored", namespace: world.prov } });
  // As after a restored backup: in a cluster where generations start again.
  beforeStatus = async (name, earlier) => {
    if (name !== metadata.name || earlier !== 0) return;
    const body = { status: { observedGeneration: 7 } };
    await world.client.patch(world.ref("Plug", name), { type: "merge", subresource: "status", body });
  };
  await world.apply({ ...plug, metadata });
  await world.waitUntilCoupled(metadata.name);
  await world.client.delete(world.ref("Plug", metadata.name));
  await world.waitUntilDeleted(world.ref("Plug", metadata.name));
  expect(await world.dataOf(`decoupled-${metadata.name}`, world.prov)).toBeDefined();
});

test("a socket that is deleted in spite of its finalizer leaves its plugs no value that it hid from them", async () => {
  const hidden = "the administrator's password";
  const resources = [
    {
      when: ["decoupled"],
      template: configMapTemplate("seen", {
        shown: "{% .socketConfig.shown %}",
        hidden: "{% .socketConfig.password %}",
      }),
    },
  ];
  const shape = { config: { socket: { shown: {}, password: { plugVisible: false } } } };
  await world.apply(
    world.socket("hiding", { interface: shape, config: { shown: "host", password: hidden } }),
    world.plug("p-hidden", { socket: { name: "hiding", namespace: world.prov }, resources }),
  );
  const { uid = "" } = (await world.waitUntilCoupled("p-hidden")).metadata;
  await world.stop();
  // As if the garbage collector were late.
  const state = world.ref("Secret", `hiding-integration-${uid.slice(0, 8)}`, world.prov);
  await world.client.patch(state, { type: "merge", body: { metadata: { ownerReferences: null } } });
  const socket = world.ref("Socket", "hiding");
  await world.client.patch(socket, { type: "merge", body: { metadata: { finalizers: null } } });
  await world.client.delete(socket);
  await world.restart();
  expect(await world.dataOf("seen", world.app)).toEqual({ shown: "host", hidden: "" });
});
