import { expect, test } from "vitest";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here] = world.namespaces;
const of = (upstream: string) => ({ desire: { upstream } });

test("G8-08: managers of two upstreams do not fight over shared objects: the second round does nothing", async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.integration("a", [{ namespace: "n1" }], { upstream: "https://git.example/a" });
  await world.data.integration("b", [{ namespace: "n1" }], { upstream: "https://git.example/b" });
  expect((await world.run(of("https://git.example/a"))).done).toEqual([
    "c1 create Service integrations",
    "c1 create Deployment a",
  ]);
  expect(await world.run(of("https://git.example/b"))).toMatchObject({
    done: ["c1 create Deployment b"],
    isSuccess: true,
  });
  for (const upstream of ["https://git.example/a", "https://git.example/b"]) {
    expect(await world.run(of(upstream))).toMatchObject({ done: [], isSuccess: true });
  }
});

test("E-5: a shared object that its manager deletes on leaving is created again by the other manager", async () => {
  await world.data.remove("integrations", "a");
  await world.data.integration("c", [{ namespace: "n1" }], { upstream: "https://git.example/c" });
  const leaving = await world.run({ ...of("https://git.example/a"), deletionsConfirmed: true });
  expect(leaving.done).toEqual(["c1 delete Deployment a", "c1 delete Service integrations"]);
  expect((await world.run(of("https://git.example/b"))).done).toEqual(["c1 create Service integrations"]);
});

test("E-5: an integration that changes its upstream is taken over without a restart", async () => {
  await world.data.integration("b", [{ namespace: "n1" }], { upstream: "https://git.example/c" });
  const before = await world.client().get({ apiVersion: "apps/v1", kind: "Deployment", namespace: here, name: "b" });
  expect((await world.run(of("https://git.example/c"))).done).toEqual([
    "c1 adopt Service integrations",
    "c1 adopt Deployment b",
    "c1 create Deployment c",
  ]);
  const after = await world.client().get({ apiVersion: "apps/v1", kind: "Deployment", namespace: here, name: "b" });
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after["spec"], "another pod template would restart it").toEqual(before["spec"]);
  expect((await world.run(of("https://git.example/b"))).plan.actions).toEqual([]);
});

test("E-4: a manager without an upstream manages all integrations, and deletes undesired objects of every manager", async () => {
  await world.data.remove("integrations", "b");
  await world.data.integration("d", [{ namespace: "n1" }]);
  expect((await world.run(of("https://git.example/other"))).done, "objects of other managers are not its own").toEqual(
    [],
  );
  const { done, isSuccess } = await world.run();
  expect(isSuccess).toBe(true);
  expect(done).toEqual(["c1 create Deployment d", "c1 delete Deployment b"]);
  const callers = await Promise.all(["c", "d"].map(async (name) => await callerOf(name)));
  expect(callers, "an unchanged object keeps its annotations").toEqual([
    "https://git.example/c",
    "https://github.com/app-sre/qontract-reconcile",
  ]);
  expect((await world.run()).done).toEqual([]);
});

async function callerOf(name: string): Promise<string | undefined> {
  const { metadata } = await world.client().get({ apiVersion: "apps/v1", kind: "Deployment", namespace: here, name });
  return metadata.annotations?.["qontract.caller_name"];
}
