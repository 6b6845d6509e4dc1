import type { ReleasesOptions } from "../create-releases.ts";

const defaultSize = "1Gi";

/** What release-service reads from its environment: the volume of runs, and where policies are checked. */
export function readReleaseSettings(
  env: Readonly<Record<string, string | undefined>>,
): Pick<ReleasesOptions, "workspace" | "policyConfigMap"> {
  const name = env["DEFAULT_RELEASE_WORKSPACE_NAME"];
  const size = env["DEFAULT_RELEASE_WORKSPACE_SIZE"] ?? defaultSize;
  const policyConfigMap = env["ENTERPRISE_CONTRACT_CONFIG_MAP"];
  return { ...(name ? { workspace: { name, size } } : {}), ...(policyConfigMap ? { policyConfigMap } : {}) };
}
