import { InputError } from "#base";
import { describeRef, isKubeObject, type KubeObject, type ObjectRef } from "#kube";
import { apiVersionOf, type DeferredResource } from "../kinds/index.ts";

/** An object that must exist first. */
export interface AwaitedRef extends ObjectRef {
  readonly namespace: string;
}

/** Whether everything is done, by Tenon or by integration-operator. */
export function isResolved({ status }: DeferredResource): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Resolved" && is === "True") === true;
}

/** When `timeout` has passed, which counts from the creation; the same at each reading, so that a status that tells it is too. */
export function dueTimeMs({ metadata, spec }: DeferredResource): number {
  const seconds = spec.timeout ?? 0;
  return Date.parse(metadata.creationTimestamp ?? "") + seconds * 1000 || 0;
}

export function awaitedRefs({ metadata, spec }: DeferredResource): AwaitedRef[] {
  const { namespace = "" } = metadata;
  return (spec.waitFor ?? []).map((awaited) => ({
    apiVersion: apiVersionOf(awaited),
    kind: awaited.kind,
    namespace,
    name: awaited.name,
  }));
}

/** The object to create, in the namespace of the DeferredResource, whatever its own says. */
export function deferredObject({ metadata, spec }: DeferredResource): KubeObject {
  const { namespace = "", name } = metadata;
  const { resource } = spec;
  if (!isKubeObject(resource)) {
    throw new InputError(resource === undefined ? "there is no object to create" : "not a Kubernetes object", {
      where: `DeferredResource ${namespace}/${name} spec.resource`,
      next: "set apiVersion, kind and metadata.name",
    });
  }
  return { ...resource, metadata: { ...resource.metadata, namespace } };
}

const mostNames = 5;

/** `waiting for Secret shop/database and 2 more`. */
export function describeAwaited(missing: readonly AwaitedRef[]): string {
  const names = missing.slice(0, mostNames).map((ref) => describeRef(ref));
  const more = missing.length > mostNames ? ` and ${missing.length - mostNames} more` : "";
  return `waiting for ${names.join(", ")}${more}`;
}
