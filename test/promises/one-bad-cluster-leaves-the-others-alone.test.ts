import { expect, test } from "vitest";
import { InputError } from "#base";
import type { DataClusterSource, PlanFromDataOptions } from "#integrations";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld({ clusters: 2 });
const [here] = world.namespaces;

const isBad = ({ name }: DataClusterSource): boolean => name === "c2";

/** The clusters as they are, but for the second. */
async function without(change: Partial<DataClusterSource>): Promise<PlanFromDataOptions["reach"]> {
  const { reach } = await world.options();
  return (clusters) => {
    const sources = reach(clusters);
    const changed = sources.filter(isBad).flatMap((source) => [{ ...source, ...change }]);
    return [...sources.filter((source) => !isBad(source)), ...changed];
  };
}

test("G7-10: a failure on one cluster prevents neither changes nor deletions on another", async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: here, cluster: "c2" });
  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }]);
  await world.data.integration("b", [{ namespace: "n1" }, { namespace: "n2" }]);
  expect((await world.run()).isSuccess).toBe(true);

  await world.data.integration("c", [{ namespace: "n1" }, { namespace: "n2" }]);
  await world.data.remove("integrations", "b");
  const missing = new InputError("cluster c2: secret not found", { where: "clusters/c2" });
  const bad = await world.run({ reach: await without({ open: () => Promise.reject(missing) }) });
  expect(bad.done).toEqual(["c1 create Deployment c", "c1 delete Deployment b"]);
  expect(bad.isSuccess).toBe(false);
  expect(bad.plan.errors).toMatchObject([{ cluster: "c2", what: expect.stringContaining("secret not found") }]);

  const left = await world.run({ reach: await without({ skip: "it is disabled for integrations-manager" }) });
  expect(left, "a cluster that is skipped on purpose is not a failure").toMatchObject({ done: [], isSuccess: true });

  expect((await world.run()).done).toEqual(["c2 create Deployment c", "c2 delete Deployment b"]);
});

test("a cluster that is removed with its last integration is reported, and is not a failure", async () => {
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("c", [{ namespace: "n1" }]);
  const { done, isSuccess, warnings } = await world.run({
    reach: await without({ open: () => Promise.reject(new Error("no such host")) }),
  });
  expect({ done, isSuccess }).toEqual({ done: [], isSuccess: true });
  expect(warnings).toMatchObject([{ where: `c2/${here}`, what: expect.stringContaining("no such host") }]);
  expect(warnings[0]?.next).toContain("`tenon forget cluster c2`");
  const left = await world.run({ reach: await without({ skip: "it is disabled for integrations-manager" }) });
  expect(left, "nothing is forgotten that was not looked at").toMatchObject({
    done: [],
    isSuccess: true,
    warnings: [],
  });
  const later = await world.run();
  expect(later.done).toEqual(["c2 delete Deployment a", "c2 delete Deployment c", "c2 delete Service integrations"]);
});
