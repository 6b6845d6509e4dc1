import { beforeAll, expect, test } from "vitest";
import { InputError } from "#base";
import { type LoadedData, openQueryableSource } from "#bundle";
import { never } from "#harness";
import { planFromData, type PlanFromDataOptions } from "#integrations";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;
let base: LoadedData;

const forgotten: LoadedData = {
  identity: "gone",
  query: () => Promise.reject(new Error("the server has forgotten it")),
};

async function planAgainst(compared: LoadedData) {
  world.calls.length = 0;
  const plan = await world.plan({ base: compared });
  const asked = new Set(world.calls.flatMap((call) => [here, there].filter((name) => call.includes(`/${name}/`))));
  return { plan, asked };
}

beforeAll(async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: there });
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("b", [{ namespace: "n2" }]);
  base = await openQueryableSource(world.data.path).load(never);
});

test("G8-14: a plan of data with the same desired state as the base ends at once, without reading a cluster", async () => {
  await world.data.integration("a", [{ namespace: "n1" }], { description: "other words" });
  const { plan } = await planAgainst(base);
  expect(plan).toMatchObject({ actions: [], errors: [] });
  expect(world.calls).toEqual([]);
});

test("E-23: only namespaces whose desired state differs from the base are planned", async () => {
  await world.data.integration("a", [{ namespace: "n1", spec: { extraArgs: "--more" } }]);
  const { plan, asked } = await planAgainst(base);
  expect(asked).toEqual(new Set([here]));
  expect(plan.actions.map(({ name }) => name)).toContain("a");
});

test("E-23: objects that only the base desires are planned for deletion, also without a memory", async () => {
  await world.run();
  await world.data.remove("integrations", "b");
  await using planned = await planFromData({ ...(await world.options({ base })), memory: undefined }, never);
  expect(planned.plan.actions.map(({ action, name }) => `${action} ${name}`)).toEqual([
    "delete b",
    "delete integrations",
  ]);
  await world.data.integration("b", [{ namespace: "n2" }]);
});

test("E-20: if the base cannot be read, everything is planned", async () => {
  const { asked } = await planAgainst(forgotten);
  expect(asked).toEqual(new Set([here, there]));
});

test("E-20: data with an error never counts as unchanged", async () => {
  await world.data.integration("b", [{ namespace: "n2", sharding: { strategy: "per-moon" } }]);
  const { plan } = await planAgainst(await openQueryableSource(world.data.path).load(never));
  expect(plan.errors).toHaveLength(1);
});

test("G8-15: of 50 namespaces the two that differ from the base are read, and an unreadable one is reported and fails the plan", async () => {
  await world.data.remove("integrations", "b");
  const names = Array.from({ length: 50 }, (_, index) => `many-${index}`);
  for (const name of names) await world.data.namespace(name, { cluster: name === "many-7" ? "c2" : "c1" });
  const places = (changed: readonly string[]) =>
    names.map((namespace) => ({ namespace, spec: changed.includes(namespace) ? { extraArgs: "--more" } : {} }));
  await world.data.integration("m", places([]));
  const before = await openQueryableSource(world.data.path).load(never);
  await world.data.integration("m", places(["many-7", "many-42"]));
  world.calls.length = 0;
  const plan = await world.plan({ base: before, reach: await withoutSecond(), createsNamespaces: true });
  const asked = names.filter((name) => world.calls.some((call) => call.includes(`/${name}/`)));
  expect(asked).toEqual(["many-42"]);
  expect(plan.actions.map(({ namespace, name }) => `${namespace} ${name}`)).toEqual([
    "cluster many-42",
    "many-42 integrations",
    "many-42 m",
  ]);
  expect(plan.errors).toMatchObject([{ cluster: "c2", what: expect.stringContaining("secret not found") }]);
});

/** The clusters of the world, and a second one that cannot be opened. */
async function withoutSecond(): Promise<PlanFromDataOptions["reach"]> {
  const { reach } = await world.options();
  const failure = new InputError("cluster c2: secret not found");
  return (clusters) => [
    ...reach(clusters.filter(({ name }) => name !== "c2")),
    ...clusters
      .filter(({ name }) => name === "c2")
      .map(({ name }) => ({ name, endpoint: name, open: () => Promise.reject(failure) })),
  ];
}
