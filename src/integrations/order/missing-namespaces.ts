import {
  type Action,
  type ClusterClients,
  clusterScope,
  type Plan,
  type PlanRefusal,
  type ResourceInventory,
} from "#inventory";
import { ApiError } from "#kube";
import { targetKey } from "../survey/survey-namespaces.ts";
import { revisePlan } from "./revise-plan.ts";

/** The namespaces that a plan creates objects in, that have none, and that do not exist. */
export async function findMissingNamespaces(
  plan: Plan,
  inventory: ResourceInventory,
  clusters: Pick<ClusterClients, "get">,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const full = new Set(
    [...inventory]
      .filter(({ current }) => current.size > 0)
      .map(({ cluster, namespace }) => targetKey(cluster, namespace)),
  );
  const created = plan.actions.filter(({ action, namespace }) => action === "create" && namespace !== clusterScope);
  const doubtful = new Map(created.map((action) => [targetKey(action.cluster, action.namespace), action]));
  const missing = [...doubtful].map(async ([key, { cluster, namespace: name }]) => {
    const client = clusters.get(cluster);
    if (!client || full.has(key)) return [];
    try {
      const found = await client.find({ apiVersion: "v1", kind: "Namespace", name, metadataOnly: true }, signal);
      return found ? [] : [key];
    } catch (error) {
      signal.throwIfAborted();
      // Without the right to read namespaces, the first object tells.
      if (error instanceof ApiError && error.isForbidden) return [];
      throw error;
    }
  });
  return new Set((await Promise.all(missing)).flat());
}

/** Creates missing namespaces first, or holds back what would be created in them. */
export function planNamespaces(plan: Plan, missing: ReadonlySet<string>, isCreating: boolean): Plan {
  if (missing.size === 0) return plan;
  const isLost = ({ cluster, namespace }: Action): boolean => missing.has(targetKey(cluster, namespace));
  if (isCreating) {
    const namespaces = new Map(
      plan.actions
        .filter(isLost)
        .map((action) => [targetKey(action.cluster, action.namespace), createNamespace(action)]),
    );
    return revisePlan(plan, [...namespaces.values(), ...plan.actions]);
  }
  const refusals = plan.actions.filter(isLost).map((action): PlanRefusal => {
    const { cluster, namespace, apiVersion, kind, name } = action;
    const reason = `namespace ${namespace} does not exist on ${cluster}`;
    const next = "create it, or use --create-namespaces";
    return { cluster, namespace, apiVersion, kind, name, action: action.action, reason, next, isError: true };
  });
  return revisePlan(
    plan,
    plan.actions.filter((action) => !isLost(action)),
    refusals,
  );
}

/** It carries no marks of ours: what is in it is ours, and it stays when that goes. */
function createNamespace({ cluster, namespace: name }: Action): Action {
  const address = { cluster, namespace: clusterScope, apiVersion: "v1", kind: "Namespace", name };
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  return { ...address, action: "create", reason: "does not exist", diff: [], body };
}
