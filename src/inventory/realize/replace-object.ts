import { InputError, type JsonObject, valueAt } from "#base";
import { type ApiError, describeRef, type KubeObject, refOf } from "#kube";
import { compareQuantities } from "../compare/quantity.ts";
import { refusedChange } from "./explain-failure.ts";
import type { RealizeContext } from "./realize-options.ts";
import { waitFor } from "./wait.ts";
import { successorLabel } from "../object/attribution.ts";
import { type Exact, isExactList, mapAt } from "../object/exact.ts";
import { liveBody } from "../object/managed-object.ts";

/** Kinds that lose nothing when they are deleted and created again. */
const replaceable = new Set(["Route", "Service", "Secret", "Job"]);

/**
 * Replaces an object whose change the API server refuses, without losing what belongs to it; else throws the refusal. A dry run has
 * none, and notes the calls.
 */
export async function replaceObject(
  object: KubeObject,
  live: KubeObject,
  refusal: ApiError | undefined,
  context: RealizeContext,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  // With another fault in it the new object would be refused too, when the old one is gone.
  if (refusal && !isAllAboutChange(refusal)) throw refusal;
  const what = refusal ? refusedChange(refusal) : "field";
  if (object.kind === "Deployment" && what === "field") return await replaceDeployment(object, live, context, signal);
  if (object.kind === "StatefulSet" && what !== "address") {
    return await replaceStatefulSet(object, live, context, signal);
  }
  if (refusal && !replaceable.has(object.kind)) throw refusal;
  context.audit("replace");
  await deleteAndWait(live, "Background", context, signal);
  return await context.writer.apply(object, {}, signal);
}

const aboutChange =
  /field is immutable|may not change once set|primary clusterIP can not be unset|updates to statefulset spec for fields other than/;

function isAllAboutChange({ details }: ApiError): boolean {
  const causes = details?.causes ?? [];
  return causes.every(({ message = "" }) => aboutChange.test(message));
}

/** Deletes exactly this object, and returns when it is gone. */
async function deleteAndWait(
  live: KubeObject,
  propagation: "Background" | "Foreground" | "Orphan",
  { client, writer, clock, waitMs: timeoutMs, dryRun }: RealizeContext,
  signal: AbortSignal,
): Promise<void> {
  const ref = refOf(live);
  const { uid } = live.metadata;
  await writer.delete(ref, { uid, propagation }, signal);
  if (dryRun) return;
  const look = async () => {
    const found = await client.find({ ...ref, metadataOnly: true }, signal);
    if (!found || found.metadata.uid !== uid) return undefined;
    const { finalizers = [] } = found.metadata;
    return finalizers.length === 0 ? "it is still there" : `its finalizers are still there: ${finalizers.join(", ")}`;
  };
  await waitFor(`${describeRef(ref)} to be gone`, look, { clock, timeoutMs }, signal);
}

/**
 * Replaces a Deployment whose selector changes. Its ReplicaSets stay when it is deleted, and get the labels by which its
 * successor finds them: it adopts them, and scales them down as its own pods become ready. Killed on the way, the next run goes on,
 * because the ReplicaSets are marked before anything is deleted.
 */
async function replaceDeployment(
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

/** Deployments adopt ReplicaSets that have no owner and match their selector. */
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

interface Growth {
  /** The name of the claim template. */
  readonly template: string;
  readonly storage: string;
}

/**
 * Replaces a StatefulSet whose change the API server does not allow. Its pods keep running and are adopted by the new
 * one. Claims are enlarged first: if that is refused, nothing has been deleted; and killed on the way, the next run goes on.
 */
async function replaceStatefulSet(
  object: KubeObject,
  live: KubeObject,
  context: RealizeContext,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  refuseLostPods(object, live);
  context.audit("delete_sts_and_apply");
  for (const growth of growthOf(object, live)) await enlargeClaims(live, growth, context, signal);
  await deleteAndWait(live, "Orphan", context, signal);
  return await context.writer.apply(object, {}, signal);
}

/** Pods that the new selector does not match would stay for ever, in the way of those of the new StatefulSet. */
function refuseLostPods(object: KubeObject, live: KubeObject): void {
  const labels = valueAt(live, ["spec", "template", "metadata", "labels"]);
  const selector = valueAt(object, ["spec", "selector", "matchLabels"]) ?? {};
  const missing = Object.entries(selector).filter(([key, value]) => valueAt(labels, [key]) !== value);
  if (missing.length === 0) return;
  throw new InputError(
    `its pods do not have the labels of the new selector: ${missing.map(([key]) => key).join(", ")}`,
    {
      where: describeRef(refOf(live)),
      next: "keep the selector, or delete the StatefulSet and run again",
    },
  );
}

function growthOf(object: KubeObject, live: KubeObject): Growth[] {
  const wanted = storages(object);
  return [...storages(live)].flatMap(([template, before]) => {
    const where = `${describeRef(refOf(live))}: claim template ${template}`;
    const storage = wanted.get(template);
    if (!wanted.has(template) || before === undefined) return [];
    if (storage === undefined) {
      throw new InputError("no longer requests storage", { where, next: `write ${before}` });
    }
    const order = compareQuantities(storage, before);
    if (order === undefined || order < 0) {
      throw new InputError(`storage cannot change from ${before} to ${storage}: claims can only grow`, {
        where,
        next: `write ${before} or more`,
      });
    }
    return order === 0 ? [] : [{ template, storage }];
  });
}

/** By the name of the claim template. */
function storages(statefulSet: KubeObject): ReadonlyMap<string, string | undefined> {
  const templates = mapAt(liveBody(statefulSet), "spec")["volumeClaimTemplates"];
  return new Map(
    (isExactList(templates) ? templates : []).map((template) => {
      const storage = mapAt(mapAt(mapAt(template, "spec"), "resources"), "requests")["storage"];
      const name = mapAt(template, "metadata")["name"];
      return [text(name) ?? "", text(storage)];
    }),
  );
}

function text(value: Exact | undefined): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

async function enlargeClaims(
  live: KubeObject,
  { template, storage }: Growth,
  { client, writer, audit }: RealizeContext,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = live.metadata;
  const prefix = `${template}-${name}-`;
  const kind = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
  const { items } = await client.list({ ...kind, namespace }, signal);
  const claims = items.filter((claim) => {
    const requested = valueAt(claim, ["spec", "resources", "requests", "storage"]);
    const ordinal = claim.metadata.name.startsWith(prefix) ? claim.metadata.name.slice(prefix.length) : "";
    return /^\d+$/.test(ordinal) && (compareQuantities(String(requested), storage) ?? 0) < 0;
  });
  if (claims.length === 0) return;
  audit(
    "resizing_pvcs",
    claims.map((claim) => claim.metadata.name),
  );
  for (const claim of claims) {
    const body = { spec: { resources: { requests: { storage } } } };
    await writer.patch(refOf(claim), { type: "merge", body }, signal);
  }
}
