import { expect, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const configMap = (name: string) => world.ref("ConfigMap", name, world.prov);
const reasonsOf = async (name: string) => [...new Set(await world.events("Plug", name))];

async function failureOf(name: string): Promise<unknown> {
  const plug = await world.waitFor(
    world.ref("Plug", name),
    (found) => conditionOf(found, "Failed")?.["status"] === "True",
  );
  return conditionOf(plug, "Failed")?.["message"];
}

test("two plugs for which a socket renders one object differently: the second is refused, and gets it when the first leaves", async () => {
  const plug = (name: string, a = name) => world.plug(name, { ...on("s-differs"), config: { a } });
  const resources = [{ template: configMapTemplate("differs", { a: "{% .plugConfig.a %}" }) }];
  await world.apply(world.socket("s-differs", { resources }), plug("p-differs-1"));
  await world.waitUntilCoupled("p-differs-1");
  await world.apply(plug("p-differs-2"));
  expect(await failureOf("p-differs-2")).toContain(
    `ConfigMap ${world.prov}/differs already exists with another content (owned by Plug/${world.app}/p-differs-1`,
  );
  expect(await world.dataOf("differs", world.prov)).toEqual({ a: "p-differs-1" });
  await world.flush();
  expect(await world.events("Socket", "s-differs")).toContain("SharedObjectDiffers");

  const theirs = await world.namespace("theirs");
  await world.apply(world.plug("p-differs-3", { ...on("s-differs"), config: { a: "3" } }, theirs));
  const other = { ...world.ref("Plug", "p-differs-3"), namespace: theirs };
  const refused = await world.waitFor(other, (found) => conditionOf(found, "Failed")?.["status"] === "True");
  expect(conditionOf(refused, "Failed")?.["message"]).toContain(
    `(owned by another plug of Socket ${world.prov}/s-differs`,
  );
  expect(JSON.stringify(refused?.["status"])).not.toContain("p-differs-1");
  await world.client.delete(other, {});
  await world.waitUntilDeleted(other);

  await world.client.delete(world.ref("Plug", "p-differs-1"), {});
  await world.waitUntilCoupled("p-differs-2");
  expect(await world.dataOf("differs", world.prov)).toEqual({ a: "p-differs-2" });
  await world.client.delete(world.ref("Plug", "p-differs-2"), {});
  await world.waitUntilDeleted(configMap("differs"));
});

test("plugs for which a socket renders one object alike share it, follow the socket without a failure, and the last one deletes it", async () => {
  const resources = [{ template: configMapTemplate("alike", { a: "{% .socketConfig.a %}" }) }];
  const socket = (a: string) => world.socket("s-alike", { config: { a }, resources });
  const names = ["p-alike-1", "p-alike-2", "p-alike-3"];
  await world.apply(socket("1"), ...names.map((name) => world.plug(name, on("s-alike"))));
  for (const name of names) await world.waitUntilCoupled(name);
  await world.apply(socket("2"));
  for (const name of names) await expect.poll(() => reasonsOf(name), { timeout: 300_000 }).toContain("PlugUpdated");
  for (const name of names) expect(await reasonsOf(name)).toEqual(["PlugCreated", "PlugCoupled", "PlugUpdated"]);
  expect(await world.dataOf("alike", world.prov)).toEqual({ a: "2" });
  for (const name of ["p-alike-3", "p-alike-1"]) {
    await world.client.delete(world.ref("Plug", name), {});
    await world.waitUntilDeleted(world.ref("Plug", name));
    expect(await world.dataOf("alike", world.prov)).toEqual({ a: "2" });
  }
  await world.client.delete(world.ref("Plug", "p-alike-2"), {});
  await world.waitUntilDeleted(configMap("alike"));
});

test("after a restart, the content of a shared object is still that of the plugs that have it", async () => {
  const plug = (name: string, a: string) => world.plug(name, { ...on("s-later"), config: { a } });
  const socket = (config: object) =>
    world.socket("s-later", {
      config,
      resources: [{ template: configMapTemplate("later", { a: "{% .plugConfig.a %}{% .socketConfig.b %}" }) }],
    });
  await world.apply(socket({ b: "1" }), plug("p-later-1", "same"), plug("p-later-2", "same"));
  for (const name of ["p-later-1", "p-later-2"]) await world.waitUntilCoupled(name);
  await world.restart();
  await world.apply(plug("p-later-3", "other"));
  expect(await failureOf("p-later-3")).toContain("already exists with another content");
  await world.apply(plug("p-later-3", "same"));
  await world.waitUntilCoupled("p-later-3");
  await world.restart();
  await world.apply(socket({ b: "2" }));
  for (const name of ["p-later-1", "p-later-2", "p-later-3"]) {
    await world.waitFor(
      world.ref("Plug", name),
      (found) => valueAt(found, ["status", "pairing", "socketGeneration"]) === 2,
    );
    await world.waitUntilCoupled(name);
  }
  expect(await world.dataOf("later", world.prov)).toEqual({ a: "same2" });
});
