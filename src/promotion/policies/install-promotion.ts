import { describeError, type Logger, systemClock } from "#base";
import { installKinds, type Kind } from "#crd";
import { ApiError, defaultFieldManager, type KubeClient, type KubeObject } from "#kube";
import { upstreamKinds } from "../kinds/promotion-kinds.ts";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { defaultPlanPolicy } from "./default-plan-policy.ts";
import { installPolicies } from "./install-policies.ts";
import { kindRulesPolicy } from "./kind-rules-policy.ts";
import { releasePolicies } from "./release-policies.ts";
import { snapshotLabelsPolicy } from "./snapshot-labels-policy.ts";

/** The rules of Konflux's kinds that no definition can hold. */
export const promotionPolicies: readonly KubeObject[] = [
  ...snapshotLabelsPolicy,
  ...releasePolicies,
  ...defaultPlanPolicy,
];

/**
 * Installs the kinds that Konflux has too, where they are absent, and upgrades those that Tenon installed. A definition of
 * someone else is used as it is; policies then hold the rules that it lacks. Returns once the API server applies the policies.
 */
export async function installPromotion(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  const found = await Promise.all(
    upstreamKinds.map(async (kind) => ({ kind, isForeign: await isForeign(client, kind, signal) })),
  );
  const foreign = found.filter((one) => one.isForeign).map(({ kind }) => kind);
  const own = found.filter((one) => !one.isForeign).map(({ kind }) => kind);
  for (const { crdName } of foreign)
    log.info("kind is installed by someone else and stays as it is", { kind: crdName });
  const installed = (await installKinds(client, own, { signal })).filter(({ change }) => change !== "unchanged");
  for (const { crdName, change } of installed) log.info("kind installed", { kind: crdName, change });
  for (const { apiVersion, kind } of upstreamKinds) await client.discovery.whenServed({ apiVersion, kind }, signal);
  const policies = [...promotionPolicies, ...foreign.flatMap(kindRulesPolicy)];
  const changed = await installPolicies(client, policies, log, signal);
  if (installed.length + changed > 0) await Promise.all(probes.map((probe) => awaitPolicy(client, probe, log, signal)));
}

async function isForeign(client: KubeClient, { crdName }: Kind, signal: AbortSignal): Promise<boolean> {
  const definition = await client.find(
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: crdName },
    signal,
  );
  const managers = definition?.metadata.managedFields ?? [];
  return definition !== undefined && !managers.some(({ manager }) => manager === defaultFieldManager);
}

interface Probe {
  readonly object: KubeObject;
  /** Whether the API server applied the policies to what it would have created. */
  readonly isApplied: (created: KubeObject) => boolean;
}

const name = "tenon-policy-probe";
const { defaultPlan, defaultPlanAuthor } = promotionAnnotations;

function probeOf({ apiVersion, kind }: Kind, spec: object, label: string): Probe {
  const object = { apiVersion, kind, metadata: { name, namespace: "default" }, spec };
  return { object, isApplied: ({ metadata: { labels = {} } }) => labels[label] !== undefined };
}

const probes: readonly Probe[] = [
  probeOf(Snapshot, { application: name }, promotionLabels.application),
  probeOf(Release, { snapshot: name, releasePlan: name }, promotionLabels.author),
  probeOf(ReleasePlan, { application: name }, promotionLabels.autoRelease),
  probeOf(
    ReleasePlanAdmission,
    { applications: [name], origin: "default", policy: name },
    promotionLabels.blockReleases,
  ),
  {
    object: { apiVersion: "v1", kind: "Namespace", metadata: { name, annotations: { [defaultPlan]: "{}" } } },
    isApplied: ({ metadata: { annotations = {} } }) => annotations[defaultPlanAuthor] !== undefined,
  },
];

const longestWaitMs = 60_000;
const probePauseMs = 200;

/**
 * Until the API server has read the schema of a new kind, which it does every 5 s, it answers 503 to whatever creates
 * an object that a MutatingAdmissionPolicy matches: the type converters of
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/typeconverter.go
 */
async function awaitPolicy(
  client: KubeClient,
  { object, isApplied }: Probe,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { kind } = object;
  const served = await client.discovery.resources(signal);
  if (!served.some((resource) => resource.kind === "MutatingAdmissionPolicy")) return;
  const end = systemClock.monotonic() + longestWaitMs;
  for (;;) {
    try {
      if (isApplied(await client.create(object, { dryRun: true }, signal))) return;
    } catch (error) {
      if (!(error instanceof ApiError && (error.status === 503 || error.isInvalid))) {
        log.warn("cannot try the policies of a kind", { kind, error: describeError(error) });
        return;
      }
    }
    if (systemClock.monotonic() > end) {
      log.warn("the API server does not apply the policies of a kind yet", {
        kind,
        waitedSeconds: longestWaitMs / 1000,
      });
      return;
    }
    await systemClock.sleep(probePauseMs, signal);
  }
}
