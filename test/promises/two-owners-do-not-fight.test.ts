import { expect, test } from "vitest";
import { useManaged, writesIn } from "#harness";
import { configMap, deployment, service } from "./managed/objects.ts";

const world = useManaged(["ConfigMap", "Service", "Deployment"]);

const of = (caller: string) => [configMap(`of-${caller}`), service("shared")];
const image = (tag: string) => [deployment("app", { app: "app" }, `example.invalid/app:${tag}`)];

test("G8-08: two callers that share a namespace and both desire one Service write nothing in the second round", async () => {
  const allCallers = ["one", "two"];
  const round = async () => {
    for (const caller of allCallers) await world.run(of(caller), { caller, allCallers });
  };
  await round();
  world.calls.length = 0;
  await round();
  expect(writesIn(world.calls)).toEqual([]);
  const { plan } = await world.run(of("two"), { caller: "two", allCallers });
  expect(plan.refusals).toMatchObject([{ kind: "Service", reason: "managed by another caller: one" }]);
});

test("of two integrations that desire the same object, the first keeps it, and every run of the second names the owner", async () => {
  await world.run(image("1"), { integration: "first" });
  for (let round = 0; round < 2; round += 1) {
    world.calls.length = 0;
    const { plan } = await world.run(image("2"), { integration: "second" });
    expect(plan.refusals).toMatchObject([{ reason: "belongs to first" }]);
    await world.run(image("1"), { integration: "first" });
    expect(writesIn(world.calls)).toEqual([]);
  }
});
