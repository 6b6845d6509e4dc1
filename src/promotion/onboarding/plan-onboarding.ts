import { isDeepStrictEqual } from "node:util";
import { describeError, isRecord } from "#base";
import { ApiError, type KubeClient, type KubeObject, refOf } from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { onboardingName } from "./default-plan.ts";

/** Another one than that of the controllers, whose fields onboarding must not take. */
export const onboardingManager = "tenon-onboarding";

export interface OnboardingStep {
  /** `kept`: it is of others and stays as it is. `refused`: it cannot be applied. */
  readonly action: "create" | "change" | "unchanged" | "kept" | "refused";
  readonly object: KubeObject;
  readonly reason?: string;
  /** Paths of fields that change. */
  readonly fields?: readonly string[];
}

export interface OnboardingChoice {
  /** Also change what exists and was not made by onboarding. */
  readonly takeOver: boolean;
}

/** What the API server would do with an object. */
export type Trial =
  | { readonly kind: "applied"; readonly object: KubeObject }
  | { readonly kind: "refused"; readonly problem: string; readonly isForbidden: boolean }
  /** Its namespace does not exist yet. */
  | { readonly kind: "untried" };

/** What onboarding would do, object by object. Writes nothing: the API server tries it. */
export async function planOnboarding(
  desired: readonly KubeObject[],
  { takeOver }: OnboardingChoice,
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly OnboardingStep[]> {
  const steps: OnboardingStep[] = [];
  let isNamespaceNew = false;
  for (const each of desired) {
    const live = await findLive(each, client, signal);
    const object = keepAuthor(each, live);
    if (each.kind === "Namespace") isNamespaceNew = live === undefined;
    const trial: Trial =
      isNamespaceNew && each.kind !== "Namespace"
        ? { kind: "untried" }
        : await tryObject(object, takeOver, client, signal);
    steps.push(decideStep(object, live, trial, takeOver));
  }
  return steps;
}

async function findLive(object: KubeObject, client: KubeClient, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await client.find(refOf(object), signal);
  } catch (error) {
    signal.throwIfAborted();
    // Whether it can be applied is tried next; there the reason shows.
    if (error instanceof ApiError && !error.isForbidden) throw error;
    return undefined;
  }
}

async function tryObject(object: KubeObject, force: boolean, client: KubeClient, signal: AbortSignal): Promise<Trial> {
  try {
    const options = { fieldManager: onboardingManager, dryRun: true, force };
    return { kind: "applied", object: await client.apply(object, options, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const isForbidden = error instanceof ApiError && error.isForbidden;
    return { kind: "refused", problem: describeError(error), isForbidden };
  }
}

function decideStep(object: KubeObject, live: KubeObject | undefined, trial: Trial, takeOver: boolean): OnboardingStep {
  const isNamespace = object.kind === "Namespace";
  const helm = live?.metadata.annotations?.["meta.helm.sh/release-name"];
  if (helm !== undefined && !isNamespace && !takeOver) {
    return { action: "kept", object, reason: `Helm's release ${helm} installed it; change it there` };
  }
  if (live && !isNamespace && !isOnboarded(live) && !takeOver) {
    return { action: "kept", object, reason: "it exists already, and onboarding did not make it" };
  }
  if (isNamespace && live && trial.kind === "refused" && trial.isForbidden) {
    const reason = "you may not change it, so that Applications that appear later get no plan by themselves";
    return { action: "kept", object, reason };
  }
  if (trial.kind === "refused") return { action: "refused", object, reason: trial.problem };
  if (!live || trial.kind === "untried") return { action: "create", object };
  const fields = changedFields(plain(live), plain(trial.object));
  return fields.length === 0 ? { action: "unchanged", object } : { action: "change", object, fields };
}

/** Whether onboarding made it. */
function isOnboarded({ metadata: { labels = {} } }: KubeObject): boolean {
  return labels[promotionLabels.onboarding] === onboardingName;
}

/** Who answers for a plan stays its author when another person repeats the onboarding. */
function keepAuthor(desired: KubeObject, live: KubeObject | undefined): KubeObject {
  if (!live) return desired;
  const { defaultPlan, defaultPlanAuthor } = promotionAnnotations;
  const { labels = {}, annotations = {} } = desired.metadata;
  const author = live.metadata.labels?.[promotionLabels.author];
  if (desired.kind === ReleasePlan.kind && author !== undefined) {
    return { ...desired, metadata: { ...desired.metadata, labels: { ...labels, [promotionLabels.author]: author } } };
  }
  const asked = live.metadata.annotations?.[defaultPlanAuthor];
  const isSame = live.metadata.annotations?.[defaultPlan] === annotations[defaultPlan];
  if (desired.kind !== "Namespace" || asked === undefined || !isSame) return desired;
  return { ...desired, metadata: { ...desired.metadata, annotations: { ...annotations, [defaultPlanAuthor]: asked } } };
}

/** Without what the API server counts. */
function plain({ metadata, status: _status, ...rest }: KubeObject): object {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function changedFields(before: unknown, after: unknown, path = ""): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return keys.flatMap((key) => changedFields(before[key], after[key], path === "" ? key : `${path}.${key}`));
}
