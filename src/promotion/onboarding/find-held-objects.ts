import type { KubeClient, KubeObject } from "#kube";
import { type MetadataChange, patchMetadata } from "../builds/patch-metadata.ts";
import { Component } from "../kinds/component.ts";
import { promotionFinalizers } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";

const ours: ReadonlySet<string> = new Set(Object.values(promotionFinalizers));
/** A Component makes a last Snapshot when it is deleted, and a Release removes its runs: they come first. */
const heldKinds = [
  { apiVersion: Component.apiVersion, kind: Component.kind },
  { apiVersion: Release.apiVersion, kind: Release.kind },
  { apiVersion: "tekton.dev/v1", kind: "PipelineRun" },
  { apiVersion: "batch/v1", kind: "Job" },
];

/** The metadata of objects that have a finalizer of builds, tests or releases; without a namespace, of all. */
export async function findHeldObjects(
  client: KubeClient,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const served = await client.discovery.resources(signal);
  const held: KubeObject[] = [];
  for (const { apiVersion, kind } of heldKinds) {
    if (!served.some((each) => each.apiVersion === apiVersion && each.kind === kind)) continue;
    const { items } = await client.list({ apiVersion, kind, namespace, metadataOnly: true }, signal);
    held.push(...items.filter(({ metadata: { finalizers = [] } }) => finalizers.some((each) => ours.has(each))));
  }
  return held;
}

/** Removes the finalizers of builds, tests and releases, and no others. */
export async function removePromotionFinalizers(
  object: KubeObject,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  await patchMetadata(object, withoutOurs, client, signal);
}

function withoutOurs({ metadata: { finalizers = [] } }: KubeObject): MetadataChange {
  const left = finalizers.filter((finalizer) => !ours.has(finalizer));
  return left.length === finalizers.length ? {} : { finalizers: left };
}
