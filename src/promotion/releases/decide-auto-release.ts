import { createHash } from "node:crypto";
import { describeError, InputError, isRecord } from "#base";
import type { KubeObject } from "#kube";
import { pacNames, promotionAnnotations, promotionLabels, snapshotConditions } from "../kinds/promotion-names.ts";
import { pacValue, readSnapshot, type TestedSnapshot } from "../scenarios/tested-snapshot.ts";
import { snapshotCondition } from "../snapshots/snapshot-condition.ts";
import { buildStartOf } from "./build-start.ts";
import { describeExpressionProblem } from "./find-expression-problem.ts";
import type { evaluateReleaseExpression } from "./release-expression.ts";
import { type SupersessionRule, supersessionRuleOf } from "./supersession-rule.ts";

export interface AutoReleaseFacts {
  readonly snapshot: KubeObject;
  /** The ReleasePlans of its namespace and owner. */
  readonly plans: readonly KubeObject[];
  /** The other Snapshots of its namespace and owner. */
  readonly others: readonly KubeObject[];
  readonly now: number;
  readonly evaluate: typeof evaluateReleaseExpression;
}

/** What one plan says about a Snapshot. */
export type PlanAnswer =
  | { readonly plan: KubeObject; readonly kind: "release"; readonly name: string }
  | { readonly plan: KubeObject; readonly kind: "declined"; readonly reason: string }
  | { readonly plan: KubeObject; readonly kind: "superseded"; readonly by: string }
  | { readonly plan: KubeObject; readonly kind: "broken"; readonly problem: string };

/** What every plan says; undefined if the Snapshot is not one that is released by itself, or not yet. */
export function decideAutoRelease(facts: AutoReleaseFacts): readonly PlanAnswer[] | undefined {
  const snapshot = readSnapshot(facts.snapshot);
  if (!isReleasable(snapshot)) return undefined;
  return facts.plans
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
    .map((plan) => askPlan(plan, snapshot, facts));
}

/** Whether a Snapshot passed its tests, comes from a push, and may be released by itself. */
export function isReleasable({ object, isPush, type, labels }: TestedSnapshot): boolean {
  return (
    snapshotCondition(object, snapshotConditions.tests)?.status === "True" &&
    snapshotCondition(object, snapshotConditions.integration)?.reason !== "Invalid" &&
    isPush &&
    type !== "group" &&
    labels[promotionLabels.autoRelease] !== "false"
  );
}

function askPlan(plan: KubeObject, snapshot: TestedSnapshot, { others, now, evaluate }: AutoReleaseFacts): PlanAnswer {
  const { labels = {}, annotations = {} } = plan.metadata;
  const shouldRelease = snapshot.annotations[`${promotionAnnotations.resultPrefix}should-release`] !== "false";
  const expression = annotations[promotionAnnotations.autoRelease] ?? "";
  if (expression.trim() !== "") {
    try {
      const isSelected = evaluate(expression, {
        snapshot: snapshot.object,
        now,
        updatedComponentIs: (name) => snapshot.type !== "group" && snapshot.component === name,
        shouldRelease: () => shouldRelease,
      });
      if (!isSelected) return { plan, kind: "declined", reason: "its expression is false" };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { plan, kind: "broken", problem: describeExpressionProblem(error) };
    }
  } else if (labels[promotionLabels.autoRelease] === "false") {
    return { plan, kind: "declined", reason: `its label ${promotionLabels.autoRelease} is "false"` };
  } else if (!shouldRelease) {
    return { plan, kind: "declined", reason: "the build's result SHOULD_RELEASE is false" };
  }
  let rule: SupersessionRule;
  try {
    rule = supersessionRuleOf(plan);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { plan, kind: "broken", problem: describeError(error) };
  }
  const newer = findNewer(snapshot, others, rule);
  if (newer) return { plan, kind: "superseded", by: newer.metadata.name };
  return { plan, kind: "release", name: automatedReleaseName(snapshot, plan.metadata.name) };
}

/** A Snapshot of a later push to the same component, which is released in place of this one. */
function findNewer(
  snapshot: TestedSnapshot,
  others: readonly KubeObject[],
  rule: SupersessionRule,
): KubeObject | undefined {
  const start = buildStartOf(snapshot.object);
  const { component, owner } = snapshot;
  const isExempt = snapshot.annotations[promotionAnnotations.ignoreSupersession] === "true";
  if (component === undefined || start === undefined || isExempt || snapshot.type !== "component") return undefined;
  return others.find((object) => {
    const other = readSnapshot(object);
    const isSame = other.component === component && other.owner?.name === owner?.name && other.type === "component";
    const isLater = (buildStartOf(object) ?? 0) > start;
    const counts = rule === "Newer" || snapshotCondition(object, snapshotConditions.tests)?.status === "True";
    return isSame && other.isPush && isLater && counts;
  });
}

const longestBase = 54;
const suffixLength = 8;

/** The same for the same Snapshot and plan, so that two replicas cannot create two Releases. */
export function automatedReleaseName(snapshot: TestedSnapshot, plan: string): string {
  const key = JSON.stringify([snapshot.object.metadata.uid, plan]);
  const suffix = BigInt(`0x${createHash("sha256").update(key).digest("hex")}`)
    .toString(36)
    .slice(0, suffixLength);
  const commit = pacValue(snapshot, pacNames.sha)?.slice(0, 7);
  const base = [snapshot.name, ...(commit === undefined ? [] : [commit])].join("-");
  return `${base.slice(0, longestBase).replace(/[-.]+$/, "")}-${suffix}`;
}

/** The message of the condition `AutoReleased`. */
export function describeAnswers(snapshot: string, answers: readonly PlanAnswer[]): string {
  if (answers.length === 0) return `${snapshot} passed its tests; no ReleasePlan asks for a release`;
  return answers.map(describeAnswer).join("; ");
}

function describeAnswer(answer: PlanAnswer): string {
  const { name } = answer.plan.metadata;
  if (answer.kind === "release") return `plan ${name} releases it as ${answer.name}`;
  if (answer.kind === "superseded") return `plan ${name} releases the newer Snapshot ${answer.by} in its place`;
  if (answer.kind === "declined") return `plan ${name} does not release it: ${answer.reason}`;
  return `plan ${name} cannot decide: ${answer.problem}`;
}

/** The Snapshot and the plan that a Release names. */
export function releasePair({ metadata, spec }: KubeObject): { readonly snapshot: string; readonly plan: string } {
  const { snapshot, releasePlan } = isRecord(spec) ? spec : {};
  const namespace = metadata.namespace ?? "";
  return { snapshot: `${namespace}/${String(snapshot)}`, plan: `${namespace}/${String(releasePlan)}` };
}
