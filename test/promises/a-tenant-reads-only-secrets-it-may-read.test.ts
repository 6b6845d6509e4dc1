import { describe, expect, test } from "vitest";
import { configMapTemplate, useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
const tenant = useTenant(world, "reader");
const value = "the-crown-jewels";

const secret = (name: string, namespace: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace },
  stringData: { key: value },
});
const template = configMapTemplate("loot-{% .plug.metadata.name %}", { loot: "{% toJson . %}" });
const readSecret = (more: object) => ({
  name: "loot",
  objref: { version: "v1", kind: "Secret", name: "jewels", ...more },
  fieldref: { fieldPath: "data.key" },
});

/** Checks that no object in the namespace contains the value. */
async function expectNoLoot(): Promise<void> {
  const selection = { apiVersion: "v1", kind: "ConfigMap", namespace: tenant.namespace };
  const { items } = await world.client.list(selection);
  const plugs = await world.client.list({ ...selection, apiVersion: "integration.rock8s.com/v1beta1", kind: "Plug" });
  const outputs = JSON.stringify([items, plugs.items, world.lines]);
  for (const text of [value, Buffer.from(value).toString("base64")]) expect(outputs).not.toContain(text);
}

describe("a Secret of another namespace", () => {
  test("F-09: a Secret of another namespace cannot be reached by any name, and the refusal names the field", async () => {
    await world.apply(secret("jewels", world.prov), world.socket("own", {}, tenant.namespace));
    const plug = (name: string, spec: object) =>
      tenant.plug(name, { socket: { name: "own" }, resources: [{ template }], ...spec });
    const names = [
      `${world.prov}/jewels`,
      `../${world.prov}/secrets/jewels`,
      `../../${world.prov}/secrets/jewels`,
      "..",
    ];
    for (const [index, name] of names.entries()) {
      for (const field of ["configSecretName", "dataSecretName", "resultSecretName"]) {
        const created = tenant.create(plug(`named-${index}`, { [field]: name }));
        await expect(created).rejects.toThrow(`spec.${field}`);
      }
      await tenant.create(plug(`var-${index}`, { vars: [readSecret({ name })] }));
      expect(await tenant.refusal(`var-${index}`)).toMatch(/^plug spec\.vars\[0\]: .*name must not/);
    }
    await tenant.create(
      plug("elsewhere", { vars: [readSecret({ namespace: world.prov })] }),
      plug("templated", { vars: [readSecret({ templateNamespace: `{% "${world.prov}" %}` })] }),
      plug("path", { vars: [readSecret({ apiVersion: `v1/namespaces/${world.prov}`, version: "" })] }),
      plug("late", { resultVars: [readSecret({ namespace: world.prov })] }),
      plug("asked", { configTemplate: { loot: '{% lookup "v1" "Secret" "x" "jewels" %}' } }),
    );
    for (const name of ["elsewhere", "templated", "late"]) {
      const message = await tenant.refusal(name);
      expect(message).toContain(`var objRef namespace ${world.prov} must be ${tenant.namespace}`);
      expect(message).toMatch(/ars\[0\]\.objref.*leave the namespace out/);
    }
    expect(await tenant.refusal("path")).toMatch(/^plug spec\.vars\[0\]: .* correct apiVersion/);
    expect(await tenant.refusal("asked")).toMatch(/configTemplate.*"lookup" not defined/);
    await expectNoLoot();
  });
});

describe("a Secret of the own namespace", () => {
  test("F-09: a Secret of the own namespace is not read for a service account without that right, and the message names the missing right", async () => {
    await world.apply(secret("jewels", tenant.namespace), world.socket("own", {}, tenant.namespace));
    const fields = { configSecretName: "jewels", resultSecretName: "jewels", dataSecretName: "jewels" };
    const specs = [...Object.entries(fields).map(([field, name]) => ({ [field]: name })), { vars: [readSecret({})] }];
    for (const [index, spec] of specs.entries()) {
      await tenant.create(
        tenant.plug(`weak-${index}`, { socket: { name: "own" }, serviceAccountName: "weak", ...spec }),
      );
      const message = await tenant.refusal(`weak-${index}`);
      for (const part of [`system:serviceaccount:${tenant.namespace}:weak`, "get", "secrets"]) {
        expect(message).toContain(part);
      }
    }
    await expectNoLoot();
  });

  test("a socket's Secret is not read for a plug that the socket does not admit", async () => {
    await world.apply(
      secret("jewels-of-socket", world.prov),
      world.socket("closed", { configSecretName: "jewels-of-socket", allowedPlugs: { namespaces: "Same" } }),
    );
    await tenant.create(
      tenant.plug("curious", { socket: { name: "closed", namespace: world.prov }, resources: [{ template }] }),
    );
    expect(await tenant.refusal("curious")).toMatch(/namespace .* is not allowed; .* spec\.allowedPlugs/);
    await expectNoLoot();
    await world.apply(world.plug("neighbour", { socket: { name: "closed", namespace: world.prov } }, world.prov));
    await world.waitFor({ ...world.ref("Plug", "neighbour"), namespace: world.prov }, (plug) =>
      JSON.stringify(plug?.["status"] ?? {}).includes("CouplingSucceeded"),
    );
  });
});
