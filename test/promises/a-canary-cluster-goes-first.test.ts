import { beforeAll, expect, test } from "vitest";
import { type Clock, systemClock } from "#base";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld({ clusters: 2 });
const [here] = world.namespaces;
const minute = 60_000;
const tooLarge = { resources: { requests: { cpu: "9999", memory: "16Mi" }, limits: { memory: "32Mi" } } };
const rollout = { canary: "c1", soakMs: 5 * minute };
/** A manager that looks once, and again later. */
const manager = { isPatient: false };
const later: Clock = { ...systemClock, now: () => systemClock.now() + 6 * minute };

beforeAll(async () => {
  await version("1");
  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }]);
});

async function version(tag: string): Promise<void> {
  const parameters = { IMAGE_TAG: tag };
  await world.data.namespace("n1", { realName: here, parameters });
  await world.data.namespace("n2", { realName: here, cluster: "c2", parameters });
}

test("in one run, the other clusters get a change when the canary is healthy", async () => {
  world.calls.length = 0;
  const { isSuccess } = await world.run({ rollout: { canary: "c1", soakMs: 0 } });
  expect(isSuccess).toBe(true);
  const writes = world.calls.filter((call) => /^c\d PATCH/.test(call)).map((call) => call.slice(0, 2));
  expect(writes).toEqual(["c1", "c1", "c2", "c2"]);
});

test("a manager that is started again goes on with the soak: it remembers nothing", async () => {
  await version("2");
  const first = await world.run({ rollout }, manager);
  expect(first.done).toEqual(["c1 update Deployment a", "c2 update Deployment a skipped"]);
  expect(first.waiting).toMatchObject([{ target: { cluster: "c1", attribution: "a" } }]);
  await expect
    .poll(async () => (await world.run({ rollout }, manager)).waiting[0]?.why, { timeout: 300_000 })
    .toContain("healthy, and to stay so for 5m");
  expect(await world.run({ rollout }, { ...manager, clock: later })).toMatchObject({
    done: ["c2 update Deployment a"],
    isSuccess: true,
    waiting: [],
  });
});

test("a canary that does not become healthy stops the rollout, and nothing else is touched", async () => {
  await world.data.integration("a", [{ namespace: "n1", spec: tooLarge }, { namespace: "n2" }]);
  await world.data.integration("b", [{ namespace: "n2" }]);
  await version("3");
  world.calls.length = 0;
  const { done, isSuccess, outcomes } = await world.run({ rollout }, { healthyWithinMs: 1 });
  expect({ done, isSuccess }).toEqual({
    done: ["c1 update Deployment a", "c2 create Deployment b skipped", "c2 update Deployment a skipped"],
    isSuccess: false,
  });
  expect(outcomes[1]?.reason).toMatch(`not changed, because it waits for a in c1/${here}: Deployment a: `);
  expect(world.calls.filter((call) => /^c2 (?!GET)/.test(call))).toEqual([]);
});

test("an integration that comes after another waits for it on each cluster", async () => {
  await world.data.integration("a", [{ namespace: "n1", spec: tooLarge }, { namespace: "n2" }]);
  await world.data.integration("b", [{ namespace: "n1" }], { after: ["a"] });
  const { done, isSuccess } = await world.run({}, { healthyWithinMs: 60 * minute, ...manager });
  expect({ done, isSuccess }).toEqual({
    done: ["c1 create Deployment b skipped", "c2 update Deployment a"],
    isSuccess: true,
  });
  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }]);
  const whole = await world.run();
  expect(whole).toMatchObject({ isSuccess: true, waiting: [] });
  expect(whole.done).toEqual(["c1 create Deployment b", "c1 update Deployment a"]);
});
