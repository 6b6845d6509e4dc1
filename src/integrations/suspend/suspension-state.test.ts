import { expect, test } from "vitest";
import { createLogger, createMetrics } from "#base";
import { ResourceInventory } from "#inventory";
import type { SuspendedIntegration } from "./find-suspended.ts";
import { SuspensionState } from "./suspension-state.ts";

function read(...namespaces: readonly string[]): ResourceInventory {
  const inventory = new ResourceInventory();
  for (const namespace of namespaces) inventory.initialize("c1", namespace, "Deployment");
  return inventory;
}

test("a suspension is logged and measured when it begins, changes and ends, and not in between", async () => {
  const lines: string[] = [];
  const metrics = createMetrics();
  const log = createLogger({ destination: { write: (line) => void lines.push(line) } });
  const state = new SuspensionState(log, metrics);
  const series = async () =>
    (await metrics.expose()).body.split("\n").filter((line) => line.startsWith("tenon_integration_suspended"));
  const messages = () => lines.splice(0).map((line) => `${JSON.parse(line).msg}: ${JSON.parse(line).reason}`);
  const one: SuspendedIntegration = {
    integration: "a",
    cluster: "c1",
    namespace: "n1",
    reason: "why",
    by: "data",
    where: "a.yml",
  };
  state.update([one], read("n1", "n2"));
  expect(messages()).toEqual(["integration suspended: why"]);
  expect(await series()).toEqual(['tenon_integration_suspended{integration="a",cluster="c1",namespace="n1"} 1']);

  state.update([one], read("n1"));
  state.update([], read("n2"));
  const unreachable = read("n1");
  unreachable.registerError({ cluster: "c1", what: "no answer" });
  state.update([], unreachable);
  expect(messages()).toEqual([]);
  expect(await series()).toHaveLength(1);

  state.update([{ ...one, reason: "other" }], read("n1"));
  expect(messages()).toEqual(["integration suspended: other"]);
  state.update([], read("n1"));
  expect(messages()).toEqual(["integration resumed: undefined"]);
  expect(await series()).toEqual([]);
});
