import { join } from "node:path";
import { expect, test } from "vitest";
import { createMetrics, type JsonObject, silentLogger, systemClock } from "#base";
import { openBundleSource, openQueryableSource } from "#bundle";
import { never } from "#harness";
import { serveData } from "#server";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here] = world.namespaces;
const example = join(import.meta.dirname, "..", "..", "examples", "data");

/** All clusters of the example are the test cluster, where their namespaces do not exist, so that the plan creates everything. */
async function planOf(location: string): Promise<JsonObject> {
  const { reach } = await world.options();
  const plan = await world.plan({
    data: await openQueryableSource(location).load(never),
    memory: { read: async () => [], update: async () => {} },
    createsNamespaces: true,
    reach: (clusters) =>
      clusters.flatMap((cluster) =>
        reach([{ ...cluster, name: "c1" }]).map(({ open }) => ({ name: cluster.name, endpoint: cluster.name, open })),
      ),
  });
  return JSON.parse(JSON.stringify(plan));
}

test.each([
  { reason: "the data of a test", location: () => world.data.path, least: 3 },
  { reason: "the example data", location: () => example, least: 10 },
])("a plan is the same from a directory and from its data server: $reason", async ({ location, least }) => {
  await world.data.namespace("n1", { realName: here });
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("b", [{ namespace: "n1", sharding: { strategy: "static", shards: 3 } }]);
  const [host, ttlMs] = ["127.0.0.1", 60_000];
  const shared = { clock: systemClock, log: silentLogger, metrics: createMetrics() };
  const source = openBundleSource(location());
  await using server = await serveData({ ...shared, source, initial: [], ttlMs, host, port: 0 }, never);
  const direct = await planOf(location());
  expect(await planOf(`http://${host}:${server.port}/graphql`)).toEqual(direct);
  expect(direct["actions"]).toHaveProperty("length");
  expect(Array.isArray(direct["actions"]) && direct["actions"].length).toBeGreaterThanOrEqual(least);
  expect(direct["errors"]).toEqual([]);
});
