import { ApiError, type KubeObject } from "#kube";
import { deleteAndWait } from "./delete-and-wait.ts";
import { refusedChange } from "./explain-failure.ts";
import type { RealizeContext } from "./realize-context.ts";
import { replaceDeployment } from "./replace-deployment.ts";
import { replaceStatefulSet } from "./replace-stateful-set.ts";

/** Kinds that lose nothing when they are deleted and made again. */
const replaceable = new Set(["Route", "Service", "Secret", "Job"]);

/** Makes an object anew whose change the API server refuses, without losing what belongs to it; else throws the refusal. */
export async function replaceObject(
  object: KubeObject,
  live: KubeObject,
  refusal: unknown,
  context: RealizeContext,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  // With another fault in it the new object would be refused too, when the old one is gone.
  if (!isAllAboutChange(refusal)) throw refusal;
  const what = refusedChange(refusal);
  if (object.kind === "Deployment" && what === "field") return await replaceDeployment(object, live, context, signal);
  if (object.kind === "StatefulSet" && what !== "address") {
    return await replaceStatefulSet(object, live, context, signal);
  }
  if (!replaceable.has(object.kind)) throw refusal;
  context.audit("replace");
  await deleteAndWait(live, "Background", context, signal);
  return await context.writer.apply(object, {}, signal);
}

const aboutChange =
  /field is immutable|may not change once set|primary clusterIP can not be unset|updates to statefulset spec for fields other than/;

function isAllAboutChange(refusal: unknown): boolean {
  const causes = refusal instanceof ApiError ? (refusal.details?.causes ?? []) : [];
  return causes.every(({ message = "" }) => aboutChange.test(message));
}
