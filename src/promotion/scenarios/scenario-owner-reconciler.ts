import { type KubeClient, type KubeObject, type ObjectStore, type OwnerReference, refOf } from "#kube";
import { done, preconditions, type Reconciler, writeConditionally } from "#runtime";
import { upstreamGroup } from "../kinds/promotion-names.ts";
import { ownerIn } from "./tested-snapshot.ts";
import type { TestingDeps } from "./testing-deps.ts";

interface ScenarioOwnerDeps extends Pick<TestingDeps, "ownerOf" | "mayWrite"> {
  readonly client: KubeClient;
  readonly scenarios: Pick<ObjectStore, "get">;
}

/** Makes a scenario part of the Application or ComponentGroup that it names, with which it is deleted. */
export function scenarioOwnerReconciler({ client, scenarios, ownerOf, mayWrite }: ScenarioOwnerDeps): Reconciler {
  return async function reconcileScenarioOwner(key, signal) {
    const scenario = scenarios.get(key);
    if (!scenario || scenario.metadata.deletionTimestamp !== undefined || !mayWrite()) return done;
    const named = ownerIn(scenario["spec"]);
    const owner = named && ownerOf(named.kind, `${scenario.metadata.namespace}/${named.name}`);
    if (!owner || owner.metadata.deletionTimestamp !== undefined) return done;
    await writeConditionally(
      scenario,
      client,
      (current) => {
        const ownerReferences = ownedBy(current, owner);
        const body = { metadata: { ...preconditions(current), ownerReferences } };
        return ownerReferences && client.patch(refOf(current), { type: "merge", body }, signal);
      },
      signal,
    );
    return done;
  };
}

/** The references that a scenario is to have; undefined if it has them. One to an owner that it named before goes. */
function ownedBy(scenario: KubeObject, { apiVersion, kind, metadata }: KubeObject): OwnerReference[] | undefined {
  const { name, uid = "" } = metadata;
  const { ownerReferences = [] } = scenario.metadata;
  const others = ownerReferences.filter(({ apiVersion: version }) => !version.startsWith(`${upstreamGroup}/`));
  const isOwned = ownerReferences.some((reference) => reference.uid === uid);
  if (isOwned && others.length === ownerReferences.length - 1) return undefined;
  return [...others, { apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false }];
}
