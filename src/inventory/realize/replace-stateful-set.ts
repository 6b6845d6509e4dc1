import { InputError, valueAt } from "#base";
import { describeRef, type KubeObject, refOf } from "#kube";
import { compareQuantities } from "../compare/quantity.ts";
import { liveBody } from "../current/live-body.ts";
import { type Exact, isExactList, mapAt } from "../resource/exact.ts";
import { deleteAndWait } from "./delete-and-wait.ts";
import type { RealizeContext } from "./realize-context.ts";

interface Growth {
  /** The name of the claim template. */
  readonly template: string;
  readonly storage: string;
}

/**
 * Makes a StatefulSet anew in a way that the API server does not allow as a change. Its pods keep running and are adopted by the new
 * one. Claims are enlarged first: if that is refused, nothing has been deleted; and killed on the way, the next run goes on.
 */
export async function replaceStatefulSet(
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
