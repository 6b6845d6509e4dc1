import { compareText, InputError, isRecord } from "#base";
import type { KubeClient, KubeObject, NewObject } from "#kube";
import { imageByDigest } from "../builds/built-image.ts";
import { composeComponents, currentCandidate, sourceOf } from "../builds/candidate-list.ts";
import { composeSnapshot, describeOmitted } from "../builds/compose-snapshot.ts";
import { requireObject } from "../builds/require-object.ts";
import { Application } from "../kinds/application.ts";
import { Component } from "../kinds/component.ts";
import { promotionAnnotations } from "../kinds/promotion-names.ts";
import type { SnapshotComponent } from "../kinds/snapshot.ts";

/** What a person wants to test and release together. */
export interface AskedOverride {
  readonly namespace: string;
  readonly application: string;
  /** By component, with a digest; of the other components their candidates are taken. */
  readonly images: ReadonlyMap<string, string>;
}

export interface OverridePlan {
  /** Without a name. */
  readonly snapshot: NewObject;
  readonly rows: readonly { readonly component: string; readonly before: string | undefined; readonly image: string }[];
  readonly omitted: readonly string[];
}

/** The override Snapshot that a person asks for, with all components of the application as they are now. */
export async function planOverride(
  { namespace, application: owner, images }: AskedOverride,
  client: Pick<KubeClient, "find" | "list">,
  signal: AbortSignal,
): Promise<OverridePlan> {
  const application = await requireObject(Application, namespace, owner, client, signal);
  const { apiVersion, kind } = Component;
  const all = (await client.list({ apiVersion, kind, namespace }, signal)).items.filter(
    ({ metadata, spec }) => metadata.deletionTimestamp === undefined && isRecord(spec) && spec["application"] === owner,
  );
  requireKnown([...images.keys()], all, application);
  const given = all.flatMap((component): [string, SnapshotComponent][] => {
    const { name } = component.metadata;
    const image = images.get(name);
    return image === undefined ? [] : [[name, givenRow(component, image)]];
  });
  const { components, omitted } = composeComponents(all, new Map(given));
  if (components.length === 0) {
    throw new InputError(`no component of Application ${namespace}/${owner} has an image`, {
      next: "give images with --image COMPONENT=REPOSITORY@sha256:...",
    });
  }
  const annotations = omitted.length === 0 ? {} : { [promotionAnnotations.snapshotStatus]: describeOmitted(omitted) };
  const before = new Map(all.map((component) => [component.metadata.name, currentCandidate(component).image]));
  return {
    snapshot: composeSnapshot({ application, type: "override", components, labels: {}, annotations }),
    rows: components.map(({ name, containerImage }) => ({
      component: name,
      before: before.get(name),
      image: containerImage,
    })),
    omitted,
  };
}

function requireKnown(names: readonly string[], all: readonly KubeObject[], { metadata }: KubeObject): void {
  const known = all.map((component) => component.metadata.name).toSorted(compareText);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new InputError(`Application ${metadata.namespace}/${metadata.name} has no component ${unknown.join(", ")}`, {
    next: known.length === 0 ? "create a Component that names it in spec.application" : `it has ${known.join(", ")}`,
  });
}

/** An image that is the candidate already keeps the commit that it was built from; that of another one is unknown. */
function givenRow(component: KubeObject, image: string): SnapshotComponent {
  const containerImage = imageByDigest(image);
  const { image: candidate, commit } = currentCandidate(component);
  const source = sourceOf(component, containerImage === candidate ? commit : undefined);
  return { name: component.metadata.name, containerImage, ...(source ? { source } : {}) };
}
