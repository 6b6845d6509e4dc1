import { expect, test } from "vitest";
import { useManaged, writesIn } from "#harness";
import { allKinds, oneOfEach } from "./managed/objects.ts";

const world = useManaged(allKinds);

test("a second run reads each kind once, and writes nothing", async () => {
  expect(await world.run(oneOfEach())).toMatchObject({ isSuccess: true });
  world.calls.length = 0;
  const { plan, outcomes } = await world.run(oneOfEach());
  expect(outcomes).toEqual([]);
  expect(plan.unchanged).toBe(4);
  expect(writesIn(world.calls)).toEqual([]);
  expect(world.calls).toHaveLength(allKinds.length);
});
