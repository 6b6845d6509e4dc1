import { createHash } from "node:crypto";
import { InputError, isRecord } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import { Application } from "../kinds/application.ts";
import { Component } from "../kinds/component.ts";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { imageByDigest } from "./built-image.ts";
import { composeComponents, sourceOf } from "./candidate-list.ts";
import { composeSnapshot, describeOmitted } from "./compose-snapshot.ts";
import { createSnapshot } from "./create-snapshot.ts";
import { requireObject } from "./require-object.ts";
import { snapshotName } from "./snapshot-name.ts";

/** What any CI says of a commit that it built. */
export interface DeclaredBuild {
  readonly namespace: string;
  readonly component: string;
  /** With a digest. */
  readonly image: string;
  readonly commit: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface DeclaredSnapshot {
  readonly snapshot: KubeObject;
  /** The same build was declared before. */
  readonly isKnown: boolean;
  readonly omitted: readonly string[];
}

/**
 * Creates the Snapshot of a build, with the rights of the client; the controller then makes the image the candidate of its
 * component. The same image and commit of a component give the same Snapshot, however often they are declared, also at once.
 */
export async function declareBuild(
  { namespace, component: name, image: given, commit, startedAt }: DeclaredBuild,
  client: Pick<KubeClient, "find" | "list" | "create">,
  signal: AbortSignal,
): Promise<DeclaredSnapshot> {
  const image = imageByDigest(given);
  const component = await requireObject(Component, namespace, name, client, signal);
  const { spec } = component;
  const owner = isRecord(spec) && typeof spec["application"] === "string" ? spec["application"] : "";
  if (owner === "") {
    throw new InputError("spec.application is missing", {
      where: `Component ${namespace}/${name}`,
      next: "set it to the Application that the component is part of",
    });
  }
  const application = await requireObject(Application, namespace, owner, client, signal);
  const id = createHash("sha256")
    .update(JSON.stringify([name, image, commit]))
    .digest("hex")
    .slice(0, 40);
  const isSame = ({ metadata: { labels } }: KubeObject) => labels?.[promotionLabels.declaredBuild] === id;
  const { apiVersion, kind } = Snapshot;
  // Before the creation, which a quota may forbid.
  const known = await client.find({ apiVersion, kind, namespace, name: snapshotName(owner, undefined, id, 0) }, signal);
  if (known && isSame(known)) return { snapshot: known, isKnown: true, omitted: [] };
  const all = (await client.list({ apiVersion: Component.apiVersion, kind: Component.kind, namespace }, signal)).items;
  const source = sourceOf(component, commit);
  const row = { name, containerImage: image, ...(source ? { source } : {}) };
  const { components, omitted } = composeComponents(
    all.filter((other) => isRecord(other["spec"]) && other["spec"]["application"] === owner),
    new Map([[name, row]]),
  );
  const composed = composeSnapshot({
    application,
    type: "component",
    components,
    labels: { [promotionLabels.component]: name, [promotionLabels.declaredBuild]: id },
    annotations: {
      [promotionAnnotations.buildStarted]: String(startedAt),
      [promotionAnnotations.workflow]: "push",
      ...(omitted.length === 0 ? {} : { [promotionAnnotations.snapshotStatus]: describeOmitted(omitted) }),
    },
  });
  const snapshot = await createSnapshot(composed, { id, startedAt: undefined, isSame }, client, signal);
  return { snapshot, isKnown: false, omitted };
}
