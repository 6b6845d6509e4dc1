import { createHash } from "node:crypto";
import { compareText } from "#base";
import type { KubeObject, NewObject } from "#kube";
import { Application } from "../kinds/application.ts";
import {
  copiedPacPrefix,
  inheritedPrefixes,
  pacNames,
  pacPrefix,
  promotionAnnotations,
  promotionLabels,
} from "../kinds/promotion-names.ts";
import { Snapshot, type SnapshotComponent } from "../kinds/snapshot.ts";
import { isPushEvent, pullRequestOf } from "./build-event.ts";
import type { BuildRun } from "./build-run.ts";
import { entryBytes } from "./fit-annotations.ts";

export interface SnapshotParts {
  readonly application: KubeObject;
  readonly type: "component" | "group" | "override";
  readonly components: readonly SnapshotComponent[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A Snapshot without a name. */
export function composeSnapshot({ application, type, components, labels, annotations }: SnapshotParts): NewObject {
  const { namespace = "", name, uid = "" } = application.metadata;
  return {
    apiVersion: Snapshot.apiVersion,
    kind: Snapshot.kind,
    metadata: {
      namespace,
      labels: { ...labels, [promotionLabels.snapshotType]: type, [promotionLabels.application]: name },
      annotations: { ...annotations, [promotionAnnotations.contentHash]: contentHash(components) },
      ownerReferences: [{ apiVersion: Application.apiVersion, kind: Application.kind, name, uid, controller: true }],
    },
    spec: { application: name, components },
  };
}

/** A hash of what a Snapshot holds, whatever the order; for audits, and to find the same content again. */
export function contentHash(components: readonly SnapshotComponent[]): string {
  const sorted = components.toSorted((one, other) => compareText(keyOfRow(one), keyOfRow(other)));
  const rows = sorted.map(({ name, version, containerImage, source }) => [name, version, containerImage, source?.git]);
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
}

function keyOfRow({ name, version = "", containerImage }: SnapshotComponent): string {
  return `${name}\n${version}\n${containerImage}`;
}

/** Results beyond this many bytes are left out: an object has at most 256 KiB of annotations. */
const mostResultBytes = 64 * 1_024;
/** The same for other annotations of the run. The results of tests need the rest. */
const mostInheritedBytes = 64 * 1_024;
/** What fits into the name of an annotation after `result-`. */
const resultName = /^[a-z0-9.-]{0,55}[a-z0-9]$/;
/** Annotations of the run that are about the run itself. */
const ownAnnotations: ReadonlySet<string> = new Set([
  promotionAnnotations.snapshotStatus,
  promotionAnnotations.candidate,
  promotionAnnotations.groupStatus,
  promotionAnnotations.testStatus,
  promotionAnnotations.buildReport,
  promotionAnnotations.reportFailure,
]);

export interface DescribedBuild extends Pick<SnapshotParts, "labels" | "annotations"> {
  /** Annotations of the run, and of its results, that are too large for the Snapshot. */
  readonly leftOut: readonly string[];
}

/** The labels and annotations by which a Snapshot tells of the run that built it. */
export function describeBuildRun(run: BuildRun): DescribedBuild {
  const copied = keepSmallest(inherited(run.annotations), mostInheritedBytes);
  const results = keepSmallest(resultAnnotations(run.results), mostResultBytes);
  const pullRequest = pullRequestOf(run);
  const sourceRepository = run.annotations[`${pacPrefix}${pacNames.sourceRepositoryUrl}`];
  return {
    labels: {
      ...inherited(run.labels),
      ...(pullRequest === undefined ? {} : { [`${copiedPacPrefix}${pacNames.pullRequest}`]: pullRequest }),
      [promotionLabels.component]: run.component ?? "",
      [promotionLabels.buildRun]: run.name,
      [promotionLabels.buildFinished]: String(Math.floor(run.finishedAt / 1_000)),
    },
    leftOut: [...copied.leftOut, ...results.leftOut].toSorted(),
    annotations: {
      ...copied.kept,
      ...results.kept,
      [promotionAnnotations.buildStarted]: String(run.startedAt),
      [promotionAnnotations.workflow]: isPushEvent(run) ? "push" : "pull-request",
      ...(sourceRepository === undefined ? {} : { [promotionAnnotations.sourceRepository]: sourceRepository }),
    },
  };
}

function inherited(values: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(values).flatMap(([key, value]): [string, string][] => {
    if (key.startsWith(pacPrefix)) return [[`${copiedPacPrefix}${key.slice(pacPrefix.length)}`, value]];
    const isInherited = inheritedPrefixes.some((prefix) => key.startsWith(prefix)) && !ownAnnotations.has(key);
    return isInherited || key === promotionAnnotations.spanContext ? [[key, value]] : [];
  });
  return Object.fromEntries(kept);
}

/** The largest are left out first: what decides about tests and releases is short. */
function keepSmallest(values: Readonly<Record<string, string>>, mostBytes: number) {
  let bytes = 0;
  const leftOut: string[] = [];
  const kept = Object.entries(values)
    .toSorted((one, other) => entryBytes(...one) - entryBytes(...other))
    .filter(([name, value]) => {
      bytes += entryBytes(name, value);
      if (bytes > mostBytes) leftOut.push(name);
      return bytes <= mostBytes;
    });
  return { kept: Object.fromEntries(kept), leftOut };
}

function resultAnnotations(results: ReadonlyMap<string, string>): Record<string, string> {
  const named = [...results].map(([name, value]) => [name.toLowerCase().replaceAll("_", "-"), value] as const);
  return Object.fromEntries(
    named
      .filter(([name, value]) => value !== "" && resultName.test(name))
      .map(([name, value]) => [`${promotionAnnotations.resultPrefix}${name}`, value]),
  );
}

/** What a Snapshot says of components that it lacks, and of annotations of its build. */
export function describeOmitted(omitted: readonly string[], leftOut: readonly string[] = []): string {
  return [
    ...(omitted.length === 0
      ? []
      : [`components without an image by digest or without a source in git are not included: ${omitted.join(", ")}`]),
    ...(leftOut.length === 0
      ? []
      : [`annotations of the build that are too large are not copied: ${leftOut.slice(0, mostNamed).join(", ")}`]),
  ].join("; ");
}

const mostNamed = 10;
