import { beforeAll, expect, test } from "vitest";
import { valueAt } from "#base";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld({ clusters: 2 });
const [here] = world.namespaces;
const missing = `${here}-missing`;
/** More than any node has: such a pod is never ready. */
const tooLarge = { resources: { requests: { cpu: "9999", memory: "16Mi" }, limits: { memory: "32Mi" } } };

beforeAll(async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: here, cluster: "c2" });
  await world.data.namespace("n3", { realName: missing, cluster: "c2" });
  await world.data.integration("stays", [{ namespace: "n1" }, { namespace: "n2" }]);
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.run();
});

async function readyReplicas(cluster: string): Promise<unknown> {
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: here, name: "a" };
  return valueAt(await world.client(cluster).get(ref), ["status", "readyReplicas"]);
}

test("an integration whose cluster changes is created there, and deleted at its source only when it is healthy", async () => {
  await world.data.integration("a", [{ namespace: "n2" }]);
  const plan = await world.plan();
  expect(plan.actions.map(({ action, reason }) => `${action}: ${reason}`).toSorted()).toEqual([
    `create: moved from c1/${here}`,
    `delete: moved to c2/${here}`,
  ]);
  world.calls.length = 0;
  const { done, isSuccess } = await world.run();
  expect({ done: done.toSorted(), isSuccess }).toEqual({
    done: ["c1 delete Deployment a", "c2 create Deployment a"],
    isSuccess: true,
  });
  expect(await readyReplicas("c2"), "it was healthy before the source went").toBe(1);
  const writes = world.calls.filter((call) => /^c\d (PATCH|DELETE)/.test(call)).map((call) => call.split(" /")[0]);
  expect(writes).toEqual(["c2 PATCH", "c1 DELETE"]);
  expect((await world.plan()).actions).toEqual([]);
});

test("a destination that does not become healthy in time keeps the source, and says why", async () => {
  await world.data.integration("a", [{ namespace: "n1", spec: tooLarge }]);
  const { done, isSuccess, outcomes } = await world.run({}, { healthyWithinMs: 1 });
  expect({ done, isSuccess }).toEqual({
    done: ["c1 create Deployment a", "c2 delete Deployment a skipped"],
    isSuccess: false,
  });
  const kept = outcomes.find(({ action }) => action === "delete");
  expect(kept?.reason).toMatch(`kept, because it waits for a in c1/${here}: Deployment a: `);
  expect(kept?.next).toContain("fix it");
  expect(await readyReplicas("c2"), "the source still runs").toBe(1);
});

test("stopped between creation and deletion, the next run waits again, and then deletes", async () => {
  const again = await world.run({}, { isPatient: false });
  expect(again.done).toEqual(["c2 delete Deployment a skipped"]);
  expect(again.waiting).toMatchObject([{ target: { cluster: "c1", attribution: "a" } }]);
  await world.data.integration("a", [{ namespace: "n1" }]);
  const mended = await world.run();
  expect(mended.done).toEqual(["c1 update Deployment a", "c2 delete Deployment a"]);
  expect(await world.workloads(here, "c2")).toEqual(["Deployment stays", "Service integrations"]);
});

test("a namespace that does not exist is named in the plan, and keeps the source", async () => {
  await world.data.integration("a", [{ namespace: "n3" }]);
  const { done, plan, isSuccess } = await world.run();
  expect({ done, isSuccess }).toEqual({ done: [], isSuccess: false });
  const reason = `namespace ${missing} does not exist on c2`;
  expect(plan.refusals).toMatchObject([
    { action: "create", kind: "Service", reason, next: "create it, or use --create-namespaces" },
    { action: "create", kind: "Deployment", name: "a", reason },
    { action: "delete", cluster: "c1", name: "a", reason: expect.stringContaining(reason) },
  ]);
});

test("with --create-namespaces it is created first, and the move goes on", async () => {
  const { done, isSuccess } = await world.run({ createsNamespaces: true });
  expect({ done: done.toSorted(), isSuccess }).toEqual({
    done: [
      "c1 delete Deployment a",
      "c2 create Deployment a",
      `c2 create Namespace ${missing}`,
      "c2 create Service integrations",
    ],
    isSuccess: true,
  });
  expect((await world.plan()).actions).toEqual([]);
});
