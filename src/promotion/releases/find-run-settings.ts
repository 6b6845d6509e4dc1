import { InputError, isRecord } from "#base";
import { keyOf, type KubeClient } from "#kube";
import type { ReleaseRunSettings } from "../runners/tekton/release-pipeline-run.ts";
import { findPolicy } from "./load-release-facts.ts";
import type { PhaseRequest } from "./phase-runner.ts";
import type { ReleaseConfig } from "./release-config.ts";

export interface RunSettingsSources {
  readonly client: KubeClient;
  /** A volume that the tasks of a pipeline share; default none. */
  readonly workspace?: { readonly name: string; readonly size: string };
  /** `namespace/name` of the ConfigMap that says where policies are checked. */
  readonly policyConfigMap?: string;
}

/** What the run of a phase gets beside its Release. */
export async function findRunSettings(
  { admission, pipeline, phase }: PhaseRequest,
  config: ReleaseConfig,
  { client, workspace, policyConfigMap }: RunSettingsSources,
  signal: AbortSignal,
): Promise<Omit<ReleaseRunSettings, "commit">> {
  const common = {
    ...(workspace ? { workspace } : {}),
    ...(config.key === undefined ? {} : { config: config.key }),
    usesEmptyDir: pipeline.useEmptyDir || config.usesEmptyDir(pipeline),
  };
  if (phase !== "managed" || !admission) return common;
  const policy = await findPolicy(admission, { client }, signal);
  if (!policy) {
    throw new InputError(`the policy of ReleasePlanAdmission ${keyOf(admission)} does not exist any more`, {
      next: "create it, then release again",
    });
  }
  if (policyConfigMap === undefined) return { ...common, policy };
  const [inNamespace, name = ""] = policyConfigMap.split("/");
  const map = await client.find({ apiVersion: "v1", kind: "ConfigMap", namespace: inNamespace, name }, signal);
  const data = isRecord(map?.["data"]) ? map["data"] : {};
  const texts = Object.entries(data).flatMap(([key, text]) => (typeof text === "string" ? [[key, text] as const] : []));
  return { ...common, policy, verification: Object.fromEntries(texts) };
}
