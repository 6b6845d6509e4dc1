import { describe, expect, test } from "vitest";
import { configMapTemplate, useCoupling } from "#harness";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const left = (name: string) => ({
  when: ["decoupled"],
  template: configMapTemplate(name, { a: "{% .plugConfig.a %}", b: "{% .socketConfig.b %}" }),
});

const namespaceRef = (name: string) => ({ apiVersion: "v1", kind: "Namespace", name });

describe.concurrent("deleting", () => {
  test("H67: a plug whose sources are gone is decoupled with the last config", async () => {
    await world.apply(
      { apiVersion: "v1", kind: "Secret", metadata: { name: "sec67", namespace: world.app }, stringData: { a: "A" } },
      world.socket("s67", { config: { b: "B" }, resources: [left("h67")] }),
      world.plug("p67", { ...on("s67"), configSecretName: "sec67" }),
    );
    await world.waitUntilCoupled("p67");
    await world.client.delete(world.ref("Secret", "sec67", world.app), {});
    await world.client.delete(world.ref("Plug", "p67"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p67"));
    expect(await world.dataOf("h67", world.prov)).toEqual({ a: "A", b: "B" });
    const selection = { apiVersion: "v1", kind: "Secret", namespace: world.prov };
    const { items } = await world.client.list(selection);
    expect(items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("s67"))).toEqual([]);
  });

  test("H68: a namespace with a coupled plug can be deleted, and so can one with its socket", async () => {
    const namespaces = [await world.namespace("doomed-app"), await world.namespace("doomed-prov")];
    const [app = "", prov = ""] = namespaces;
    const resources = [{ template: configMapTemplate("made-{% .plug.metadata.name %}") }, left("left")];
    await world.apply(
      world.socket("s68", { resources }, prov),
      world.socket("s68", { resources }),
      world.plug("p68", { ...on("s68"), resources }, app),
      world.plug("p68-far", { socket: { name: "s68", namespace: prov }, resources }),
    );
    await world.waitUntilCoupled("p68-far");
    const near = { ...world.ref("Plug", "p68"), namespace: app };
    await world.waitFor(near, (found) => JSON.stringify(found?.["status"]).includes("CouplingSucceeded"));
    await Promise.all(namespaces.map((name) => world.client.delete(namespaceRef(name), {})));
    await Promise.all(namespaces.map((name) => world.waitUntilDeleted(namespaceRef(name))));
    const far = await world.waitForReason("p68-far", "SocketNotCreated");
    expect(far.metadata.deletionTimestamp).toBe(undefined);
  });

  test("a plug whose service account lost its rights is deleted after its timeout, and its objects are garbage-collected", async () => {
    const plug = world.plug("p-rights", {
      ...on("s-rights"),
      serviceAccountName: "fleeting",
      resources: [{ template: configMapTemplate("fleeting") }],
    });
    const annotations = { "integration.rock8s.com/decouple-timeout": "2s" };
    await world.client.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "fleeting", namespace: world.app },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "everything" },
      subjects: [{ kind: "ServiceAccount", name: "fleeting", namespace: world.app }],
    });
    await world.apply(world.socket("s-rights", {}), { ...plug, metadata: { ...plug.metadata, annotations } });
    await world.waitUntilCoupled("p-rights");
    const binding = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", name: "fleeting" };
    await world.client.delete({ ...binding, namespace: world.app }, {});
    await world.client.delete(world.ref("Plug", "p-rights"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-rights"));
    await world.waitUntilDeleted(world.ref("ConfigMap", "fleeting", world.app));
    expect(await world.events("Plug", "p-rights")).toContain("DecoupleAbandoned");
  });
});
