import { compareText, isRecord } from "#base";
import type { KubeObject } from "#kube";
import type { ComponentSource } from "../kinds/component-source.ts";
import { promotionAnnotations } from "../kinds/promotion-names.ts";
import type { SnapshotComponent } from "../kinds/snapshot.ts";
import { isByDigest } from "./built-image.ts";

/** An image that may become the candidate of its component. */
export interface CandidateImage {
  readonly image: string;
  readonly commit: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** What has to be written to a Component; empty parts are not written. */
export interface CandidateChange {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: Readonly<Record<string, string>>;
}

/** Makes an image the candidate of its component, unless a newer build is: undefined then. Of two that started in one second, the later one wins. */
export function changeCandidate(component: KubeObject, candidate: CandidateImage): CandidateChange | undefined {
  const seconds = Math.floor(candidate.startedAt / 1_000);
  const recorded = component.metadata.annotations?.[promotionAnnotations.lastBuildTime];
  if (recorded !== undefined && Number(recorded) > seconds) return undefined;
  const { image, commit } = currentCandidate(component);
  const status = {
    ...(image === candidate.image ? {} : { lastPromotedImage: candidate.image }),
    ...(!candidate.commit || commit === candidate.commit ? {} : { lastBuiltCommit: candidate.commit }),
  };
  return {
    ...(recorded === String(seconds) ? {} : { annotations: { [promotionAnnotations.lastBuildTime]: String(seconds) } }),
    ...(Object.keys(status).length === 0 ? {} : { status }),
  };
}

/** The candidate of a component, as other components' Snapshots take it. */
export function currentCandidate({ status }: KubeObject): {
  readonly image: string | undefined;
  readonly commit: string | undefined;
} {
  const { lastPromotedImage, lastBuiltCommit } = isRecord(status) ? status : {};
  return {
    image: typeof lastPromotedImage === "string" && lastPromotedImage !== "" ? lastPromotedImage : undefined,
    commit: typeof lastBuiltCommit === "string" && lastBuiltCommit !== "" ? lastBuiltCommit : undefined,
  };
}

export interface ComposedComponents {
  readonly components: readonly SnapshotComponent[];
  /** The names of components without an image by digest, or without a source in git. */
  readonly omitted: readonly string[];
}

/** The components of a Snapshot: those that were just built, and of all others their candidates. */
export function composeComponents(
  all: readonly KubeObject[],
  built: ReadonlyMap<string, SnapshotComponent> = new Map(),
): ComposedComponents {
  const components: SnapshotComponent[] = [];
  const omitted: string[] = [];
  for (const component of all.toSorted((one, other) => compareText(one.metadata.name, other.metadata.name))) {
    const { name, deletionTimestamp } = component.metadata;
    const row = built.get(name) ?? candidateRow(component);
    if (row) components.push(row);
    else if (deletionTimestamp === undefined) omitted.push(name);
  }
  return { components, omitted };
}

function candidateRow(component: KubeObject): SnapshotComponent | undefined {
  const { image, commit } = currentCandidate(component);
  const source = sourceOf(component, commit);
  if (component.metadata.deletionTimestamp !== undefined || image === undefined || !isByDigest(image)) return undefined;
  return source && { name: component.metadata.name, containerImage: image, source };
}

/** Where a component's code is, at a commit; undefined for one without a repository. */
export function sourceOf({ spec }: KubeObject, commit: string | undefined): ComponentSource | undefined {
  const source = isRecord(spec) ? spec["source"] : undefined;
  const git = isRecord(source) ? source["git"] : undefined;
  if (!isRecord(git) || typeof git["url"] !== "string" || git["url"] === "") return undefined;
  const text = (name: string) => (typeof git[name] === "string" && git[name] !== "" ? { [name]: git[name] } : {});
  const optional = { ...text("context"), ...text("devfileUrl"), ...text("dockerfileUrl") };
  return { git: { url: git["url"], ...optional, ...(commit === undefined ? text("revision") : { revision: commit }) } };
}
