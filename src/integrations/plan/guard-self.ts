import { valueAt } from "#base";
import { type Action, type Plan, planId, type PlanRefusal } from "#inventory";
import type { KubeClient, KubeObject, OwnerReference } from "#kube";
import { managerIdentity } from "../manager-defaults.ts";

/** The workload whose pod runs us. */
export interface OwnWorkload {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** Whether a write concerns the manager itself: by its name among the integrations, or because we run in it. */
export function isOwn({ attribution, namespace, kind, name }: Action, own: OwnWorkload | undefined): boolean {
  if (attribution === managerIdentity.integration) return true;
  return own !== undefined && own.namespace === namespace && own.kind === kind && own.name === name;
}

/**
 * The plan without what would end the manager: deleting it, or leaving it no replica. Confirming deletions allows it, as for
 * other deletions that look like an accident.
 */
export function guardSelf(plan: Plan, own: OwnWorkload | undefined, isConfirmed: boolean): Plan {
  if (isConfirmed) return plan;
  const refusals: PlanRefusal[] = [];
  const actions = plan.actions.filter((action) => {
    const reason = isOwn(action, own) ? reasonToRefuse(action) : undefined;
    if (reason === undefined) return true;
    const { cluster, namespace, apiVersion, kind, name } = action;
    const next = "if this is intended, confirm the deletions";
    refusals.push({ cluster, namespace, apiVersion, kind, name, action: action.action, reason, next, isError: true });
    return false;
  });
  if (refusals.length === 0) return plan;
  const { id: _, ...rest } = { ...plan, actions, refusals: [...plan.refusals, ...refusals] };
  return { ...rest, id: planId(rest) };
}

function reasonToRefuse({ action, body }: Action): string | undefined {
  if (action === "delete") return "the manager would delete itself";
  if (action === "replace") return "the manager would delete itself, to be created again";
  if (body === undefined || action === "create") return undefined;
  if (valueAt(body, ["spec", "replicas"]) === 0) return "the manager would scale itself to zero";
  if (valueAt(body, ["spec", "suspend"]) === true) return "the manager would suspend itself";
  return undefined;
}

/** A pod is owned by a ReplicaSet, that by a Deployment; nothing of Kubernetes is owned more deeply. */
const deepest = 4;

/** Climbs from the pod that we run in to what owns it: a Deployment, a StatefulSet, a CronJob. */
export async function findOwnWorkload(
  client: Pick<KubeClient, "find">,
  pod: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<OwnWorkload | undefined> {
  const { namespace } = pod;
  let found = await client.find({ apiVersion: "v1", kind: "Pod", ...pod, metadataOnly: true }, signal);
  let owner: OwnerReference | undefined;
  for (let depth = 0; found && depth < deepest; depth += 1) {
    const next = controllerOf(found);
    if (!next) break;
    owner = next;
    const { apiVersion, kind, name } = next;
    found = await client.find({ apiVersion, kind, namespace, name, metadataOnly: true }, signal);
  }
  return owner && { namespace, kind: owner.kind, name: owner.name };
}

function controllerOf({ metadata: { ownerReferences = [] } }: KubeObject): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
}
