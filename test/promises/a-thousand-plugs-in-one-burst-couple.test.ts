import { expect, test } from "vitest";
import { conditionOf } from "#coupling";
import { configMapTemplate, useCoupling } from "#harness";

const world = useCoupling();
const plugs = 1_000;
const sockets = 10;

/** Twenty times what it takes alone: on a machine as busy as that it only takes longer. */
const timeout = 30 * 60_000;

test("1,000 plugs that are created at once all couple, with few requests each", { timeout }, async () => {
  const resources = [{ template: configMapTemplate("made-{% .plug.metadata.name %}") }];
  const places = Array.from({ length: sockets }, (_, index) => `s${index}`);
  await world.apply(...places.map((name) => world.socket(name, { resources })));
  const names = Array.from({ length: plugs }, (_, index) => `p${index}`);
  await Promise.all(
    names.map((name, index) =>
      world.client.create(world.plug(name, { socket: { name: `s${index % sockets}`, namespace: world.prov } })),
    ),
  );
  const coupled = async () => {
    const { apiVersion, kind, namespace } = world.ref("Plug", "any");
    const { items } = await world.client.list({ apiVersion, kind, namespace });
    return items.filter((plug) => conditionOf(plug, "Coupled")?.["status"] === "True").length;
  };
  await expect.poll(coupled, { interval: 1_000, timeout }).toBe(plugs);
  for (const name of places) {
    const socket = await world.client.get(world.ref("Socket", name));
    expect(socket["status"]).toMatchObject({ coupledPlugsCount: plugs / sockets });
  }
  const requests = world.calls.filter((call) => !call.includes("/events")).length;
  expect(requests / plugs).toBeLessThan(6);
});
