import { InputError, valueAt } from "#base";
import { describeRef, type KubeClient, type KubeObject } from "#kube";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { mergeReleaseData } from "../releases/merge-release-data.ts";
import { readPipeline } from "../releases/phase-pipeline.ts";
import { specOf } from "../releases/release-state.ts";
import type { RetagRequest } from "./retag-release.ts";

/** A Release, and the namespace whose credentials re-tag it. */
export interface RetagKey {
  readonly namespace: string;
  readonly name: string;
  readonly accountNamespace: string;
}

/**
 * A Release with all that its re-tag depends on, but for the service account. As in the process: a tenant's account does what
 * the Release and its plan ask for; that of another namespace what the admission there asks for, and nothing else, so that no
 * tenant decides what is done with the credentials of others.
 */
export async function loadRetagRequest(
  client: Pick<KubeClient, "find">,
  { namespace, name, accountNamespace }: RetagKey,
  signal: AbortSignal,
): Promise<Omit<RetagRequest, "namespace" | "serviceAccountName">> {
  async function read(kind: { readonly apiVersion: string; readonly kind: string }, of: string, called: string) {
    const ref = { apiVersion: kind.apiVersion, kind: kind.kind, namespace: of, name: called };
    const found = await client.find(ref, signal);
    if (found) return found;
    throw new InputError(`${describeRef(ref)} not found`, { where: `Release ${namespace}/${name}` });
  }
  const release = await read(Release, namespace, name);
  const plan = await read(ReleasePlan, namespace, String(specOf(release)["releasePlan"]));
  const snapshot = await read(Snapshot, namespace, String(specOf(release)["snapshot"]));
  const tenant = readPipeline(specOf(plan)["tenantPipeline"]);
  if (accountNamespace === namespace && (tenant || !specOf(plan)["target"])) {
    const [own, planned] = [specOf(release)["data"], specOf(plan)["data"]];
    const data = mergeReleaseData({ release: own, plan: planned, admission: undefined });
    return { release, plan, snapshot, data, params: tenant?.params ?? [] };
  }
  const matched = matchedAdmission(plan);
  if (matched?.namespace !== accountNamespace) {
    throw new InputError(`no ReleasePlanAdmission of namespace ${accountNamespace} fits the plan`, {
      where: `ReleasePlan ${namespace}/${plan.metadata.name}`,
      next: "its condition Matched says why",
    });
  }
  const admission = await read(ReleasePlanAdmission, matched.namespace, matched.name);
  const { data: admitted } = specOf(admission);
  const data = mergeReleaseData({ release: undefined, plan: undefined, admission: admitted });
  return { release, plan, snapshot, data, params: [] };
}

/** The one that the controller found for the plan. */
function matchedAdmission(plan: KubeObject): { readonly namespace: string; readonly name: string } | undefined {
  const [namespace = "", name] = String(valueAt(plan, ["status", "releasePlanAdmission", "name"])).split("/");
  return name === undefined ? undefined : { namespace, name };
}
