import type { Action, Plan, PlanRefusal, Prerequisite } from "#inventory";
import type { Desired } from "../desired/desired.ts";
import { targetKey } from "../survey/survey-namespaces.ts";
import { refusalOf, revisePlan, waitingFor } from "./revise-plan.ts";

/**
 * Makes what the data says comes `after` other integrations wait for them: an integration is created and changed only when
 * those are as desired and healthy, on the same cluster and in the same environment. Deletions do not wait.
 */
export function planWaves(plan: Plan, { after, groups }: Pick<Desired, "after" | "groups">): Plan {
  if (after.size === 0) return plan;
  const environments = new Map(
    groups.map(({ namespace }) => [targetKey(namespace.cluster.name, namespace.name), namespace.environment.name]),
  );
  const running = new Map<string, Prerequisite[]>();
  for (const { namespace, resources } of groups) {
    const cluster = namespace.cluster.name;
    for (const attribution of new Set(resources.map((resource) => resource.attribution))) {
      const key = waveKey(cluster, namespace.environment.name, attribution);
      running.set(key, [...(running.get(key) ?? []), { cluster, namespace: namespace.name, attribution }]);
    }
  }
  const refusals: PlanRefusal[] = [];
  const actions = plan.actions.flatMap((action): Action[] => {
    const { attribution, cluster, namespace } = action;
    const names = attribution === undefined ? undefined : after.get(attribution);
    if (!names || (action.action !== "create" && action.action !== "update")) return [action];
    const broken = plan.errors.find(
      (error) => names.some((name) => name === error.attribution) && (error.cluster ?? cluster) === cluster,
    );
    if (broken) {
      const reason = `${attribution} comes after ${broken.attribution}, which has an error: ${broken.what}`;
      refusals.push(refusalOf(action, reason, `fix ${broken.attribution}, then run again`));
      return [];
    }
    const environment = environments.get(targetKey(cluster, namespace)) ?? "";
    return [
      waitingFor(
        action,
        names.flatMap((name) => running.get(waveKey(cluster, environment, name)) ?? []),
      ),
    ];
  });
  return revisePlan(plan, actions, refusals);
}

function waveKey(cluster: string, environment: string, integration: string | undefined): string {
  return JSON.stringify([cluster, environment, integration]);
}
