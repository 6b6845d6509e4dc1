import { expect, test } from "vitest";
import { useManaged, writesIn } from "#harness";
import { allKinds, oneOfEach } from "./managed/objects.ts";

const world = useManaged(allKinds);

test("a run that wants nothing at all deletes nothing, fails and says how to mean it", async () => {
  await world.run(oneOfEach());
  world.calls.length = 0;
  const { plan, isSuccess } = await world.run([]);
  expect(isSuccess).toBe(false);
  expect(writesIn(world.calls)).toEqual([]);
  expect(plan.refusals).toHaveLength(4);
  expect(plan.refusals[0]?.next).toContain("confirm the deletions");

  const { outcomes } = await world.run([], { deletionsConfirmed: true });
  expect(outcomes.map(({ action, state }) => `${action} ${state}`)).toEqual(
    Array.from({ length: 4 }, () => "delete done"),
  );
});
