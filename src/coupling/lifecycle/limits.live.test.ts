import { describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const reasonOf = async (name: string) =>
  conditionOf(await world.client.find(world.ref("Plug", name)), "Coupled")?.["reason"];

const listsOf = (namespaceWhitelist: string[], namespaceBlacklist: string[] = []) => ({
  validation: { namespaceWhitelist, namespaceBlacklist },
});

describe.concurrent("limits", () => {
  test("H71: a socket accepts as many plugs as its limit allows, however many come at once", async ({ expect }) => {
    await world.apply(world.socket("s71", { limit: 2 }));
    const names = Array.from({ length: 10 }, (_, index) => `p71-${index}`);
    await Promise.all(names.map((name) => world.apply(world.plug(name, on("s71")))));
    const counts = async () => {
      const reasons = await Promise.all(names.map(reasonOf));
      return ["CouplingSucceeded", "LimitReached"].map((reason) => reasons.filter((each) => each === reason).length);
    };
    await expect.poll(counts).toEqual([2, 8]);
    const reasons = await Promise.all(names.map(reasonOf));
    const coupled = names.find((_, index) => reasons[index] === "CouplingSucceeded") ?? "";
    await world.client.delete(world.ref("Plug", coupled), {});
    await expect.poll(counts).toEqual([2, 7]);
    await world.apply(world.socket("s71", { limit: 5 }));
    await expect.poll(counts).toEqual([5, 4]);
  });

  test("H71: a free slot of a socket goes to the plug that has waited longest", async ({ expect }) => {
    const names = ["p71-x", "p71-y", "p71-z"];
    await world.apply(world.socket("s71-old", { limit: 1 }), world.plug("p71-first", on("s71-old")));
    await world.waitUntilCoupled("p71-first");
    for (const name of names) {
      await world.apply(world.plug(name, on("s71-old")));
      await world.waitForReason(name, "LimitReached");
    }
    await world.client.delete(world.ref("Plug", "p71-first"), {});
    await world.waitUntilCoupled("p71-x");
    expect(await Promise.all(names.map(reasonOf))).toEqual(["CouplingSucceeded", "LimitReached", "LimitReached"]);
  });

  test("a plug that moves on, or fails before its first change, occupies no place", async ({ expect }) => {
    await world.apply(
      world.socket("s-queue", { limit: 1, interface: { config: { plug: { must: { required: true } } } } }),
      world.socket("s-other", {}),
      world.plug("p-queue-1", { ...on("s-queue"), config: { must: "m" } }),
    );
    await world.waitUntilCoupled("p-queue-1");
    await world.apply(world.plug("p-queue-2", { ...on("s-queue"), config: { must: "m" } }));
    await world.waitForReason("p-queue-2", "LimitReached");
    await world.apply(world.plug("p-queue-2", on("s-other")));
    await world.waitUntilCoupled("p-queue-2");
    await world.client.delete(world.ref("Plug", "p-queue-1"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-queue-1"));
    await world.apply(world.plug("p-queue-3", on("s-queue")));
    await world.waitForReason("p-queue-3", "Error");
    await world.apply(world.plug("p-queue-4", { ...on("s-queue"), config: { must: "m" } }));
    await world.waitUntilCoupled("p-queue-4");
    expect(await reasonOf("p-queue-3")).not.toBe("CouplingSucceeded");
  });

  test("H72: lists of namespaces match whole names, and an invalid expression admits no plug", async ({ expect }) => {
    const [prod, nonprod] = [await world.namespace("prod"), await world.namespace("nonprod")];
    await world.apply(
      world.socket("s72", listsOf([prod])),
      world.socket("s72-black", listsOf([".*"], [world.app])),
      world.socket("s72-none", listsOf(["("])),
      world.plug("p72", on("s72"), prod),
      world.plug("p72", on("s72"), nonprod),
      world.plug("p72-black", on("s72-black")),
      world.plug("p72-none", on("s72-none")),
    );
    const of = (namespace: string) => ({ ...world.ref("Plug", "p72"), namespace });
    await world.waitFor(of(prod), (found) => conditionOf(found, "Coupled")?.["status"] === "True");
    const refused = await world.waitFor(
      of(nonprod),
      (found) => conditionOf(found, "Coupled")?.["reason"] === "NamespaceNotAllowed",
    );
    expect(conditionOf(refused, "Coupled")?.["message"]).toBe(`namespace ${nonprod} is not whitelisted`);
    const black = await world.waitForReason("p72-black", "NamespaceNotAllowed");
    expect(conditionOf(black, "Stalled")).toMatchObject({ status: "True", reason: "NamespaceNotAllowed" });
    expect(conditionOf(black, "Reconciling")).toBeUndefined();
    expect(conditionOf(black, "Coupled")?.["message"]).toBe(`namespace ${world.app} is blacklisted`);
    await world.waitForReason("p72-none", "NamespaceNotAllowed");
    await world.waitFor(world.ref("Socket", "s72-none"), (found) => conditionOf(found, "Failed") !== undefined);

    await world.apply(world.socket("s72-none", listsOf([world.app])));
    await world.waitUntilCoupled("p72-none");
    await world.apply(world.socket("s72-none", listsOf(["nobody"])));
    await expect.poll(() => world.events("Plug", "p72-none")).toContain("NoLongerAdmitted");
    await world.waitUntilCoupled("p72-none");
  });

  const late = { interface: { result: { socket: { token: { required: true } } } } };
  const lastPairing = { when: ["decoupled"], template: configMapTemplate("left-{% .plug.metadata.name %}") };

  test("H72: a plug that was admitted and waits for its result stays when the lists change, and is decoupled when it is deleted", async ({
    expect,
  }) => {
    const socket = (lists: object) => world.socket("s72-late", { ...late, ...lists, resources: [lastPairing] });
    await world.apply(socket({}), world.plug("p72-late", on("s72-late")));
    await world.waitForReason("p72-late", "WaitingForResult");
    await world.apply(socket(listsOf(["(typo"])));
    await expect.poll(() => world.events("Plug", "p72-late")).toContain("NoLongerAdmitted");
    const { status } = await world.waitForReason("p72-late", "WaitingForResult");
    expect(valueAt(status, ["pairing", "done"])).toEqual(["plug", "socket"]);
    await world.client.delete(world.ref("Plug", "p72-late"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p72-late"));
    expect(await world.dataOf("left-p72-late", world.prov)).toEqual({ a: "b" });
    const events = await world.events("Plug", "p72-late");
    expect(events).toContain("PlugDecoupled");
    expect(events).not.toContain("DecoupleAbandoned");
  });

  test("H72: a plug that has made objects stays when the lists change, one that has made none is rejected", async ({
    expect,
  }) => {
    const made = { template: configMapTemplate("made-{% .plug.metadata.name %}") };
    const socket = (name: string, lists: object, resources: object[]) =>
      world.socket(name, { ...late, ...lists, resources });
    await world.apply(socket("s72-plain", {}, [made]), world.plug("p72-plain", on("s72-plain")));
    await world.apply(socket("s72-bare", {}, []), world.plug("p72-bare", on("s72-bare")));
    for (const name of ["p72-plain", "p72-bare"]) await world.waitForReason(name, "WaitingForResult");
    await world.apply(socket("s72-plain", listsOf(["(typo"]), [made]), socket("s72-bare", listsOf(["(typo"]), []));
    await world.waitForReason("p72-bare", "NamespaceNotAllowed");
    await expect.poll(() => world.events("Plug", "p72-plain")).toContain("NoLongerAdmitted");
    await world.waitForReason("p72-plain", "WaitingForResult");
    expect(await world.dataOf("made-p72-plain", world.prov)).toBeDefined();
    expect(await world.events("Plug", "p72-plain")).not.toContain("DecoupleAbandoned");
  });

  test("H71: a plug that is being deleted takes no slot, however long its decoupling fails", async ({ expect }) => {
    const broken = { when: ["decoupled"], template: configMapTemplate("Not {% .plugConfig.a %} A Name") };
    await world.apply(
      world.socket("s71-gone", { limit: 1 }),
      world.plug("p71-gone", { ...on("s71-gone"), config: { a: "b" }, resources: [broken] }),
    );
    await world.waitUntilCoupled("p71-gone");
    await world.apply(world.plug("p71-next", on("s71-gone")));
    await world.waitForReason("p71-next", "LimitReached");
    await world.client.delete(world.ref("Plug", "p71-gone"), {});
    await world.waitUntilCoupled("p71-next");
    await world.waitForReason("p71-gone", "Error");
    expect(await world.events("Plug", "p71-next")).not.toContain("NoLongerAdmitted");
    const annotations = { "integration.rock8s.com/force-delete": "true" };
    await world.client.patch(world.ref("Plug", "p71-gone"), { type: "merge", body: { metadata: { annotations } } });
    await world.waitUntilDeleted(world.ref("Plug", "p71-gone"));
    await world.waitUntilCoupled("p71-next");
  });

  test("a label of the namespace admits a plug, also when it is added later", async ({ expect }) => {
    const namespace = await world.namespace("labelled");
    const allowedPlugs = { namespaces: "Selector", selector: { matchLabels: { databases: "yes" } } };
    await world.apply(world.socket("s-label", { allowedPlugs }), world.plug("p-label", on("s-label"), namespace));
    const ref = { ...world.ref("Plug", "p-label"), namespace };
    await world.waitFor(ref, (found) => conditionOf(found, "Coupled")?.["reason"] === "NamespaceNotAllowed");
    const body = { metadata: { labels: { databases: "yes" } } };
    await world.client.patch({ apiVersion: "v1", kind: "Namespace", name: namespace }, { type: "merge", body });
    const plug = await world.waitFor(ref, (found) => conditionOf(found, "Coupled")?.["status"] === "True");
    expect(conditionOf(plug, "Failed")).toBe(undefined);
  });
});
