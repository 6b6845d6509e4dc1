import { isRecord, systemClock } from "#base";
import type { KubeObject } from "#kube";
import {
  promotionAnnotations,
  promotionLabels,
  readSnapshot,
  Release,
  releaseConditions,
  ReleasePlan,
  type ShownReleaseState,
  viewRelease,
} from "#promotion";
import { findObjects, type GetCoupledChoice, inNamespace } from "../couple/get-coupled.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows } from "../terminal/print-rows.ts";
import { releaseColours } from "./state-colours.ts";

interface ReleasePlanRow {
  readonly namespace: string;
  readonly plan: string;
  /** The Application or ComponentGroup. */
  readonly owner: string;
  readonly target?: string;
  /** Whether it releases by itself: `yes`, `no`, or the expression that decides. */
  readonly automatic: string;
  readonly author?: string;
  readonly lastRelease?: string;
  readonly state?: ShownReleaseState;
  readonly released?: string;
  readonly problem?: string;
}

/** `tenon get releaseplans`: those with a problem first. */
export async function getReleasePlans(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const found = await findObjects(ReleasePlan, name, choice, shell);
  const [only] = name === undefined ? [] : found;
  const around = only ? { ...choice, namespace: only.metadata.namespace ?? "", allNamespaces: false } : choice;
  const releases = await findObjects(Release, undefined, around, shell);
  const rows = found
    .map((plan) => rowOf(plan, releases))
    .toSorted((one, other) => Number(one.problem === undefined) - Number(other.problem === undefined));
  const now = systemClock.now();
  const columns: Column<ReleasePlanRow>[] = [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "plan", value: ({ plan }) => plan, keep: "all" },
    { header: "of", value: ({ owner }) => owner },
    { header: "target", value: ({ target }) => target },
    { header: "automatic", value: ({ automatic }) => automatic },
    { header: "last", value: ({ state }) => state, colour: ({ state }) => state && releaseColours[state] },
    { header: "age", value: ({ released }) => describeAge(released, now) },
    {
      header: "problem",
      value: ({ problem }) => problem,
      below: ({ problem }) => (problem === undefined ? [] : [problem]),
    },
  ];
  await printRows({ rows, columns, whenEmpty: `no release plans${inNamespace(choice)}` }, choice.output, shell);
}

function rowOf(plan: KubeObject, releases: readonly KubeObject[]): ReleasePlanRow {
  const { namespace = "", name, labels = {}, annotations = {} } = plan.metadata;
  const { target } = isRecord(plan["spec"]) ? plan["spec"] : {};
  const [last] = releases
    .map(viewRelease)
    .filter((each) => each.namespace === namespace && each.plan === name)
    .toSorted((one, other) => (one.created < other.created ? 1 : -1));
  const expression = annotations[promotionAnnotations.autoRelease];
  const automatic = labels[promotionLabels.autoRelease] === "false" ? "no" : "yes";
  const author = labels[promotionLabels.author];
  const problem = planProblem(plan);
  return {
    namespace,
    plan: name,
    owner: readSnapshot(plan).owner?.name ?? "",
    ...(typeof target === "string" ? { target } : {}),
    automatic: expression === undefined || expression === "" ? automatic : expression,
    ...(author === undefined ? {} : { author }),
    ...(last ? { lastRelease: last.release, state: last.state, released: last.created } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** What the controller of plans says would make a Release fail. */
function planProblem(plan: KubeObject): string | undefined {
  const { status } = plan;
  const conditions =
    isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
  if (conditions.length === 0) {
    return `no controller has looked at it: run \`tenon run --only promote --promote releases\`, or see \`tenon doctor --promotion --namespaces ${plan.metadata.namespace}\``;
  }
  const { releasable, evaluated } = releaseConditions;
  const found = [releasable, evaluated].flatMap((type) =>
    conditions.filter((condition) => condition["type"] === type && condition["status"] === "False"),
  );
  return found.length === 0 ? undefined : found.map(({ message }) => String(message)).join("; ");
}
