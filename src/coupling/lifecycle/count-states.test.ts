import { expect, test } from "vitest";
import { createMetrics } from "#base";
import type { KubeObject, StoreChange } from "#kube";
import { stateMetrics } from "../coupling-metrics.ts";
import { countStates } from "./count-states.ts";

const plug = (name: string, phase?: string, reason?: string, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Plug",
  metadata: { namespace: "app", name, ...metadata },
  ...(phase ? { status: { phase, conditions: [{ type: "Coupled", reason }] } } : {}),
});

test("plugs are counted by state and reason, also those that change and those that are deleted", async () => {
  const metrics = createMetrics();
  const objects = [plug("a", "Coupled", "CouplingSucceeded"), plug("b")];
  const listeners: ((change: StoreChange) => void)[] = [];
  const store = { size: 2, get: () => undefined, keys: () => [], list: () => objects, byIndex: () => [] };
  const subscribe = (listener: (change: StoreChange) => void) => {
    listeners.push(listener);
    return { [Symbol.dispose]: () => {} };
  };
  using _ = countStates({ store, subscribe }, stateMetrics(metrics).plugs);
  const counted = async () =>
    [...(await metrics.expose()).body.matchAll(/^tenon_plugs\{state="(\w+)",reason="(\w*)"\} (\d+)$/gm)]
      .map(([, ...parts]) => parts.join(" "))
      .toSorted();
  expect(await counted()).toEqual(["Coupled CouplingSucceeded 1", "New  1"]);
  const change = (type: "changed" | "deleted", object: KubeObject) =>
    listeners[0]?.({ type, key: `app/${object.metadata.name}`, object, isInitial: false });
  change("changed", plug("b", "Coupled", "CouplingSucceeded"));
  expect(await counted()).toEqual(["Coupled CouplingSucceeded 2"]);
  change("changed", plug("a", "Failed", "Error"));
  change("changed", plug("b", "Coupled", "CouplingSucceeded", { deletionTimestamp: "2026-01-01T00:00:00Z" }));
  expect(await counted()).toEqual(["Deleting CouplingSucceeded 1", "Failed Error 1"]);
  change("deleted", plug("b"));
  expect(await counted()).toEqual(["Failed Error 1"]);
});
