import { describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject, ObjectRef } from "#kube";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const configMap = (name: string, namespace = world.app) => world.ref("ConfigMap", name, namespace);
const repaired = (name: string, data?: Readonly<Record<string, string>>) => ({
  repair: true,
  template: configMapTemplate(name, data),
});
const dataIs = (data: object) => (found: KubeObject | undefined) =>
  JSON.stringify(found?.["data"]) === JSON.stringify(data) && found?.metadata.deletionTimestamp === undefined;

/** Deletes it, and waits for another one of the name. */
async function deleteAndAwait(ref: ObjectRef, data: object): Promise<void> {
  const { uid } = (await world.client.get(ref)).metadata;
  await world.client.delete(ref, {});
  await world.waitFor(ref, (found) => found?.metadata.uid !== uid && dataIs(data)(found));
}

async function changeAndAwait(ref: ObjectRef, data: object): Promise<void> {
  await world.client.patch(ref, { type: "merge", body: { data: { a: "other", more: "1" } }, fieldManager: "someone" });
  await world.waitFor(ref, dataIs({ ...data, more: "1" }));
  await world.client.patch(ref, { type: "merge", body: { data: { more: null } } });
}

describe.concurrent("repairs", () => {
  test("an object with repair comes back when others delete or change it, and no stage runs for it", async ({
    expect,
  }) => {
    await world.apply(
      world.socket("s-repair", {
        result: { url: "u" },
        resources: [repaired("of-socket"), { when: ["created"], ...repaired("of-created-socket") }],
        resultResources: [repaired("of-result", { a: "{% .socketResult.url %}" })],
      }),
      world.plug("p-repair", {
        ...on("s-repair"),
        config: { a: "1" },
        resources: [
          repaired("of-plug", { a: "{% .plugConfig.a %}" }),
          { when: ["created"], ...repaired("of-created-plug") },
        ],
      }),
    );
    await world.waitUntilCoupled("p-repair");
    const objects: [ObjectRef, object][] = [
      [configMap("of-plug"), { a: "1" }],
      [configMap("of-created-plug"), { a: "b" }],
      [configMap("of-socket", world.prov), { a: "b" }],
      [configMap("of-created-socket", world.prov), { a: "b" }],
      [configMap("of-result", world.prov), { a: "u" }],
    ];
    for (const [ref, data] of objects) {
      await deleteAndAwait(ref, data);
      await changeAndAwait(ref, data);
    }
    expect((await world.events("Plug", "p-repair")).filter((reason) => reason !== "ResourceRepaired")).toEqual([
      "PlugCreated",
      "PlugCoupled",
    ]);
    const plug = await world.waitUntilCoupled("p-repair");
    expect(conditionOf(plug, "Ready")?.["status"]).toBe("True");
    await world.client.delete(world.ref("Plug", "p-repair"), {});
    for (const [ref] of objects.filter(([{ name }]) => name !== "of-created-socket")) {
      await world.waitUntilDeleted(ref);
    }
    await world.client.delete(world.ref("Socket", "s-repair"), {});
    await world.waitUntilDeleted(configMap("of-created-socket", world.prov));
  });

  test("an object of created comes back while its plug waits for a socket", async ({ expect }) => {
    const resources = [{ when: ["created"], ...repaired("of-waiting") }];
    await world.apply(world.plug("p-waiting", { ...on("s-never"), resources }));
    await world.waitForReason("p-waiting", "SocketNotCreated");
    await deleteAndAwait(configMap("of-waiting"), { a: "b" });
    expect(conditionOf(await world.client.get(world.ref("Plug", "p-waiting")), "Failed")).toBe(undefined);
  });

  test("an object without repair stays deleted", async ({ expect }) => {
    const resources = [{ template: configMapTemplate("not-repaired") }, repaired("is-repaired")];
    await world.apply(world.socket("s-not", {}), world.plug("p-not", { ...on("s-not"), resources }));
    await world.waitUntilCoupled("p-not");
    await world.client.delete(configMap("not-repaired"), {});
    await deleteAndAwait(configMap("is-repaired"), { a: "b" });
    expect(await world.client.find(configMap("not-repaired"))).toBe(undefined);
  });

  test("an object that is neither a Secret nor a ConfigMap comes back as well", async ({ expect }) => {
    const template = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "repaired-service" },
      spec: { selector: { app: "a" }, ports: [{ name: "http", port: 80 }] },
    };
    await world.apply(
      world.socket("s-service", {}),
      world.plug("p-service", { ...on("s-service"), resources: [{ repair: true, template }] }),
    );
    await world.waitUntilCoupled("p-service");
    const ref = { apiVersion: "v1", kind: "Service", namespace: world.app, name: "repaired-service" };
    await world.client.patch(ref, { type: "merge", body: { spec: { selector: { app: "b" } } } });
    await world.waitFor(ref, (found) => valueAt(found, ["spec", "selector", "app"]) === "a");
    const { uid } = (await world.client.get(ref)).metadata;
    await world.client.delete(ref, {});
    const again = await world.waitFor(ref, (found) => found !== undefined && found.metadata.uid !== uid);
    expect(valueAt(again, ["spec", "selector"])).toEqual({ app: "a" });
  });

  test("an object whose template differs each time is put back when it is deleted, and otherwise left alone", async ({
    expect,
  }) => {
    const resources = [repaired("random", { a: "{% randAlphaNum 8 %}" }), repaired("steady")];
    await world.apply(world.socket("s-random", {}), world.plug("p-random", { ...on("s-random"), resources }));
    await world.waitUntilCoupled("p-random");
    const { resourceVersion } = (await world.client.get(configMap("random"))).metadata;
    await deleteAndAwait(configMap("steady"), { a: "b" });
    expect((await world.client.get(configMap("random"))).metadata.resourceVersion).toBe(resourceVersion);
    await world.client.delete(configMap("random"), {});
    await world.waitFor(configMap("random"), (found) => found !== undefined);
  });

  test("a plug whose account may no longer write an object says so, and repairs it once it may", async ({ expect }) => {
    const name = "limited";
    const [namespace, rbac] = [world.app, "rbac.authorization.k8s.io"];
    const role = (verbs: readonly string[]): KubeObject => ({
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { name, namespace },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
    });
    await world.apply(
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
      role(["get", "create", "patch"]),
      {
        apiVersion: `${rbac}/v1`,
        kind: "RoleBinding",
        metadata: { name, namespace },
        roleRef: { apiGroup: rbac, kind: "Role", name },
        subjects: [{ kind: "ServiceAccount", name, namespace }],
      },
      world.socket("s-limited", {}),
      world.plug("p-limited", { ...on("s-limited"), serviceAccountName: name, resources: [repaired("limited")] }),
    );
    await world.waitUntilCoupled("p-limited");
    await world.apply(role(["get"]));
    const acting = world.client.impersonate({ user: `system:serviceaccount:${namespace}:${name}` });
    await expect
      .poll(
        () =>
          acting
            .apply(
              { ...configMapTemplate("probe"), metadata: { name: "probe", namespace } },
              { fieldManager: "probe", dryRun: true },
            )
            .then(
              () => "allowed",
              () => "refused",
            ),
        { timeout: 300_000 },
      )
      .toBe("refused");
    await world.client.delete(configMap("limited"), {});
    const failed = await world.waitFor(
      world.ref("Plug", "p-limited"),
      (found) => conditionOf(found, "Stalled")?.["status"] === "True",
    );
    expect(conditionOf(failed, "Failed")?.["message"]).toMatch(/spec\.resources\[0\]\.template: .*configmaps.*Role/s);
    expect(valueAt(failed, ["status", "lastError", "stage"])).toBe("repair");
    await world.apply(role(["get", "create", "patch"]));
    await world.waitFor(configMap("limited"), (found) => found !== undefined);
    await world.waitUntilCoupled("p-limited");
  });

  test("repairs back off against another controller that changes the object each time, and the plug says so", async ({
    expect,
  }) => {
    await world.apply(
      world.socket("s-fight", {}),
      world.plug("p-fight", { ...on("s-fight"), resources: [repaired("fought-over")] }),
    );
    await world.waitUntilCoupled("p-fight");
    const ref = configMap("fought-over");
    const ending = new AbortController();
    const fighting = (async () => {
      const selection = { apiVersion: "v1", kind: "ConfigMap", namespace: world.app };
      const options = { fieldManager: "rival", type: "merge", body: { data: { a: "rival" } } } as const;
      await world.client.patch(ref, options);
      for await (const event of world.client.watch(selection, {}, ending.signal)) {
        if (event.type === "BOOKMARK" || event.object.metadata.name !== ref.name) continue;
        if (valueAt(event.object, ["data", "a"]) === "b") await world.client.patch(ref, options);
      }
    })().catch((error: unknown) => {
      if (!ending.signal.aborted) throw error;
    });
    const looping = await world.waitFor(
      world.ref("Plug", "p-fight"),
      (found) => conditionOf(found, "RepairLoop")?.["status"] === "True",
    );
    expect(conditionOf(looping, "RepairLoop")?.["message"]).toMatch(
      /^others keep changing ConfigMap .*\/fought-over \(spec\.resources\[0\]\.template of the plug\)/,
    );
    expect(conditionOf(looping, "Coupled")?.["status"]).toBe("True");
    await expect.poll(() => world.events("Plug", "p-fight"), { timeout: 300_000 }).toContain("RepairLoop");
    ending.abort();
    await fighting;
  });
});

test("a restart reads the objects with repair, and writes none that is right", async ({ expect }) => {
  await world.apply(
    world.socket("s-quiet", {}),
    world.plug("p-quiet", { ...on("s-quiet"), resources: [repaired("quiet")] }),
  );
  await world.waitUntilCoupled("p-quiet");
  await deleteAndAwait(configMap("quiet"), { a: "b" });
  world.calls.length = 0;
  await world.restart();
  const about = (method: string) =>
    world.calls.filter((call) => call.startsWith(method) && call.endsWith("/configmaps/quiet"));
  await expect.poll(() => about("GET").length, { timeout: 300_000 }).toBeGreaterThan(0);
  await world.settle();
  expect(about("PATCH")).toEqual([]);
});
