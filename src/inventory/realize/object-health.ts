import type { KubeObject } from "#kube";
import { statusConditionOf, numberAt, type Readiness, readinessOf } from "./readiness.ts";

/**
 * Whether an object of any kind is as its controller wants it, by the conventions of
 * https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus, and workloads by their replicas.
 */
export function healthOf(object: KubeObject): Readiness {
  if (object.metadata.deletionTimestamp !== undefined) return { is: "pending", missing: "it is being deleted" };
  const { generation = 0 } = object.metadata;
  if (numberAt(object, ["status", "observedGeneration"], generation) < generation) {
    return { is: "pending", missing: "its controller has not seen its last change yet" };
  }
  const [ready, stalled, reconciling] = ["Ready", "Stalled", "Reconciling"].map((type) =>
    statusConditionOf(object, type),
  );
  if (stalled?.status === "True") return { is: "failed", why: stalled.message || stalled.reason };
  if (ready && ready.status !== "True") {
    // Flux keeps Reconciling while it retries what failed.
    const isRed = ready.status === "False" && /fail|error|exceeded/i.test(ready.reason);
    const message = ready.message || ready.reason;
    return isRed ? { is: "failed", why: message } : { is: "pending", missing: message };
  }
  if (reconciling?.status === "True") return { is: "pending", missing: reconciling.message || reconciling.reason };
  return readinessOf(object);
}
