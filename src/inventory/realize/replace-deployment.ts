import { InputError, type JsonObject, valueAt } from "#base";
import { describeRef, type KubeObject, refOf } from "#kube";
import { deleteAndWait } from "./delete-and-wait.ts";
import type { RealizeContext } from "./realize-context.ts";

/** On a ReplicaSet: the Deployment that will have it next. */
export const successorLabel = "tenon.dev/successor";

/**
 * Makes a Deployment anew whose selector changes. Its ReplicaSets are left alone when it is deleted, and get the labels by which its
 * successor finds them: it adopts them, and scales them down as its own pods become ready. Killed on the way, the next run goes on,
 * because the ReplicaSets are marked before anything is deleted.
 */
export async function replaceDeployment(
  object: KubeObject,
  live: KubeObject,
  context: RealizeContext,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const strategy = valueAt(live, ["spec", "strategy", "type"]);
  context.audit("replace");
  if (strategy === "Recreate") {
    await deleteAndWait(live, "Foreground", context, signal);
    return await context.writer.apply(object, {}, signal);
  }
  if (strategy !== "RollingUpdate") {
    throw new InputError(`cannot be replaced with the strategy ${String(strategy)}`, {
      where: describeRef(refOf(live)),
      next: "delete it, and run again",
    });
  }
  const owned = await ownedReplicaSets(live, context, signal);
  for (const replicaSet of owned) await label(replicaSet, { [successorLabel]: live.metadata.name }, context, signal);
  await deleteAndWait(live, "Orphan", context, signal);
  await handOver(object, owned, context, signal);
  return await context.writer.apply(object, {}, signal);
}

/** What a run that was killed left to the Deployment that is about to be made. */
export async function adoptLeftReplicaSets(
  object: KubeObject,
  context: RealizeContext,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace = "" } = object.metadata;
  const left = await context.leftReplicaSets(namespace);
  const ours = left.filter(({ metadata: { labels = {}, ownerReferences = [] } }) => {
    return labels[successorLabel] === name && !ownerReferences.some(({ controller }) => controller);
  });
  await handOver(object, ours, context, signal);
}

/** Deployments adopt ReplicaSets that nobody owns and that have the labels of their selector. */
async function handOver(
  deployment: KubeObject,
  replicaSets: readonly KubeObject[],
  context: RealizeContext,
  signal: AbortSignal,
): Promise<void> {
  const selector = valueAt(deployment, ["spec", "selector", "matchLabels"]);
  if (typeof selector !== "object" || selector === null) return;
  const labels = Object.fromEntries(Object.entries(selector).map(([key, value]) => [key, String(value)]));
  for (const replicaSet of replicaSets) await label(replicaSet, labels, context, signal);
}

async function label(
  replicaSet: KubeObject,
  labels: JsonObject,
  { writer, fieldManager }: RealizeContext,
  signal: AbortSignal,
): Promise<void> {
  const body = { metadata: { labels } };
  await writer.patch(refOf(replicaSet), { type: "merge", body, fieldManager: `${fieldManager}-successor` }, signal);
}

async function ownedReplicaSets(
  { apiVersion, metadata: { namespace, uid } }: KubeObject,
  { client }: RealizeContext,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { items } = await client.list({ apiVersion, kind: "ReplicaSet", namespace, metadataOnly: true }, signal);
  return items.filter(({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid),
  );
}
