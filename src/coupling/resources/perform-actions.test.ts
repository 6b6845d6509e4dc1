import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { PlugData } from "#template";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { annotations, couplingFieldManager } from "../kinds/index.ts";
import { Claims, inventoryOf } from "./inventory-entries.ts";
import type { ObjectOrigin } from "./mark-object.ts";
import { performActions } from "./perform-actions.ts";
import { type RenderedAction, renderResources } from "./render-resources.ts";

const never = new AbortController().signal;
const belongingTo = (name: string): ObjectOrigin => ({
  side: "plug",
  owner: { kind: "Plug", namespace: "app", name, uid: name },
  plugUid: name,
  socketUid: "socket",
});
const actionsOf = (name: string): RenderedAction[] =>
  renderResources([{ template: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } } }], "coupled", {
    origin: belongingTo(name),
    data: new PlugData({}),
    isOwn: undefined,
  });

/** A cluster with room for one object, which does not exist yet. */
class Cluster {
  live: KubeObject | undefined;
  looks = 0;

  readonly find = async (): Promise<KubeObject | undefined> => {
    this.looks += 1;
    return this.live;
  };

  readonly apply = async (object: KubeObject): Promise<KubeObject> => {
    const managedFields = [{ manager: couplingFieldManager, operation: "Apply" } as const];
    const live = { ...object, metadata: { ...object.metadata, uid: "uid-x", managedFields } };
    this.live = live;
    return live;
  };

  readonly delete = async (): Promise<undefined> => undefined;
}

function makeFor(name: string, cluster: Cluster, claims: Claims) {
  const unheard = { cached: () => undefined, isAbsent: () => true };
  const options = { origin: belongingTo(name), known: [], claims, ...unheard, clock: new FakeClock() };
  return performActions(actionsOf(name), cluster, options, never);
}

test("of two plugs that create the same object at once, the first one gets it and the second one a conflict", async () => {
  const cluster = new Cluster();
  const claims = new Claims();
  for (const name of ["first", "second"]) claims.set(name, inventoryOf(actionsOf(name)));
  const results = await Promise.allSettled(["first", "second"].map((name) => makeFor(name, cluster, claims)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(results[1]).toMatchObject({ reason: { cause: { name: "ConflictError" } } });
  expect(cluster.live?.metadata.annotations?.[annotations.owner]).toContain("first");
});

test("an object without other claims is created without a read", async () => {
  const cluster = new Cluster();
  await makeFor("first", cluster, new Claims());
  expect(cluster.looks).toBe(0);
});
