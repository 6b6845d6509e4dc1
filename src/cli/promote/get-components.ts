import { isRecord, systemClock } from "#base";
import type { KubeObject } from "#kube";
import {
  Component,
  composeComponents,
  currentCandidate,
  promotionAnnotations,
  type SnapshotState,
  type SnapshotView,
} from "#promotion";
import { type GetCoupledChoice, inNamespace } from "../couple/get-coupled.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows } from "../terminal/print-rows.ts";
import { type Built, findBuilt, newestSnapshot, snapshotProblem } from "./find-built.ts";
import { shortImage } from "./short-image.ts";
import { snapshotColours } from "./state-colours.ts";

interface ComponentRow {
  readonly namespace: string;
  readonly component: string;
  readonly application: string;
  /** What Snapshots of other components contain. */
  readonly candidate?: string;
  readonly commit?: string;
  /** When the build of the candidate started. */
  readonly built?: string;
  /** The newest Snapshot of a build of it. */
  readonly snapshot?: string;
  readonly state?: SnapshotState;
  readonly problem?: string;
}

/** `tenon get components`: those with a problem first. */
export async function getComponents(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const built = await findBuilt(Component, name, choice, shell);
  const rows = built.found
    .map((component) => rowOf(component, built))
    .toSorted((one, other) => Number(one.problem === undefined) - Number(other.problem === undefined));
  const now = systemClock.now();
  const columns: Column<ComponentRow>[] = [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "component", value: ({ component }) => component, keep: "all" },
    { header: "application", value: ({ application }) => application, isDispensable: true },
    { header: "image", value: ({ candidate }) => candidate && shortImage(candidate) },
    { header: "built", value: (row) => describeAge(row.built, now) },
    { header: "snapshot", value: ({ snapshot }) => snapshot, keep: "end" },
    {
      header: "state",
      value: ({ state }) => state,
      colour: ({ state }) => state && snapshotColours[state],
      keep: "all",
    },
    {
      header: "problem",
      value: ({ problem }) => problem,
      below: ({ problem }) => (problem === undefined ? [] : [problem]),
    },
  ];
  await printRows({ rows, columns, whenEmpty: `no components${inNamespace(choice)}` }, choice.output, shell);
}

function rowOf(component: KubeObject, { applications, snapshots }: Built): ComponentRow {
  const { namespace = "", name, annotations = {} } = component.metadata;
  const spec = isRecord(component["spec"]) ? component["spec"] : {};
  const application = typeof spec["application"] === "string" ? spec["application"] : "";
  const { image, commit } = currentCandidate(component);
  const seconds = Number(annotations[promotionAnnotations.lastBuildTime] ?? Number.NaN);
  const last = newestSnapshot(snapshots, (each) => each.namespace === namespace && each.component === name);
  const problem = applications.has(`${namespace}/${application}`)
    ? (snapshotProblem(last) ?? candidateProblem(component, last))
    : ownerProblem(application);
  return {
    namespace,
    component: name,
    application,
    ...(image === undefined ? {} : { candidate: image }),
    ...(commit === undefined ? {} : { commit }),
    ...(Number.isSafeInteger(seconds) ? { built: new Date(seconds * 1_000).toISOString() } : {}),
    ...(last ? { snapshot: last.snapshot, state: last.state } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}

function ownerProblem(application: string): string {
  return application === ""
    ? "spec.application is missing: set it to the Application that the component is part of"
    : `Application ${application} not found: create it, or correct spec.application`;
}

/** Why Snapshots of other components do not contain this one. */
function candidateProblem(component: KubeObject, last: SnapshotView | undefined): string | undefined {
  if (composeComponents([component]).omitted.length === 0) return undefined;
  const { namespace = "", name } = component.metadata;
  const { image } = currentCandidate(component);
  if (image !== undefined) {
    return "other Snapshots leave it out: it needs spec.source.git.url, and a candidate with a digest";
  }
  return last
    ? "its build is not its candidate yet: `tenon run --only promote --promote builds` makes it one, with the policy AfterTests once its tests have passed"
    : `it has no image: build it, or say what was built with \`tenon promote build -n ${namespace} --component ${name}\``;
}
