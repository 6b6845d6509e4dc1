import { expect, test } from "vitest";
import { valueAt } from "#base";
import { conditionOf } from "#coupling";
import { configMapTemplate, useCoupling } from "#harness";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });

test("H73: 20 plugs couple beside one that always fails, and the status of their socket does not change", async () => {
  const resources = [
    { template: configMapTemplate("made-{% .plugConfig.name %}", { a: "{% fail .plugConfig.fail %}" }) },
  ];
  const good = { template: configMapTemplate("{% .plug.metadata.name %}") };
  const names = Array.from({ length: 20 }, (_, index) => `good-${index}`);
  await world.apply(
    world.socket("s73", {}),
    world.plug("bad", { ...on("s73"), config: { name: "bad", fail: "on purpose" }, resources }),
    ...names.map((name) => world.plug(name, { ...on("s73"), resources: [good] })),
  );
  await Promise.all(names.map((name) => world.waitUntilCoupled(name)));
  const failing = await world.waitFor(
    world.ref("Plug", "bad"),
    (found) => Number(valueAt(found, ["status", "lastError", "attempts"])) >= 3,
  );
  expect(conditionOf(failing, "Failed")?.["message"]).toContain("on purpose");
  const socket = await world.client.get(world.ref("Socket", "s73"));
  expect(conditionOf(socket, "Coupled")).toMatchObject({ reason: "SocketCoupled", message: "20 plugs coupled" });
  expect(conditionOf(socket, "Failed")).toBe(undefined);
});
