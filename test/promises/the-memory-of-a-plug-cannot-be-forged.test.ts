import { expect, test } from "vitest";
import { valueAt } from "#base";
import { conditionOf } from "#coupling";
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

test("decoupling never uses a value that the interface would have refused", async () => {
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
    plug("deletes", "strict", "shop"),
    plug("lender", "lax", "others; --"),
  );
  for (const name of ["honest", "rewrites", "replays", "deletes", "lender"]) await tenant.waitUntilCoupled(name);
  const { seal } = await stateOf("rewrites");
  await overwrite("rewrites", { state: encode(JSON.stringify({ config: [["database", "others; --", false]] })), seal });
  await overwrite("replays", await stateOf("lender"));
  await tenant.client.delete(tenant.ref("Secret", "deletes-integration"));
  for (const name of ["honest", "rewrites", "replays", "deletes"]) {
    await tenant.remove("Plug", name);
    expect(await world.dataOf(`dropped-${name}`, world.prov)).toEqual({ database: "shop" });
  }
});

test("if neither the memory nor the inputs satisfy the interface, no stage runs, and the plug is deleted in time", async () => {
  await world.apply(world.socket("stern", { interface: interfaceOf, resources: [drop] }));
  const { metadata, ...plug } = tenant.plug("spoils", {
    socket: { name: "stern", namespace: world.prov },
    config: { database: "shop" },
  });
  const annotations = { "integration.rock8s.com/decouple-timeout": "2s" };
  await tenant.create({ ...plug, metadata: { ...metadata, annotations } });
  await tenant.waitUntilCoupled("spoils");
  await tenant.change("spoils", { config: { database: "others; --" } });
  await world.waitFor(tenant.ref("Plug", "spoils"), (found) => conditionOf(found, "Failed") !== undefined);
  await tenant.client.delete(tenant.ref("Secret", "spoils-integration"));
  await tenant.remove("Plug", "spoils");
  expect(await world.client.find(world.ref("ConfigMap", "dropped-spoils", world.prov))).toBe(undefined);
});

test("an object that was retained for a socket is deleted as the socket says now", async () => {
  const socketDrop = {
    when: ["decoupled"],
    template: configMapTemplate("left-{% .plug.metadata.name %}", { host: "{% .socketConfig.host %}" }),
  };
  await world.apply(world.socket("forgetful", { config: { host: "db" }, resources: [socketDrop] }));
  await tenant.create(tenant.plug("remains", { socket: { name: "forgetful", namespace: world.prov } }));
  const { metadata } = await tenant.waitUntilCoupled("remains");
  await world.client.delete(world.ref("Secret", `forgetful-integration-${metadata.uid?.slice(0, 8)}`, world.prov));
  await tenant.remove("Plug", "remains");
  expect(await world.dataOf("left-remains", world.prov)).toEqual({ host: "db" });
});

test("a foreign Secret with the name of the memory is left alone, and the plug says what to do", async () => {
  await world.apply(world.socket("waits", { resources: [drop] }));
  const metadata = { name: "early-integration", namespace: tenant.namespace };
  const type = "integration.rock8s.com/state";
  const data = { theirs: encode("kept") };
  await tenant.create({ apiVersion: "v1", kind: "Secret", metadata, type, data });
  await tenant.create(
    tenant.plug("early", { socket: { name: "waits", namespace: world.prov }, config: { database: "shop" } }),
  );
  expect(await tenant.refusal("early")).toMatch(
    /Secret .*early-integration already exists and does not belong to this plug.*rename/,
  );
  const { metadata: left, ...kept } = await world.client.get(tenant.ref("Secret", "early-integration"));
  expect({ labels: left.labels, data: kept["data"] }).toEqual({ labels: undefined, data });
  await tenant.client.delete(tenant.ref("Secret", "early-integration"), {});
  await tenant.waitUntilCoupled("early");
  await tenant.remove("Plug", "early");
  expect(await world.dataOf("dropped-early", world.prov)).toEqual({ database: "shop" });
});
