import { expect, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
const tenant = useTenant(world, "forger");
const encode = (text: string) => Buffer.from(text).toString("base64");

const drop = {
  when: ["decoupled"],
  template: configMapTemplate("dropped-{% .plug.metadata.name %}", { database: "{% .plugConfig.database %}" }),
};
const interfaceOf = { config: { plug: { database: { required: true, pattern: "[a-z]{1,8}" } } } };

async function stateOf(plug: string) {
  const found = await world.client.get(tenant.ref("Secret", `${plug}-integration`));
  const [state, seal] = ["state", "seal"].map((key) => valueAt(found, ["data", key]));
  return { state, seal };
}

async function overwrite(plug: string, data: object): Promise<void> {
  await tenant.client.patch(tenant.ref("Secret", `${plug}-integration`), { type: "merge", body: { data } });
}

test("what decoupling runs never sees a value that the interface would have refused", async () => {
  await world.apply(
    world.socket("strict", { interface: interfaceOf, resources: [drop] }),
    world.socket("lax", { resources: [drop] }),
  );
  const plug = (name: string, socket: string, database: string) =>
    tenant.plug(name, { socket: { name: socket, namespace: world.prov }, config: { database } });
  await tenant.create(
    plug("honest", "strict", "shop"),
    plug("rewrites", "strict", "shop"),
    plug("replays", "strict", "shop"),
    plug("lender", "lax", "others; --"),
  );
  for (const name of ["honest", "rewrites", "replays", "lender"]) await tenant.untilCoupled(name);
  const { seal } = await stateOf("rewrites");
  await overwrite("rewrites", { state: encode(JSON.stringify({ config: [["database", "others; --", false]] })), seal });
  await overwrite("replays", await stateOf("lender"));
  for (const name of ["honest", "rewrites", "replays"]) await tenant.remove("Plug", name);
  expect(await world.dataOf("dropped-honest", world.prov)).toEqual({ database: "shop" });
  expect(await world.dataOf("dropped-rewrites", world.prov)).toEqual({ database: "" });
  expect(await world.dataOf("dropped-replays", world.prov)).toEqual({ database: "" });
});

test("a Secret that waits under the name of the memory is left alone, and the plug says what to do", async () => {
  await world.apply(world.socket("waits", { resources: [drop] }));
  const metadata = { name: "early-integration", namespace: tenant.namespace };
  const type = "integration.rock8s.com/state";
  const data = { theirs: encode("kept") };
  await tenant.create({ apiVersion: "v1", kind: "Secret", metadata, type, data });
  await tenant.create(
    tenant.plug("early", { socket: { name: "waits", namespace: world.prov }, config: { database: "shop" } }),
  );
  expect(await tenant.refusal("early")).toMatch(
    /Secret .*early-integration is there already and not of this plug.*rename/,
  );
  const { metadata: left, ...kept } = await world.client.get(tenant.ref("Secret", "early-integration"));
  expect({ labels: left.labels, data: kept["data"] }).toEqual({ labels: undefined, data });
  await tenant.client.delete(tenant.ref("Secret", "early-integration"), {});
  await tenant.untilCoupled("early");
  await tenant.remove("Plug", "early");
  expect(await world.dataOf("dropped-early", world.prov)).toEqual({ database: "shop" });
});
