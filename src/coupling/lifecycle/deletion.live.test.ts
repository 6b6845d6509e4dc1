import { describe, test } from "vitest";
import { valueAt } from "#base";
import type { KubeObject } from "#kube";
import { configMapTemplate, useCoupling } from "#harness";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const find = (name: string, namespace = world.app) => world.client.find(world.ref("ConfigMap", name, namespace));
const remove = async (name: string) => {
  await world.client.delete(world.ref("Plug", name), {});
  await world.waitUntilDeleted(world.ref("Plug", name));
};

const madeAt = (name: string, more: object) => ({ when: ["coupled"], template: configMapTemplate(name), ...more });

const five = (prefix: string) => [
  madeAt(`${prefix}-a`, {}),
  madeAt(`${prefix}-b`, { retainWhenDecoupled: true }),
  madeAt(`${prefix}-c`, { preserveWhenDecoupled: true }),
  madeAt(`${prefix}-d`, { when: ["coupled", "decoupled"] }),
  madeAt(`${prefix}-e`, { when: ["created"] }),
];

describe.concurrent("deletion", () => {
  test("H47: decoupling removes the objects that coupling made, except retained ones", async ({ expect }) => {
    const letters = ["a", "b", "c", "d", "e"];
    await world.apply(
      world.socket("s47", { resources: five("h47-s") }),
      world.plug("p47", { ...on("s47"), resources: five("h47") }),
    );
    await world.waitUntilCoupled("p47");
    for (const letter of letters) expect(await find(`h47-${letter}`), letter).toBeDefined();
    await remove("p47");
    for (const letter of ["a", "e"]) await world.waitUntilDeleted(world.ref("ConfigMap", `h47-${letter}`, world.app));
    for (const letter of ["b", "c", "d"]) expect(await find(`h47-${letter}`), letter).toBeDefined();
    await world.waitUntilDeleted(world.ref("ConfigMap", "h47-s-a", world.prov));
    for (const letter of ["b", "c", "d", "e"]) expect(await find(`h47-s-${letter}`, world.prov), letter).toBeDefined();
    await world.client.delete(world.ref("Socket", "s47"), {});
    await world.waitUntilDeleted(world.ref("ConfigMap", "h47-s-e", world.prov));
    for (const letter of ["b", "c", "d"]) expect(await find(`h47-s-${letter}`, world.prov), letter).toBeDefined();
  });

  test("a plug and a socket whose created fails say so in Coupled, and their deletion waits for nothing", async ({
    expect,
  }) => {
    // The service account may not create it.
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "refused" } };
    const resources = [{ when: ["created"], template: account }];
    const annotations = { "integration.rock8s.com/decouple-timeout": "24h" };
    const patient = ({ metadata, ...object }: KubeObject) => ({ ...object, metadata: { ...metadata, annotations } });
    await world.apply(
      patient(world.socket("s-refused", { resources })),
      patient(world.plug("p-refused", { ...on("s-refused"), resources })),
      world.plug("p-waits", on("s-refused")),
    );
    const failed = await world.waitForReason("p-refused", "Error");
    expect(conditionOf(failed, "Coupled")?.["message"]).toBe(
      "stage created failed on the plug's side; see the condition Failed",
    );
    expect(conditionOf(failed, "Failed")?.["message"]).toMatch(/^plug spec\.resources\[0\]\.template: /);
    expect(conditionOf(failed, "Stalled")).toMatchObject({ status: "True", reason: "Error" });
    const socket = await world.waitFor(
      world.ref("Socket", "s-refused"),
      (found) => conditionOf(found, "Coupled")?.["reason"] === "Error",
    );
    expect(conditionOf(socket, "Coupled")?.["message"]).toBe("stage created failed; see the condition Failed");
    expect(conditionOf(socket, "Failed")?.["message"]).toMatch(/^socket spec\.resources\[0\]/);
    await world.waitFor(world.ref("Plug", "p-waits"), (plug) =>
      String(conditionOf(plug, "Coupled")?.["message"]).includes("created failed: socket spec.resources[0]"),
    );
    await remove("p-refused");
    await world.client.delete(world.ref("Socket", "s-refused"), {});
    await world.waitUntilDeleted(world.ref("Socket", "s-refused"));
  });

  test("H47: objects made at created stay until deleted, through moves and updates", async ({ expect }) => {
    const resources = [
      { when: ["created"], template: configMapTemplate("h47-live") },
      { when: ["deleted"], template: configMapTemplate("h47-last", { of: "{% .plug.metadata.name %}" }) },
    ];
    const plug = (socket: string) => world.plug("p47-live", { ...on(socket), resources });
    await world.apply(world.socket("s47-x", {}), world.socket("s47-y", {}), plug("s47-x"));
    const { metadata } = { metadata: {}, ...(await world.waitUntilCoupled("p47-live").then(() => find("h47-live"))) };
    await world.apply(plug("s47-y"));
    await world.waitUntilCoupled("p47-live");
    expect(valueAt(await find("h47-live"), ["metadata", "uid"])).toBe(valueAt(metadata, ["uid"]));
    await remove("p47-live");
    await world.waitUntilDeleted(world.ref("ConfigMap", "h47-live", world.app));
    expect(await world.dataOf("h47-last", world.app)).toEqual({ of: "p47-live" });
  });

  test("decoupled renders stored configs as coupled did: a side's own config may add structure to its texts", async ({
    expect,
  }) => {
    const stringTemplate = [
      "apiVersion: v1",
      "kind: ConfigMap",
      "metadata: {name: own-{% .plug.metadata.name %}}",
      "data:",
      "  a: b",
      "{% .socketConfig.more | indent 2 %}",
    ].join("\n");
    const resources = [
      { when: ["coupled"], stringTemplate },
      { when: ["decoupled"], stringTemplate: stringTemplate.replace("own-", "last-") },
    ];
    await world.apply(world.socket("s-own", { config: { more: "c: d\ne: f" }, resources }));
    await world.apply(world.plug("p-own", on("s-own")));
    await world.waitUntilCoupled("p-own");
    const made = { a: "b", c: "d", e: "f" };
    expect(await world.dataOf("own-p-own", world.prov)).toEqual(made);
    await remove("p-own");
    expect(await world.dataOf("last-p-own", world.prov)).toEqual(made);
  });

  test("H48: an object that several plugs made is deleted with the last of them, whether they leave one by one or at once", async ({
    expect,
  }) => {
    const names = ["a", "b", "c", "d", "e"].map((letter) => `p48-${letter}`);
    await world.apply(
      world.socket("s48", { resources: [{ template: configMapTemplate("h48") }] }),
      ...names.map((name) => world.plug(name, on("s48"))),
    );
    for (const name of names) await world.waitUntilCoupled(name);
    const [first = "", ...others] = names;
    await remove(first);
    expect((await find("h48", world.prov))?.metadata.deletionTimestamp).toBe(undefined);
    await Promise.all(others.map(remove));
    await world.waitUntilDeleted(world.ref("ConfigMap", "h48", world.prov));
  });

  test("H66: a deleted plug is decoupled on both sides and then deleted, and the socket counts one plug less", async ({
    expect,
  }) => {
    await world.apply(world.socket("s66", {}), world.plug("p66", on("s66")));
    await world.waitUntilCoupled("p66");
    await remove("p66");
    const plugEvents = ["PlugCreated", "PlugCoupled", "PlugDecoupled", "PlugDeleted"];
    await expect.poll(() => world.events("Plug", "p66")).toEqual(plugEvents);
    await expect
      .poll(() => world.events("Socket", "s66"))
      .toEqual(["SocketCreated", "SocketCoupled", "SocketDecoupled"]);
    const socket = await world.client.get(world.ref("Socket", "s66"));
    expect(socket["status"]).toMatchObject({ coupledPlugsCount: 0 });
  });

  test("X19: a config that no longer satisfies the interface fails the plug, and does not prevent its deletion", async ({
    expect,
  }) => {
    const contract = { interface: { config: { plug: { must: { required: true } } } } };
    await world.apply(world.socket("s19", {}), world.plug("p19", { ...on("s19"), resources: [madeAt("made19", {})] }));
    await world.waitUntilCoupled("p19");
    await world.apply(world.socket("s19", contract));
    await world.waitFor(world.ref("Plug", "p19"), (plug) => conditionOf(plug, "Failed") !== undefined);
    await remove("p19");
    expect(await find("made19")).toBe(undefined);
    expect(await world.events("Plug", "p19")).toEqual(
      expect.arrayContaining(["PlugCoupled", "PlugDecoupled", "PlugDeleted"]),
    );
  });

  test("a plug that never coupled runs only deleted", async ({ expect }) => {
    await world.apply(world.plug("p-alone", on("s-nowhere")));
    await world.waitForReason("p-alone", "SocketNotCreated");
    await remove("p-alone");
    await expect.poll(() => world.events("Plug", "p-alone")).toEqual(["PlugCreated", "PlugDeleted"]);
  });

  const broken = { when: ["decoupled"], template: configMapTemplate("Not {% .plugConfig.a %} A Name") };

  test("a plug whose decoupling fails reports it, and force-delete removes it at once", async ({ expect }) => {
    const plug = world.plug("p-forced", { ...on("s-forced"), config: { a: "b" }, resources: [broken] });
    await world.apply(world.socket("s-forced", {}), plug);
    await world.waitUntilCoupled("p-forced");
    await world.client.delete(world.ref("Plug", "p-forced"), {});
    const failed = await world.waitForReason("p-forced", "Error");
    expect(failed["status"]).toMatchObject({ lastError: { stage: "decoupled", side: "plug" } });
    const annotations = { "integration.rock8s.com/force-delete": "true" };
    await world.client.patch(world.ref("Plug", "p-forced"), { type: "merge", body: { metadata: { annotations } } });
    await world.waitUntilDeleted(world.ref("Plug", "p-forced"));
    await world.waitFor(
      world.ref("Socket", "s-forced"),
      (found) => conditionOf(found, "Coupled")?.["reason"] === "SocketEmpty",
    );
  });

  test("a plug whose decoupling fails is removed after its timeout, and a finished half does not run again", async ({
    expect,
  }) => {
    const object = world.plug("p-patient", { ...on("s-patient"), config: { a: "b" } });
    await world.apply(world.socket("s-patient", { resources: [broken] }), object);
    await world.waitUntilCoupled("p-patient");
    await world.client.delete(world.ref("Plug", "p-patient"), {});
    // Only now: a short timeout could pass before the first try.
    await world.waitForReason("p-patient", "Error");
    const body = { metadata: { annotations: { "integration.rock8s.com/decouple-timeout": "1s" } } };
    await world.client.patch(world.ref("Plug", "p-patient"), { type: "merge", body });
    await expect.poll(() => world.events("Plug", "p-patient")).toContain("DecoupleAbandoned");
    const events = await world.events("Plug", "p-patient");
    expect(events.filter((reason) => reason === "PlugDecoupled").length).toBe(1);
  });

  test("a plug whose finalizer was removed by another user is no longer counted", async ({ expect }) => {
    await world.apply(world.socket("s-taken", { limit: 1 }), world.plug("p-taken", on("s-taken")));
    await world.waitUntilCoupled("p-taken");
    await world.apply(world.plug("p-next", on("s-taken")));
    await world.waitForReason("p-next", "LimitReached");
    const body = { metadata: { finalizers: null } };
    await world.client.patch(world.ref("Plug", "p-taken"), { type: "merge", body });
    await world.client.delete(world.ref("Plug", "p-taken"), {});
    expect(conditionOf(await world.waitUntilCoupled("p-next"), "Coupled")?.["reason"]).toBe("CouplingSucceeded");
  });
});
