import { expect, test } from "vitest";
import { useManagerWorld } from "./manager/manager-world.ts";
import { startManager } from "./manager/running-manager.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;

test("a running manager does not stop while a destination becomes healthy, and deletes the source in a later run", async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: there });
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("stays", [{ namespace: "n1" }]);
  await using manager = await startManager(world, { retryMs: 100 });
  const isDone = (run: (typeof manager.runs)[number], action: string): boolean =>
    run.outcomes.some((outcome) => outcome.action === action && outcome.name === "a" && outcome.state === "done");
  const deleted = manager.next((run) => isDone(run, "delete"));
  await world.data.integration("a", [{ namespace: "n2" }]);
  await deleted;
  const [created, gone] = ["create", "delete"].map((action) =>
    manager.runs.findLastIndex((run) => isDone(run, action)),
  );
  expect(created).toBeLessThanOrEqual(gone ?? -1);
  expect(await world.workloads(here)).toEqual(["Deployment stays", "Service integrations"]);
  expect(await world.workloads(there)).toEqual(["Deployment a", "Service integrations"]);
  expect((await world.plan()).actions).toEqual([]);
});
