import type { Action, Plan, PlanRefusal, Prerequisite } from "#inventory";
import type { Desired } from "../desired/desired.ts";
import { targetKey } from "../survey/survey-namespaces.ts";
import { isChange, refusalOf, revisePlan, waitingFor } from "./revise-plan.ts";

/** Why an integration does not become what it should be in this run, and what to do about it. */
interface Obstacle {
  readonly why: string;
  readonly next: string;
}

/**
 * Makes what the data says comes `after` other integrations wait for them: an integration is created and changed only when
 * those are as desired and healthy, on the same cluster and in the same environment. Deletions do not wait.
 */
export function planWaves(plan: Plan, { after, groups }: Pick<Desired, "after" | "groups">): Plan {
  if (after.size === 0) return plan;
  const environments = new Map(
    groups.map(({ namespace }) => [targetKey(namespace.cluster.name, namespace.name), namespace.environment.name]),
  );
  const environmentOf = (cluster: string, namespace: string) => environments.get(targetKey(cluster, namespace)) ?? "";
  const running = new Map<string, Prerequisite[]>();
  for (const { namespace, resources } of groups) {
    const cluster = namespace.cluster.name;
    for (const attribution of new Set(resources.map((resource) => resource.attribution))) {
      const key = waveKey(cluster, namespace.environment.name, attribution);
      running.set(key, [...(running.get(key) ?? []), { cluster, namespace: namespace.name, attribution }]);
    }
  }
  const stuck = findStuck(plan, groups);

  function obstacleBefore({ attribution, cluster, namespace }: Action): Obstacle | undefined {
    const environment = environmentOf(cluster, namespace);
    for (const name of namesBefore(attribution)) {
      const broken = plan.errors.find(
        (error) =>
          error.attribution === name &&
          (error.cluster ?? cluster) === cluster &&
          (error.namespace === undefined || environmentOf(cluster, error.namespace) === environment),
      );
      const why = `${attribution} comes after ${name}`;
      if (broken) return { why: `${why}, which has an error: ${broken.what}`, next: `fix ${name}, then run again` };
      const held = stuck.get(waveKey(cluster, environment, name));
      if (held) return { why: `${why}, which is not as desired: ${held.why}`, next: held.next };
    }
    return undefined;
  }

  function namesBefore(integration: string | undefined): readonly string[] {
    return (integration !== undefined && after.get(integration)) || [];
  }

  // What is held back holds back what comes after it, and so on, until nothing is added.
  const held = new Map<Action, Obstacle>();
  for (let before = -1; held.size > before; ) {
    before = held.size;
    for (const action of plan.actions) {
      const obstacle = !isChange(action) || held.has(action) ? undefined : obstacleBefore(action);
      if (!obstacle) continue;
      held.set(action, obstacle);
      const key = waveKey(action.cluster, environmentOf(action.cluster, action.namespace), action.attribution);
      if (!stuck.has(key)) stuck.set(key, obstacle);
    }
  }
  const refusals: PlanRefusal[] = [];
  const actions = plan.actions.flatMap((action): Action[] => {
    const obstacle = held.get(action);
    if (obstacle) {
      refusals.push(refusalOf(action, obstacle.why, obstacle.next));
      return [];
    }
    if (!isChange(action)) return [action];
    const { attribution, cluster, namespace } = action;
    const keys = namesBefore(attribution).map((name) => waveKey(cluster, environmentOf(cluster, namespace), name));
    return [
      waitingFor(
        action,
        keys.flatMap((key) => running.get(key) ?? []),
      ),
    ];
  });
  return revisePlan(plan, actions, refusals);
}

/** The integrations of which a write is held back or refused, by `waveKey`. */
function findStuck({ refusals }: Plan, groups: Desired["groups"]): Map<string, Obstacle> {
  const refused = new Map(
    refusals.filter(({ action }) => action !== "delete").map((refusal) => [addressKey(refusal), refusal]),
  );
  const stuck = new Map<string, Obstacle>();
  if (refused.size === 0) return stuck;
  for (const { namespace, resources } of groups) {
    const cluster = namespace.cluster.name;
    for (const { kind, name, attribution } of resources) {
      const refusal = refused.get(addressKey({ cluster, namespace: namespace.name, kind, name }));
      if (!refusal) continue;
      const why = `${kind} ${name}: ${refusal.reason}`;
      stuck.set(waveKey(cluster, namespace.environment.name, attribution), { why, next: refusal.next });
    }
  }
  return stuck;
}

function addressKey({
  cluster,
  namespace,
  kind,
  name,
}: Pick<PlanRefusal, "cluster" | "namespace" | "kind" | "name">): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}

function waveKey(cluster: string, environment: string, integration: string | undefined): string {
  return JSON.stringify([cluster, environment, integration]);
}
