import { describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });

describe.concurrent("coupling", () => {
  test("H01: a plug couples to a socket, and the status of both says so", async ({ expect }) => {
    await world.apply(world.socket("s01", { config: { hello: "world" } }), world.plug("p01", on("s01")));
    const plug = await world.waitUntilCoupled("p01");
    expect(conditionOf(plug, "Coupled")).toMatchObject({ reason: "CouplingSucceeded", message: "coupling succeeded" });
    expect(conditionOf(plug, "Ready")?.["status"]).toBe("True");
    expect(conditionOf(plug, "Failed")).toBe(undefined);
    const socket = await world.waitFor(
      world.ref("Socket", "s01"),
      (found) => conditionOf(found, "Coupled")?.["status"] === "True",
    );
    expect(conditionOf(socket, "Coupled")).toMatchObject({ reason: "SocketCoupled", message: "1 plug coupled" });
    const identity = { apiVersion: "integration.rock8s.com/v1beta1" };
    expect(plug["status"]).toMatchObject({
      coupledSocket: { ...identity, kind: "Socket", name: "s01", namespace: world.prov, uid: socket?.metadata.uid },
      coupledResult: { observedGeneration: plug.metadata.generation },
    });
    expect(valueAt(socket, ["status", "coupledPlugs"])).toEqual([
      { ...identity, kind: "Plug", name: "p01", namespace: world.app, uid: plug.metadata.uid },
    ]);
    for (const each of [plug, socket]) expect(each?.metadata.finalizers).toEqual(["integration.rock8s.com/finalizer"]);
    await expect.poll(() => world.events("Plug", "p01")).toEqual(["PlugCreated", "PlugCoupled"]);
    await expect.poll(() => world.events("Socket", "s01")).toEqual(["SocketCreated", "SocketCoupled"]);
  });

  test("H02: a socket's status counts its plugs", async ({ expect }) => {
    const says = (reason: string, message: string) =>
      world.waitFor(world.ref("Socket", "s02"), (found) => {
        const coupled = conditionOf(found, "Coupled");
        return coupled?.["reason"] === reason && coupled["message"] === message;
      });
    await world.apply(world.socket("s02", {}));
    await says("SocketEmpty", "0 plugs coupled");
    await world.apply(world.plug("p02-a", on("s02")), world.plug("p02-b", on("s02")));
    await says("SocketCoupled", "2 plugs coupled");
    for (const name of ["p02-a", "p02-b"]) await world.client.delete(world.ref("Plug", name), {});
    const socket = await says("SocketEmpty", "0 plugs coupled");
    expect(socket?.["status"]).toMatchObject({ coupledPlugsCount: 0 });
  });

  test("H03: a socket reference without a namespace means the plug's own namespace", async ({ expect }) => {
    await world.apply(world.socket("s03", {}, world.app), world.plug("p03", { socket: { name: "s03" } }));
    const plug = await world.waitUntilCoupled("p03");
    expect(plug["status"]).toMatchObject({ coupledSocket: { name: "s03", namespace: world.app } });
  });

  test("H04: a plug that is created before its socket couples as soon as the socket appears", async ({ expect }) => {
    await world.apply(world.plug("p04", on("s04")));
    const waiting = await world.waitForReason("p04", "SocketNotCreated");
    expect(conditionOf(waiting, "Coupled")).toMatchObject({
      status: "False",
      message: `waiting for socket to be created: Socket ${world.prov}/s04 does not exist`,
    });
    await world.apply(world.socket("s04", {}));
    await world.waitUntilCoupled("p04");
  });

  test("a plug without the namespace of its socket shows where there is one that would admit it", async ({
    expect,
  }) => {
    const closed = { allowedPlugs: { namespaces: "Same" } };
    await world.apply(world.socket("s-elsewhere", {}), world.socket("s-closed", closed));
    for (const name of ["s-elsewhere", "s-closed"]) {
      await world.waitFor(world.ref("Socket", name), (socket) => conditionOf(socket, "Coupled") !== undefined);
      await world.apply(world.plug(`p-${name}`, { socket: { name } }));
    }
    const messageOf = async (name: string) =>
      conditionOf(await world.waitForReason(name, "SocketNotCreated"), "Coupled")?.["message"];
    expect(await messageOf("p-s-elsewhere")).toBe(
      `waiting for socket to be created: Socket ${world.app}/s-elsewhere does not exist; there is one of that name in namespace ${world.prov}: if you mean it, set spec.socket.namespace`,
    );
    expect(await messageOf("p-s-closed")).toBe(
      `waiting for socket to be created: Socket ${world.app}/s-closed does not exist`,
    );
  });

  test("H05: the conditions of a plug show each step of the coupling", async ({ expect }) => {
    const seen: unknown[] = [];
    const ending = new AbortController();
    const watching = (async () => {
      const selection = { apiVersion: "integration.rock8s.com/v1beta1", kind: "Plug", namespace: world.app };
      for await (const event of world.client.watch(selection, {}, ending.signal)) {
        if (event.type === "BOOKMARK" || event.object.metadata.name !== "p05") continue;
        const reason = conditionOf(event.object, "Coupled")?.["reason"];
        if (reason !== undefined && seen.at(-1) !== reason) seen.push(reason);
        if (reason === "CouplingSucceeded") return;
      }
    })();
    await world.apply(world.socket("s05", {}), world.plug("p05", on("s05")));
    await watching;
    ending.abort();
    const all = ["PlugCreated", "SocketNotCreated", "CouplingInProcess", "CouplingSucceeded"];
    expect(all.filter((reason) => seen.includes(reason))).toEqual(seen);
    expect(seen.slice(-2)).toEqual(["CouplingInProcess", "CouplingSucceeded"]);
  });

  test("H06: no plug couples before its socket is created", async ({ expect }) => {
    const made = { when: ["created"], template: configMapTemplate("made06") };
    await world.apply(
      world.socket("s06", { serviceAccountName: "nobody06", resources: [made] }),
      world.plug("p06", on("s06")),
    );
    await world.waitFor(world.ref("Socket", "s06"), (found) => conditionOf(found, "Failed") !== undefined);
    const waiting = await world.waitForReason("p06", "SocketNotCreated");
    expect(valueAt(waiting, ["status", "pairing"])).toBe(undefined);
    await world.client.create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "somebody06", namespace: world.prov },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "everything" },
      subjects: [{ kind: "ServiceAccount", name: "nobody06", namespace: world.prov }],
    });
    await world.waitUntilCoupled("p06");
    expect(await world.client.find(world.ref("ConfigMap", "made06", world.prov))).toBeDefined();
    expect(conditionOf(await world.client.find(world.ref("Socket", "s06")), "Failed")).toBe(undefined);
  });

  test("H07: without an interface, a plug couples with any config", async ({ expect }) => {
    const stringTemplate = [
      "apiVersion: v1",
      "kind: ConfigMap",
      "metadata: {name: out07}",
      'data: {keys: "{% keys .plugConfig | sortAlpha | join `,` %}"}',
    ].join("\n");
    await world.apply(
      world.socket("s07", { resources: [{ stringTemplate }] }),
      world.plug("p07", { ...on("s07"), config: { b: "2", a: "1" } }),
    );
    await world.waitUntilCoupled("p07");
    expect(await world.dataOf("out07", world.prov)).toEqual({ keys: "a,b" });
  });

  test("a plug whose stage created fails reports it, and runs created again once it is corrected", async ({
    expect,
  }) => {
    const plug = (name: string) =>
      world.plug("p-created", { ...on("s01"), resources: [{ when: ["created"], template: configMapTemplate(name) }] });
    await world.apply(plug("Not A Name"));
    const failed = await world.waitFor(
      world.ref("Plug", "p-created"),
      (found) => conditionOf(found, "Failed") !== undefined,
    );
    expect(conditionOf(failed, "Coupled")).toMatchObject({ status: "False", reason: "Error" });
    await world.apply(plug("p-created"));
    await world.waitUntilCoupled("p-created");
    expect(await world.dataOf("p-created", world.app)).toEqual({ a: "b" });
  });

  test("a coupling costs few requests", async ({ expect }) => {
    const resources = [{ template: configMapTemplate("frugal") }];
    await world.apply(world.socket("s-frugal", { resources, result: { a: "b" } }));
    await world.waitFor(world.ref("Socket", "s-frugal"), (found) => conditionOf(found, "Coupled") !== undefined);
    const before = world.calls.length;
    await world.apply(world.plug("p-frugal", on("s-frugal")));
    await world.waitUntilCoupled("p-frugal");
    const calls = world.calls.slice(before).filter((call) => call.includes("frugal") && !call.includes("/events"));
    expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(7);
  });
});
