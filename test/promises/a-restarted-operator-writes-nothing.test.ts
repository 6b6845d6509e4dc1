import { expect, test } from "vitest";
import type { StageCall } from "#coupling";
import { configMapTemplate, useCoupling } from "#harness";

const calls: StageCall[] = [];
let isHanging = false;

/** Writes down what is called, and does not answer while it hangs. */
const apparatus = {
  config: async () => undefined,
  forget: () => {},
  async call(call: StageCall, signal: AbortSignal): Promise<void> {
    calls.push(call);
    if (!isHanging || call.side !== "socket" || call.stage !== "coupled") return;
    await new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  },
};

const world = useCoupling({ apparatus });
const on = (name: string) => ({ socket: { name, namespace: world.prov } });

const madeFor = (name: string) => ({ do: "recreate", template: configMapTemplate(`made-${name}`) });

test("H69, X17: a restarted operator runs no stage and writes nothing", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `p69-${index}`);
  const source = { ...configMapTemplate("source69"), metadata: { name: "source69", namespace: world.app } };
  await world.apply(source, world.socket("s69", { result: { a: "b" } }));
  await Promise.all(
    names.map((name) =>
      world.apply(world.plug(name, { ...on("s69"), configConfigMapName: "source69", resources: [madeFor(name)] })),
    ),
  );
  await Promise.all(names.map((name) => world.waitUntilCoupled(name)));
  const uids = async () => {
    const found = await Promise.all(
      names.map((name) => world.client.get(world.ref("ConfigMap", `made-${name}`, world.app))),
    );
    return found.map(({ metadata }) => metadata.uid);
  };
  const versions = async () => {
    const refs = [world.ref("Socket", "s69"), ...names.map((name) => world.ref("Plug", name))];
    const found = await Promise.all(refs.map((ref) => world.client.get(ref)));
    return found.map(({ metadata }) => metadata.resourceVersion);
  };
  await world.settle();
  const before = [await uids(), await versions()];
  calls.length = 0;
  await world.stop();
  world.calls.length = 0;
  await world.restart();
  const reads = () => world.calls.filter((call) => call.endsWith("/configmaps/source69")).length;
  await expect.poll(reads).toBe(names.length);
  await world.settle();
  const writes = world.calls.filter((call) => !call.startsWith("GET") && !/\/settle-|\/events$/.test(call));
  expect(writes).toEqual([]);
  expect(calls.filter(({ object }) => ["s69", ...names].includes(object.metadata.name))).toEqual([]);
  expect([await uids(), await versions()]).toEqual(before);
});

test("H70: after a kill between the halves of a stage, the socket's half runs, and the plug's at most once more, with the same id", async () => {
  calls.length = 0;
  isHanging = true;
  await world.apply(world.socket("s70", {}), world.plug("p70", on("s70")));
  const halves = (side: string) =>
    calls.filter(
      ({ stage, body, side: of }) => stage === "coupled" && of === side && JSON.stringify(body).includes('"p70"'),
    );
  await expect.poll(() => halves("socket").length).toBe(1);
  await world.stop();
  isHanging = false;
  await world.restart();
  await world.waitUntilCoupled("p70");
  expect(halves("socket").length).toBe(2);
  expect(halves("plug").length).toBeLessThanOrEqual(2);
  expect(new Set(halves("plug").map(({ id }) => id)).size).toBe(1);
  expect(new Set(halves("socket").map(({ id }) => id)).size).toBe(1);
});
