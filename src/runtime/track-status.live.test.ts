import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { InputError, Secret } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess, type Patch, refOf } from "#kube";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
import { done, isTerminal } from "./result.ts";
import { trackStatus } from "./track-status.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
afterAll(() => transport[Symbol.asyncDispose]());
const client = createClient(transport);

const group = `${namespace}.tenon.dev`;
const kind = { apiVersion: `${group}/v1`, kind: "Plug" };
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `plugs.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "plugs", singular: "plug", kind: "Plug" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
      },
    ],
  },
};
beforeAll(async () => {
  await createClient(transport).create(definition);
  // A new client each time: one remembers for a while that a kind is not there.
  const served = () => createClient(transport).list({ ...kind, namespace });
  await vi.waitFor(served, { timeout: 300_000, interval: 100 });
});
afterAll(() => client.delete(refOf(definition)));

const Conditions = z.object({
  conditions: z.array(
    z.object({ type: z.string(), status: z.string(), message: z.string(), lastTransitionTime: z.string() }),
  ),
});

const clock = new FakeClock();
const early = "2026-01-01T00:00:00Z";

/** Counts what is sent, and lets another writer change the object first. */
function counting(beforePatch: () => Promise<unknown> = async () => {}) {
  const patches: Patch[] = [];
  const counted: Pick<KubeClient, "find" | "patch"> = {
    find: (ref, signal) => client.find(ref, signal),
    async patch(ref, patch, signal) {
      await beforePatch();
      patches.push(patch);
      return await client.patch(ref, patch, signal);
    },
  };
  return { patches, client: counted };
}

async function makePlug(name: string): Promise<KubeObject> {
  return await client.create({ ...kind, metadata: { namespace, name }, spec: { size: 1 } });
}

async function read(object: KubeObject): Promise<KubeObject> {
  return await client.get(refOf(object));
}

describe("trackStatus", () => {
  it("writes once, at the end, and then has nothing more to write", async () => {
    const plug = await makePlug("once");
    const { patches, client: counted } = counting();
    {
      await using status = trackStatus(plug, counted, { clock });
      status.set({ coupled: "socket", other: { a: 1, b: 2 } });
      expect(status.ready("coupled")).toBe(done);
      expect(patches).toEqual([]);
    }
    expect(patches).toHaveLength(1);
    const written = await read(plug);
    expect(written.status).toEqual({
      observedGeneration: 1,
      coupled: "socket",
      other: { a: 1, b: 2 },
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Succeeded",
          message: "coupled",
          lastTransitionTime: early,
          observedGeneration: 1,
        },
      ],
    });
    {
      await using status = trackStatus(written, counted, { clock });
      status.set({ other: { b: 2, a: 1 }, coupled: "socket" });
      status.ready("coupled");
    }
    expect(patches).toHaveLength(1);
    expect((await read(plug)).metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  });

  it("writes nothing when nothing was set", async () => {
    const { patches, client: counted } = counting();
    await trackStatus(await makePlug("silent"), counted, { clock })[Symbol.asyncDispose]();
    expect(patches).toEqual([]);
  });

  it("also writes what was set before the reconcile failed", async () => {
    const plug = await makePlug("thrown");
    const reconcile = async () => {
      await using status = trackStatus(plug, client, { clock });
      throw status.failed("ApplyFailed", new Error("the server is busy"));
    };
    await expect(reconcile()).rejects.toThrow("the server is busy");
    expect(await read(plug)).toMatchObject({
      status: {
        conditions: [
          { type: "Ready", status: "False", reason: "ApplyFailed", message: "the server is busy" },
          {
            type: "Reconciling",
            status: "True",
            reason: "Retrying",
            message: "Tenon retries, because: the server is busy",
          },
        ],
      },
    });
  });

  it("goes from waiting to stalled to ready with the conditions of kstatus, and keeps the transition time of unchanged ones", async () => {
    const ticking = new FakeClock();
    let plug = await makePlug("journey");
    const step = async (say: (status: ReturnType<typeof trackStatus>) => unknown) => {
      const status = trackStatus(plug, client, { clock: ticking });
      say(status);
      await status.write();
      plug = await read(plug);
      await ticking.advance(60_000);
      return Conditions.parse(plug.status).conditions.map(
        ({ type, status: is, lastTransitionTime }) => `${type}=${is} ${lastTransitionTime.slice(14, 16)}`,
      );
    };
    expect(await step((status) => status.waiting("SocketNotFound", "no socket yet"))).toEqual([
      "Ready=False 00",
      "Reconciling=True 00",
    ]);
    expect(await step((status) => status.waiting("SocketNotReady", "not ready yet"))).toEqual([
      "Ready=False 00",
      "Reconciling=True 00",
    ]);
    const mistake = new InputError("no such field", { where: "spec.x", next: "remove it" });
    expect(await step((status) => status.failed("BadSpec", mistake))).toEqual(["Ready=False 00", "Stalled=True 02"]);
    expect(await step((status) => status.ready())).toEqual(["Ready=True 03"]);
    expect(await step((status) => status.failed("Odd", new Error("odd")))).toEqual([
      "Ready=False 04",
      "Reconciling=True 04",
    ]);
  });

  it("returns errors that say whether to retry", async () => {
    const status = trackStatus(await makePlug("errors"), client, { clock });
    const mistake = new InputError("no such field");
    expect(status.failed("Bad", mistake)).toBe(mistake);
    expect(isTerminal(status.failed("Odd", new Error("odd")))).toBe(false);
    expect(isTerminal(status.stalled("Odd", new Error("odd")))).toBe(true);
    expect(status.failed("Odd", "a string").message).toBe("a string");
  });

  it("keeps fields and conditions of other writers, and removes its own on request", async () => {
    const plug = await makePlug("others");
    const theirs = { type: "Theirs", status: "True", reason: "X", message: "x", lastTransitionTime: early, extra: 1 };
    const before = await client.patch(refOf(plug), {
      type: "merge",
      subresource: "status",
      body: { status: { theirs: { a: 1 }, mine: { a: 1, b: 2 }, gone: true, conditions: [theirs] } },
    });
    const status = trackStatus(before, client, { clock });
    status.set({ mine: { b: 2 }, gone: undefined });
    status.setCondition({ type: "Extra", status: "Unknown", reason: "Why", message: "" });
    await status.write();
    expect((await read(plug)).status).toEqual({
      observedGeneration: 1,
      theirs: { a: 1 },
      mine: { b: 2 },
      conditions: [theirs, expect.objectContaining({ type: "Extra", status: "Unknown" })],
    });
    status.removeCondition("Extra");
    await status.write();
    expect((await read(plug)).status).toMatchObject({ conditions: [theirs] });
  });

  it("sets observedGeneration to the generation that the reconcile has read", async () => {
    const plug = await makePlug("generation");
    const { patches, client: counted } = counting(async () => {
      if (patches.length === 0) await client.patch(refOf(plug), { type: "merge", body: { spec: { size: 2 } } });
    });
    const status = trackStatus(plug, counted, { clock });
    status.ready();
    await status.write();
    expect(patches, "one refused, one taken").toHaveLength(2);
    expect(await read(plug)).toMatchObject({ metadata: { generation: 2 }, status: { observedGeneration: 1 } });
  });

  it("on a conflict applies the same changes to the newer object", async () => {
    const plug = await makePlug("conflict");
    const { patches, client: counted } = counting(async () => {
      if (patches.length > 1) return;
      const body = { status: { [`round${patches.length}`]: true } };
      await client.patch(refOf(plug), { type: "merge", subresource: "status", body });
    });
    const status = trackStatus(plug, counted, { clock });
    status.set({ mine: true });
    await status.write();
    expect(patches).toHaveLength(3);
    expect((await read(plug)).status).toEqual({ observedGeneration: 1, mine: true, round0: true, round1: true });
  });

  it("gives up when every attempt meets a conflict", async () => {
    const plug = await makePlug("hopeless");
    const { patches, client: counted } = counting(async () => {
      const body = { metadata: { annotations: { at: `${patches.length}` } } };
      await client.patch(refOf(plug), { type: "merge", body });
    });
    const status = trackStatus(plug, counted, { clock });
    status.ready();
    await expect(status.write()).rejects.toMatchObject({ isConflict: true });
    expect(patches).toHaveLength(5);
  });

  it("does not overwrite the status of a newer generation", async () => {
    const plug = await makePlug("late");
    const newer = await client.patch(refOf(plug), { type: "merge", body: { spec: { size: 2 } } });
    await using fresh = trackStatus(newer, client, { clock });
    fresh.ready("of the new");
    await fresh.write();
    const late = trackStatus(plug, client, { clock });
    late.ready("of the old");
    await late.write();
    expect(await read(plug)).toMatchObject({
      status: { observedGeneration: 2, conditions: [{ message: "of the new" }] },
    });
    expect(late.isWithheld).toBe(true);
    expect(fresh.isWithheld).toBe(false);
  });

  it("overwrites a status of a generation that never existed, as a restored backup has it", async () => {
    const plug = await makePlug("restored");
    const body = { status: { observedGeneration: 7 } };
    const restored = await client.patch(refOf(plug), { type: "merge", subresource: "status", body });
    const status = trackStatus(restored, client, { clock });
    status.set({ mine: true });
    await status.write();
    expect(await read(plug)).toMatchObject({ status: { observedGeneration: 1, mine: true } });
  });

  it("writes nothing when mayWrite says no", async () => {
    const { patches, client: counted } = counting();
    const status = trackStatus(await makePlug("deposed"), counted, { clock, mayWrite: () => false });
    status.ready();
    await status.write();
    expect(patches).toEqual([]);
    expect(status).toMatchObject({ isGone: false, isWithheld: true });
  });

  it.each([
    { reason: "that has vanished", next: async () => {} },
    { reason: "that was created again under its name", next: () => makePlug("gone-again") },
  ])("is quiet about an object $reason", async ({ next }) => {
    const plug = await makePlug("gone-again");
    await client.delete(refOf(plug));
    await next();
    const status = trackStatus(plug, client, { clock });
    status.ready();
    await status.write();
    expect(status.isGone).toBe(true);
    expect((await client.find(refOf(plug)))?.status).toBeUndefined();
    await client.delete(refOf(plug));
  });

  it("masks secrets and cuts messages at the server's limit", async () => {
    const secret = new Secret("correct-horse-battery");
    const plug = await makePlug("long");
    const status = trackStatus(plug, client, { clock });
    status.waiting("Odd", `${secret.reveal()} ${"é".repeat(40_000)}`);
    await status.write();
    const { conditions } = Conditions.parse((await read(plug)).status);
    expect(conditions[0]?.message).toMatch(/^\*\*\* é+\.\.\.$/);
    expect(Buffer.byteLength(conditions[0]?.message ?? "")).toBeLessThanOrEqual(32_768);
  });
});

describe("finalizers", () => {
  const ours = "tenon.dev/ours";

  it("are added once and removed once, and those of other writers stay", async () => {
    const plug = await makePlug("finalized");
    const { patches, client: counted } = counting();
    const theirs = await client.patch(refOf(plug), {
      type: "merge",
      body: { metadata: { finalizers: ["x.y/theirs"] } },
    });
    const added = await addFinalizer(theirs, ours, counted);
    if (!added) throw new Error("it is there");
    expect(added.metadata.finalizers).toEqual(["x.y/theirs", ours]);
    expect(hasFinalizer(added, ours)).toBe(true);
    expect(await addFinalizer(added, ours, counted)).toBe(added);
    expect(patches).toHaveLength(1);
    await removeFinalizer(added, ours, counted);
    await removeFinalizer(await read(plug), ours, counted);
    expect(patches).toHaveLength(2);
    expect((await read(plug)).metadata.finalizers).toEqual(["x.y/theirs"]);
    await removeFinalizer(await read(plug), "x.y/theirs", client);
  });

  it("lose no concurrent change of another writer", async () => {
    const plug = await makePlug("contested");
    const { patches, client: counted } = counting(async () => {
      if (patches.length > 0) return;
      await client.patch(refOf(plug), { type: "merge", body: { metadata: { finalizers: ["x.y/theirs"] } } });
    });
    await addFinalizer(plug, ours, counted);
    expect((await read(plug)).metadata.finalizers).toEqual(["x.y/theirs", ours]);
    const { patches: removals, client: removing } = counting(async () => {
      if (removals.length > 0) return;
      const finalizers = ["x.y/more", "x.y/theirs", ours];
      await client.patch(refOf(plug), { type: "merge", body: { metadata: { finalizers } } });
    });
    await removeFinalizer(await read(plug), ours, removing);
    expect((await read(plug)).metadata.finalizers).toEqual(["x.y/more", "x.y/theirs"]);
    await client.patch(refOf(plug), { type: "merge", body: { metadata: { finalizers: [] } } });
  });

  it("are not added to an object that is being deleted, which is gone when the last one is removed", async () => {
    const plug = await addFinalizer(await makePlug("leaving"), ours, client);
    if (!plug) throw new Error("it is there");
    await client.delete(refOf(plug));
    const leaving = await read(plug);
    expect(await addFinalizer(leaving, "tenon.dev/late", client)).toBe(leaving);
    await removeFinalizer(plug, ours, client);
    expect(await client.find(refOf(plug))).toBeUndefined();
    await removeFinalizer(plug, ours, client);
    expect(await addFinalizer(await makeGone("other"), ours, client)).toBeUndefined();
  });
});

async function makeGone(name: string): Promise<KubeObject> {
  const plug = await makePlug(name);
  await client.delete(refOf(plug));
  return plug;
}
