import { describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const isEmpty = (name: string) =>
  world.waitFor(world.ref("Socket", name), (found) => conditionOf(found, "Coupled")?.["reason"] === "SocketEmpty");

const socketUidOf = (found: object | undefined) => valueAt(found, ["status", "coupledSocket", "uid"]);

describe.concurrent("moves", () => {
  test("H64: a plug that moves is first decoupled from the old socket, with the config it had there", async ({
    expect,
  }) => {
    const resources = [
      { when: ["coupled"], template: configMapTemplate("h64-{% .socket.metadata.name %}") },
      {
        when: ["decoupled"],
        template: configMapTemplate("h64-left-{% .socket.metadata.name %}", { id: "{% .socketConfig.id %}" }),
      },
    ];
    await world.apply(
      world.socket("a64", { config: { id: "one" }, resources }),
      world.socket("b64", { config: { id: "two" }, resources }),
      world.plug("p64", on("a64")),
    );
    await world.waitUntilCoupled("p64");
    await world.apply(world.plug("p64", on("b64")));
    expect(await world.dataOf("h64-left-a64", world.prov)).toEqual({ id: "one" });
    await world.waitUntilDeleted(world.ref("ConfigMap", "h64-a64", world.prov));
    await world.dataOf("h64-b64", world.prov);
    await world.waitUntilCoupled("p64");
    await isEmpty("a64");
    const events = ["PlugCreated", "PlugCoupled", "PlugCoupled", "PlugDecoupled"];
    await expect.poll(() => world.events("Plug", "p64")).toEqual(events);
    await world.client.delete(world.ref("Socket", "a64"), {});
    await world.waitUntilDeleted(world.ref("Socket", "a64"));
    await world.waitUntilCoupled("p64");
    const selection = {
      apiVersion: "v1",
      kind: "Secret",
      namespace: world.prov,
      labelSelector: "integration.rock8s.com/plug-uid",
    };
    const { items } = await world.client.list(selection);
    expect(items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("a64"))).toEqual([]);
  });

  test("H65: deleting a socket decouples its plugs, which stay and couple again", async ({ expect }) => {
    const spec = {
      config: { id: "x" },
      resources: [
        { when: ["coupled"], template: configMapTemplate("h65") },
        { when: ["created"], template: configMapTemplate("h65-created") },
      ],
    };
    await world.apply(world.socket("s65", spec), world.plug("p65", on("s65")));
    await world.waitUntilCoupled("p65");
    await world.client.delete(world.ref("Socket", "s65"), {});
    await world.waitUntilDeleted(world.ref("Socket", "s65"));
    await world.waitForReason("p65", "SocketNotCreated");
    for (const name of ["h65", "h65-created"]) await world.waitUntilDeleted(world.ref("ConfigMap", name, world.prov));
    const socketEvents = ["SocketCreated", "SocketCoupled", "SocketDecoupled", "SocketDeleted"];
    await expect.poll(() => world.events("Socket", "s65")).toEqual(socketEvents);
    await world.apply(world.socket("s65", spec));
    await world.waitUntilCoupled("p65");
    await world.dataOf("h65", world.prov);
    const plugEvents = await world.events("Plug", "p65");
    expect(plugEvents.filter((reason) => reason === "PlugUpdated")).toEqual([]);
  });

  test("a recreated socket counts as a new one: coupled runs", async ({ expect }) => {
    const socket = world.socket("s-new", { resources: [{ template: configMapTemplate("s-new") }] });
    await world.apply(socket, world.plug("p-new", on("s-new")));
    const before = await world.waitUntilCoupled("p-new");
    const ref = world.ref("Socket", "s-new");
    const forced = { metadata: { annotations: { "integration.rock8s.com/force-delete": "true" } } };
    await world.client.patch(ref, { type: "merge", body: forced });
    await world.client.delete(ref, {});
    await world.waitUntilDeleted(ref);
    await world.apply(socket);
    const after = await world.waitFor(
      world.ref("Plug", "p-new"),
      (found) => conditionOf(found, "Coupled")?.["status"] === "True" && socketUidOf(found) !== socketUidOf(before),
    );
    expect(socketUidOf(after)).toBe((await world.client.get(ref)).metadata.uid);
    await world.dataOf("s-new", world.prov);
  });

  test("a plug that moves while its decoupling fails leaves after the timeout, and says so", async ({ expect }) => {
    const broken = [{ when: ["decoupled"], template: configMapTemplate("Not {% .plugConfig.a %} A Name") }];
    const plug = (socket: string) => {
      const object = world.plug("p-stuck", { ...on(socket), config: { a: "b" } });
      const annotations = { "integration.rock8s.com/decouple-timeout": "1s" };
      return { ...object, metadata: { ...object.metadata, annotations } };
    };
    const kept = { template: configMapTemplate("p-stuck-made") };
    await world.apply(
      world.socket("s-stuck", { resources: [kept, ...broken] }),
      world.socket("s-free", {}),
      plug("s-stuck"),
    );
    await world.waitUntilCoupled("p-stuck");
    await world.apply(plug("s-free"));
    await world.waitFor(
      world.ref("Plug", "p-stuck"),
      (found) => valueAt(found, ["status", "lastError", "stage"]) === "decoupled",
    );
    await world.waitUntilCoupled("p-stuck");
    await isEmpty("s-stuck");
    await world.waitUntilDeleted(world.ref("ConfigMap", "p-stuck-made", world.prov));
    await expect.poll(() => world.events("Plug", "p-stuck")).toContain("DecoupleAbandoned");
  });

  test("a socket whose deletion policy is Block stays until its plugs have left", async ({ expect }) => {
    await world.apply(world.socket("s-block", { deletionPolicy: "Block" }), world.plug("p-block", on("s-block")));
    await world.waitUntilCoupled("p-block");
    await world.client.delete(world.ref("Socket", "s-block"), {});
    const blocked = await world.waitFor(
      world.ref("Socket", "s-block"),
      (found) => conditionOf(found, "Coupled")?.["reason"] === "SocketDeleting",
    );
    expect(conditionOf(blocked, "Coupled")?.["message"]).toContain(`plug ${world.app}/p-block`);
    await world.apply(world.plug("p-late", on("s-block")));
    await world.waitForReason("p-late", "SocketDeleting");
    await world.waitUntilCoupled("p-block");
    await world.client.delete(world.ref("Plug", "p-block"), {});
    await world.waitUntilDeleted(world.ref("Socket", "s-block"));
    await world.waitForReason("p-late", "SocketNotCreated");
  });

  test("a socket whose deletion policy is DeletePlugs deletes its plugs", async ({ expect }) => {
    await world.apply(
      world.socket("s-along", { socketDeletionPolicy: "DeletePlugs" }),
      world.plug("p-along", on("s-along")),
      world.plug("p-apart", on("b64")),
    );
    await world.waitUntilCoupled("p-along");
    await world.client.delete(world.ref("Socket", "s-along"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-along"));
    await world.waitUntilDeleted(world.ref("Socket", "s-along"));
    expect(await world.client.find(world.ref("Plug", "p-apart"))).toBeDefined();
  });
});
