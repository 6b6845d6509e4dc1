import { expect, test } from "vitest";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
const tenant = useTenant(world, "claimant");
const owner = "integration.rock8s.com/owner";

const get = (name: string, namespace = tenant.namespace) => world.client.get(world.ref("ConfigMap", name, namespace));
const configMap = (name: string, metadata: object, data: Readonly<Record<string, string>>): KubeObject => ({
  ...configMapTemplate(name, data),
  metadata: { name, namespace: tenant.namespace, ...metadata },
});

const resources = (name: string, data: Readonly<Record<string, string>>, action = "apply") => [
  { do: action, template: configMapTemplate(name, data) },
];

test("an object that another plug or a socket made is refused, and its owner is named", async () => {
  const created = { template: configMapTemplate("of-socket", { by: "socket" }), when: ["created"] };
  await world.apply(world.socket("s", { resources: [created] }, tenant.namespace));
  const plug = (name: string, made: string, action: string) =>
    tenant.plug(name, {
      socket: { name: "s" },
      resources: [{ do: action, template: configMapTemplate(made, { by: name }) }],
    });
  await tenant.create(plug("first", "of-first", "apply"));
  await tenant.waitUntilCoupled("first");
  const rivals = ["apply", "recreate"].flatMap((action) =>
    ["of-first", "of-socket"].map((made) => ({ name: `${action}s-${made}`, made, action })),
  );
  for (const { name, made, action } of rivals) {
    await tenant.create(plug(name, made, action));
    const message = await tenant.refusal(name);
    const whose = made === "of-first" ? "Plug" : "Socket";
    expect(message).toMatch(/^plug spec\.resources\[0\]\.template: ConfigMap .* already exists/);
    expect(message).toContain(`${whose}/${tenant.namespace}/`);
    expect(message).toContain("give the object another name");
  }
  await world.restart();
  for (const { name } of rivals) await tenant.remove("Plug", name);
  await tenant.create(plug("late", "of-socket", "apply"));
  expect(await tenant.refusal("late")).toContain(`Socket/${tenant.namespace}/s`);
  expect(await get("of-first")).toMatchObject({ data: { by: "first" } });
  expect(await get("of-socket")).toMatchObject({ data: { by: "socket" } });
  await tenant.waitUntilCoupled("first");
});

test("an object of Helm, kubectl or the manager keeps its owner and fields, and stays when the plug is deleted", async () => {
  const marks = { labels: { "app.kubernetes.io/managed-by": "Helm" }, annotations: { "tenon.dev/integration": "x" } };
  await world.apply(
    configMap("of-helm", marks, { theirs: "yes" }),
    configMap("contested", marks, { theirs: "yes" }),
    world.socket("beside", {}, tenant.namespace),
  );
  await tenant.create(
    tenant.plug("adds", { socket: { name: "beside" }, resources: resources("of-helm", { ours: "yes" }) }),
    tenant.plug("takes", { socket: { name: "beside" }, resources: resources("contested", { theirs: "no" }) }),
    tenant.plug("replaces", {
      socket: { name: "beside" },
      resources: resources("contested", { theirs: "no" }, "recreate"),
    }),
  );
  await tenant.waitUntilCoupled("adds");
  expect(await tenant.refusal("takes")).toMatch(/spec\.resources\[0\]\.template: .*contested.*test/);
  expect(await tenant.refusal("replaces")).toMatch(/already exists and was not created by this Plug.*another name/);
  for (const name of ["adds", "takes", "replaces"]) await tenant.remove("Plug", name);
  for (const name of ["of-helm", "contested"]) {
    const { metadata, ...object } = await get(name);
    expect(object).toMatchObject({ data: { theirs: "yes" } });
    expect(metadata).toMatchObject(marks);
    expect(metadata.ownerReferences).toBe(undefined);
    expect(metadata.annotations?.[owner]).toBe(undefined);
  }
});

test("a foreign object with our labels is not deleted by a plug", async () => {
  await world.apply(world.socket("watches", {}, tenant.namespace));
  await tenant.create(
    tenant.plug("labelled", { socket: { name: "watches" }, resources: [{ template: configMapTemplate("own") }] }),
  );
  const { metadata } = await tenant.waitUntilCoupled("labelled");
  const labels = {
    "app.kubernetes.io/managed-by": "integration-operator",
    "integration.rock8s.com/plug-uid": metadata.uid ?? "",
    "integration.rock8s.com/side": "plug",
  };
  const annotations = { [owner]: `Plug/${tenant.namespace}/labelled` };
  await world.apply(configMap("bystander", { labels, annotations }, { theirs: "yes" }));
  await tenant.change("labelled", { resources: [{ template: configMapTemplate("other") }] });
  await tenant.waitUntilCoupled("labelled");
  await world.waitUntilDeleted(tenant.ref("ConfigMap", "own"));
  await tenant.remove("Plug", "labelled");
  expect(await get("bystander")).toMatchObject({ data: { theirs: "yes" } });
});
