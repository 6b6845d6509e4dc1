import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import type { ConditionChange } from "#runtime";
import { readClaim } from "../environments/claim-facts.ts";

/** What the status of a SpaceRequest says of its claim. */
export interface SpaceState {
  readonly condition: ConditionChange;
  readonly targetClusterURL: string | undefined;
  readonly namespaceAccess: readonly { readonly name: string; readonly secretRef: string }[] | undefined;
}

export function spaceStateOf(object: KubeObject): SpaceState {
  const { status = {} } = readClaim(object);
  const { phase = "Pending", namespace, server, secretRef, ending } = status;
  const message = ending?.message ?? readyMessageOf(object) ?? "the claim was made";
  const notReady = (reason: string): SpaceState => ({
    condition: { type: "Ready", status: "False", reason, message },
    targetClusterURL: undefined,
    namespaceAccess: undefined,
  });
  if (phase === "Failed") return notReady("UnableToProvision");
  if (phase === "Releasing" || object.metadata.deletionTimestamp !== undefined) return notReady("Terminating");
  if (phase === "Released") return notReady(ending?.reason ?? "Terminating");
  if (phase !== "Ready" || namespace === undefined || secretRef === undefined) return notReady("Provisioning");
  return {
    condition: { type: "Ready", status: "True", reason: "Provisioned", message: `namespace ${namespace}` },
    targetClusterURL: server,
    namespaceAccess: [{ name: namespace, secretRef: secretRef.name }],
  };
}

function readyMessageOf({ status }: KubeObject): string | undefined {
  const conditions = isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const message = conditions.filter(isRecord).find(({ type }) => type === "Ready")?.["message"];
  return typeof message === "string" ? message : undefined;
}
