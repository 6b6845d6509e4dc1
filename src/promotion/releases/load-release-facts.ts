import { InputError } from "#base";
import type { KubeObject, ObjectRef } from "#kube";
import { releaseConditions, upstreamGroup } from "../kinds/promotion-names.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { snapshotKind } from "../scenarios/tested-snapshot.ts";
import { releasePair } from "./decide-auto-release.ts";
import { type AdmissionMatch, matchTarget } from "./match-admission.ts";
import { builtinName, readPipeline } from "./phase-pipeline.ts";
import type { ReleaseDeps } from "./release-deps.ts";
import { conditionState, specOf } from "./release-state.ts";
import type { ReleaseFacts } from "./validate-release.ts";

const policyKind = { apiVersion: `${upstreamGroup}/v1alpha1`, kind: "EnterpriseContractPolicy" } as const;

/** What a Release refers to: from the stores, or `isFresh` from the API server, as a verdict against it needs. */
export async function loadReleaseFacts(
  release: KubeObject,
  deps: ReleaseDeps,
  isFresh: boolean,
  signal: AbortSignal,
): Promise<ReleaseFacts> {
  const pair = releasePair(release);
  const load = async (kept: KubeObject | undefined, ref: ObjectRef): Promise<KubeObject | undefined> =>
    isFresh || !kept ? await deps.client.find(ref, signal) : kept;
  const plan = await load(deps.plans.get(pair.plan), refTo(ReleasePlan, pair.plan));
  const snapshot = await load(deps.snapshots.get(pair.snapshot), refTo(snapshotKind, pair.snapshot));
  const match = plan && (await loadMatch(plan, deps, isFresh, signal));
  const hasStarted = conditionState(release, releaseConditions.validated) === "succeeded";
  return {
    release,
    plan,
    snapshot,
    match,
    policy: match?.kind === "matched" && !hasStarted ? await findPolicy(match.admission, deps, signal) : undefined,
    config: deps.config(),
    holdsAuthors: await deps.holdsAuthors(signal),
    builtins: deps.builtins,
    hasStarted,
    now: deps.clock.now(),
  };
}

async function loadMatch(
  plan: KubeObject,
  { client, admissions }: ReleaseDeps,
  isFresh: boolean,
  signal: AbortSignal,
): Promise<AdmissionMatch | undefined> {
  const { target } = specOf(plan);
  if (!isFresh || typeof target !== "string" || target === "") return matchTarget(plan, admissions.list());
  const { apiVersion, kind } = ReleasePlanAdmission;
  return matchTarget(plan, (await client.list({ apiVersion, kind, namespace: target }, signal)).items);
}

/** The policy that a managed pipeline of Tekton checks; undefined if there is none. */
export async function findPolicy(
  admission: KubeObject,
  { client }: Pick<ReleaseDeps, "client">,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { policy, pipeline } = specOf(admission);
  const managed = readPipeline(pipeline);
  if (typeof policy !== "string" || !managed || builtinName(managed) !== undefined) return undefined;
  const ref = { ...policyKind, namespace: admission.metadata.namespace, name: policy };
  try {
    return await client.find(ref, signal);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  // The kind may be new: what the client knows of the cluster's kinds is up to 10 s old, and a refusal is final.
  await client.discovery.refresh(signal);
  try {
    return await client.find(ref, signal);
  } catch (error) {
    if (error instanceof InputError) return undefined; // the cluster does not have the kind
    throw error;
  }
}

/** Whether a managed pipeline of Tekton would not run, because the policy of its admission is absent. */
export async function isPolicyMissing(
  admission: KubeObject,
  deps: Pick<ReleaseDeps, "client">,
  signal: AbortSignal,
): Promise<boolean> {
  const managed = readPipeline(specOf(admission)["pipeline"]);
  if (!managed || builtinName(managed) !== undefined) return false;
  return (await findPolicy(admission, deps, signal)) === undefined;
}

function refTo({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, key: string): ObjectRef {
  const [namespace, name = ""] = key.split("/");
  return { apiVersion, kind, namespace, name };
}
