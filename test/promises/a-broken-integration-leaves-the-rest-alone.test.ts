import { beforeAll, describe, expect, test } from "vitest";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here] = world.namespaces;
const namespace = "n1";
const stays = ["Deployment broken", "Deployment good", "Service integrations"];

beforeAll(async () => {
  await world.data.namespace(namespace, { realName: here });
  await world.data.integration("broken", [{ namespace }]);
  await world.data.integration("good", [{ namespace }]);
  await world.run();
});

describe.each([
  {
    reason: "G9-13: an integration with an unknown strategy leaves the others alone",
    place: { namespace, sharding: { strategy: "per-moon" } },
    says: /per-moon/,
  },
  {
    reason: "G4-11: an integration whose program has no argument for its strategy leaves the others alone",
    place: { namespace, sharding: { strategy: "per-aws-account" } },
    says: /broken.*--account-name|--account-name.*broken/s,
  },
  {
    reason: "an integration with a setting that the chart refuses leaves the others alone",
    place: { namespace, spec: { sleepDurationSecs: { no: "text" } } },
    says: /sleepDurationSecs/,
  },
  {
    reason: "G4-13: an integration with zero shards leaves the others alone",
    place: { namespace, sharding: { strategy: "static", shards: 0 } },
    says: /shards/,
  },
])("$reason", ({ place, says }) => {
  test("the objects of the broken integration stay, the others are updated, created and deleted, and the run fails", async () => {
    await world.data.integration("broken", [place]);
    await world.data.integration("good", [{ namespace, spec: { extraArgs: String(says) } }]);
    await world.data.integration("new", [{ namespace }]);
    const { done, isSuccess, plan } = await world.run();
    expect(done).toEqual(["c1 create Deployment new", "c1 update Deployment good"].toSorted());
    expect(isSuccess).toBe(false);
    expect(new Set(plan.errors.map(({ attribution }) => attribution))).toEqual(new Set(["broken"]));
    expect(plan.errors[0]?.what).toMatch(says);
    expect(plan.errors[0]?.what).toMatch(/broken\.json:\d+:\d+: /);
    expect(await world.workloads(here)).toEqual([...stays, "Deployment new"].toSorted());
    await world.data.remove("integrations", "new");
    expect((await world.run()).done).toEqual(["c1 delete Deployment new"]);
    expect(await world.workloads(here)).toEqual(stays);
  });
});
