import { describe, expect, test } from "vitest";
import { conditionOf } from "#coupling";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling({ concurrency: 4 });
const tenant = useTenant(world, "wedger");
const prefix = "integration.rock8s.com";
const finalizers = ["example.com/never"];

const withAnnotations = (object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations },
});

const pinned = (name: string) => ({ ...configMapTemplate(name), metadata: { name, finalizers } });

/** Removes the finalizers, as an administrator. */
async function unpin(name: string): Promise<void> {
  const body = { metadata: { finalizers: null } };
  await world.client.patch(tenant.ref("ConfigMap", name), { type: "merge", body });
}

describe("deletion ends", () => {
  test("a plug whose Secret, socket and service account were deleted first can be deleted", async () => {
    const metadata = { name: "inputs", namespace: tenant.namespace };
    await tenant.create({ apiVersion: "v1", kind: "Secret", metadata, stringData: { a: "A" } });
    await tenant.create(world.socket("fleeting", { configSecretName: "inputs" }, tenant.namespace));
    const left = { when: ["decoupled"], template: configMapTemplate("left", { a: "{% .socketConfig.a %}" }) };
    const plug = tenant.plug("orphan", { socket: { name: "fleeting" }, configSecretName: "inputs", resources: [left] });
    await tenant.create(plug);
    await tenant.waitUntilCoupled("orphan");
    await tenant.client.delete(tenant.ref("Secret", "inputs"), {});
    await tenant.remove("Socket", "fleeting");
    await tenant.change("orphan", { serviceAccountName: "gone" });
    await tenant.remove("Plug", "orphan");
    expect(await world.client.find(tenant.ref("Plug", "orphan"))).toBe(undefined);
  });

  test("a plug whose last stage never succeeds is deleted after its own timeout, with an Event", async () => {
    const fails = { when: ["decoupled", "deleted"], template: configMapTemplate("x", { a: '{% fail "never" %}' }) };
    await tenant.create(world.socket("patient", {}, tenant.namespace));
    const plug = tenant.plug("stubborn", { socket: { name: "patient" }, resources: [fails] });
    await tenant.create(withAnnotations(plug, { [`${prefix}/decouple-timeout`]: "1s" }));
    await tenant.waitUntilCoupled("stubborn");
    await tenant.remove("Plug", "stubborn");
    const selection = { apiVersion: "events.k8s.io/v1", kind: "Event", namespace: tenant.namespace };
    const told = async () =>
      (await world.client.list(selection)).items
        .filter(({ reason }) => reason === "DecoupleAbandoned")
        .map(({ note }) => String(note));
    await expect.poll(told).toContainEqual(expect.stringMatching(/given up: .*spec\.resources\[0\]\.template.*never/));
  });

  test("a socket can be deleted although its plug has a timeout of years", async () => {
    const fails = { when: ["decoupled"], template: configMapTemplate("x", { a: '{% fail "never" %}' }) };
    const socket = world.socket("hostage", {});
    await world.apply(withAnnotations(socket, { [`${prefix}/decouple-timeout`]: "1s" }));
    const plug = tenant.plug("captor", { socket: { name: "hostage", namespace: world.prov }, resources: [fails] });
    await tenant.create(withAnnotations(plug, { [`${prefix}/decouple-timeout`]: "100000h" }));
    await tenant.waitUntilCoupled("captor");
    await world.client.delete(world.ref("Socket", "hostage"), {});
    await world.waitUntilDeleted(world.ref("Socket", "hostage"));
    expect(conditionOf(await tenant.client.get(tenant.ref("Plug", "captor")), "Coupled")?.["status"]).toBe("False");
    await tenant.client.patch(tenant.ref("Plug", "captor"), {
      type: "merge",
      body: { metadata: { annotations: { [`${prefix}/force-delete`]: "true" } } },
    });
    await tenant.remove("Plug", "captor");
  });

  test("a plug in a namespace that is being deleted ends although its objects have foreign finalizers", async () => {
    const doomed = await world.namespace("doomed");
    const resources = [{ template: pinned("pinned") }, { when: ["decoupled"], template: configMapTemplate("left") }];
    const ref = { ...tenant.ref("Plug", "pins"), namespace: doomed };
    await world.apply(world.socket("s", {}, doomed), world.plug("pins", { socket: { name: "s" }, resources }, doomed));
    await world.waitFor(ref, (plug) => JSON.stringify(plug?.["status"] ?? {}).includes("CouplingSucceeded"));
    await world.client.delete({ apiVersion: "v1", kind: "Namespace", name: doomed }, {});
    await world.waitUntilDeleted(ref);
    const left = await world.client.get({ ...tenant.ref("ConfigMap", "pinned"), namespace: doomed });
    expect(left.metadata.deletionTimestamp).toBeDefined();
    const body = { metadata: { finalizers: null } };
    await world.client.patch({ ...tenant.ref("ConfigMap", "pinned"), namespace: doomed }, { type: "merge", body });
  });
});

test("objects that cannot be deleted occupy no worker, and the status of the plug says what it waits for", async () => {
  await world.apply(world.socket("busy", {}));
  const socket = { name: "busy", namespace: world.prov };
  const names = Array.from({ length: 4 }, (_, index) => `pinned-${index}`);
  for (const name of names) {
    await tenant.create(tenant.plug(name, { socket, resources: [{ do: "recreate", template: pinned(name) }] }));
  }
  await Promise.all(names.map((name) => tenant.waitUntilCoupled(name)));
  await Promise.all(names.map((name) => tenant.change(name, { epoch: "again" })));
  await world.apply(world.plug("neighbour", { socket }));
  await world.waitUntilCoupled("neighbour");
  expect(await tenant.refusal("pinned-0")).toMatch(/ConfigMap .*pinned-0 still exists .* kept by example\.com\/never/);
  await Promise.all(names.map(unpin));
  for (const name of names) await tenant.change(name, { resources: [] });
  await Promise.all(names.map((name) => tenant.waitUntilCoupled(name)));
});
