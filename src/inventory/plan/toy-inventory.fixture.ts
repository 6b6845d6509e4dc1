import type { Plan, PlanOptions } from "./plan.ts";
import { ResourceInventory } from "../resource-inventory.ts";
import { type Exact, type ExactMap, isExactMap } from "../object/exact.ts";
import { ManagedObject } from "../object/managed-object.ts";

/** A thing on a cluster, for tests of plans. */
export interface Toy {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly kind?: string;
  readonly name: string;
  readonly value?: Exact;
  readonly attribution?: string | undefined;
  readonly caller?: string | undefined;
  readonly integration?: string;
}

export const toyOptions: PlanOptions = { integration: "manager", integrationVersion: "0.1.0" };

export function toyResource({
  kind = "ConfigMap",
  name,
  value = "v",
  attribution,
  caller,
  integration = "manager",
}: Toy): ManagedObject {
  const data =
    kind === "Secret"
      ? { data: { k: value } }
      : kind === "ConfigMap"
        ? { data: { k: value } }
        : { spec: { field: value } };
  return new ManagedObject({
    body: { apiVersion: kind === "Deployment" ? "apps/v1" : "v1", kind, metadata: { name }, ...data },
    integration,
    integrationVersion: "0.1.0",
    attribution,
    callerName: caller,
  });
}

/** What the cluster has once it was applied. */
export function live(toy: Toy, metadata: ExactMap = {}): ManagedObject {
  const body = toyResource(toy).annotate(new Date(0));
  const given = isExactMap(body["metadata"]) ? body["metadata"] : {};
  return asFound({ ...body, metadata: { ...given, uid: `uid-${toy.name}`, resourceVersion: "1", ...metadata } });
}

export function asFound(body: ExactMap): ManagedObject {
  return new ManagedObject({ body, integration: "manager", integrationVersion: "0.1.0", skipValidation: true });
}

export function place({
  cluster = "c1",
  namespace = "n1",
  kind = "ConfigMap",
}: Omit<Toy, "name">): [string, string, string] {
  return [cluster, namespace, kind];
}

export function toyInventory(
  wanted: readonly Toy[],
  found: readonly (Toy & { readonly as?: ManagedObject })[],
): ResourceInventory {
  const inventory = new ResourceInventory();
  for (const toy of [...wanted, ...found]) inventory.initialize(...place(toy));
  for (const toy of wanted) {
    const [cluster, namespace, kind] = place(toy);
    inventory.addDesired({ cluster, namespace, kind, name: toy.name, value: toyResource(toy) });
  }
  for (const toy of found) inventory.addCurrent(...place(toy), toy.name, toy.as ?? live(toy));
  return inventory;
}

/** Carries a plan out on the model: what is found afterwards. */
export function afterPlan(plan: Plan, inventory: ResourceInventory): ResourceInventory {
  const after = new ResourceInventory();
  for (const { cluster, namespace, type, current, desired } of inventory) {
    after.initialize(cluster, namespace, type);
    for (const [name, value] of desired) after.addDesired({ cluster, namespace, kind: type, name, value });
    const here = plan.actions.filter(
      (action) => action.cluster === cluster && action.namespace === namespace && action.kind === type,
    );
    const gone = new Set(here.filter(({ action }) => action === "delete").map(({ name }) => name));
    for (const [name, resource] of current)
      if (!gone.has(name)) after.addCurrent(cluster, namespace, type, name, resource);
    for (const { name, body } of here) if (body) after.addCurrent(cluster, namespace, type, name, asFound(body));
  }
  return after;
}
