import { type ActionOutcome, type Plan, type RealizeOptions, realizePlan, succeeded, ownerOf } from "#inventory";
import { isOwn, type OwnWorkload } from "../plan/guard-self.ts";
import type { PlannedRun } from "../plan/plan-desired.ts";
import {
  forgetNamespaces,
  type NamespaceMemory,
  rememberNamespaces,
  type RememberedNamespace,
} from "../survey/remembered-namespaces.ts";
import { targetKey } from "../survey/survey-namespaces.ts";

export interface ApplyPlanOptions extends RealizeOptions {
  readonly memory?: NamespaceMemory | undefined;
  readonly ownWorkload?: OwnWorkload | undefined;
}

export interface AppliedPlan {
  /** One for each action of the plan, in its order. */
  readonly outcomes: readonly ActionOutcome[];
  readonly isSuccess: boolean;
}

/**
 * Carries out what was planned, the manager itself last: its update may end us. Namespaces are remembered before anything is
 * written there, and forgotten when nothing is left: killed in between, the next run knows where to look.
 */
export async function applyPlan(
  planned: Pick<PlannedRun, "plan" | "clusters" | "namespaces" | "inventory" | "isNarrowed">,
  options: ApplyPlanOptions,
  signal: AbortSignal,
): Promise<AppliedPlan> {
  const { plan, clusters, namespaces } = planned;
  const memory = options.dryRun ? undefined : options.memory;
  const managed = namespaces.filter(({ isOrphan }) => !isOrphan).map((each) => each.memory);
  if (managed.length > 0) {
    await memory?.update((known) => rememberNamespaces(known, managed, !planned.isNarrowed), signal);
  }

  const [own, others] = [true, false].map((wanted) =>
    plan.actions.filter((action) => isOwn(action, options.ownWorkload) === wanted),
  );
  const outcomes = new Map<Plan["actions"][number], ActionOutcome>();
  for (const actions of [others ?? [], own ?? []]) {
    if (actions.length === 0) continue;
    const done = await realizePlan({ ...plan, actions }, clusters, options, signal);
    for (const [index, outcome] of done.entries()) {
      const action = actions[index];
      if (action) outcomes.set(action, outcome);
    }
  }
  const all = plan.actions.flatMap((action) => outcomes.get(action) ?? []);
  const cleaned = cleanedNamespaces(planned, all);
  // After an abort the next run forgets them.
  if (cleaned.length > 0 && !signal.aborted) await memory?.update((known) => forgetNamespaces(known, cleaned), signal);
  return { outcomes: all, isSuccess: succeeded(plan, all) };
}

/** Orphaned namespaces in which nothing of ours is left. A narrowed run may have seen only a part. */
function cleanedNamespaces(
  { plan, namespaces, inventory }: Pick<PlannedRun, "plan" | "namespaces" | "inventory">,
  outcomes: readonly ActionOutcome[],
): RememberedNamespace[] {
  const deleted = outcomes.filter(({ action, state }) => action === "delete" && state === "done");
  const gone = new Set(deleted.map((each) => objectKey(each.cluster, each.namespace, each)));
  const left = new Set<string>();
  for (const { cluster, namespace, current } of inventory) {
    const isLeft = [...current.values()].some(
      (object) => ownerOf(object.metadata) === plan.integration && !gone.has(objectKey(cluster, namespace, object)),
    );
    if (isLeft) left.add(targetKey(cluster, namespace));
  }
  const isDoubtful = (cluster: string, namespace: string): boolean =>
    plan.errors.some((error) => (error.cluster ?? cluster) === cluster && (error.namespace ?? namespace) === namespace);
  return namespaces
    .filter(({ isOrphan, cluster: { name }, namespace }) => {
      return isOrphan && !left.has(targetKey(name, namespace)) && !isDoubtful(name, namespace);
    })
    .map(({ memory }) => memory);
}

function objectKey(cluster: string, namespace: string, { kind, name }: Pick<ActionOutcome, "kind" | "name">): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}
