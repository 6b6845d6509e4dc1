import { isRecord, valueAt } from "#base";
import { healthOf } from "#inventory";
import { ApiError, keyOf, type KubeClient, type KubeObject } from "#kube";

/** A workload that names a digest in its pod template. */
export interface LiveRollout {
  /** Such as `Deployment shop/web`. */
  readonly object: string;
  readonly digest: string;
  readonly state: "Running" | "RollingOut" | "Failed";
  /** When a Deployment became what it is; other kinds do not say. */
  readonly since?: string;
  /** What is missing, or why it failed. */
  readonly message?: string;
}

const workloadKinds = [
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "apps/v1", kind: "DaemonSet" },
  { apiVersion: "batch/v1", kind: "CronJob" },
] as const;

/** The workloads of the cluster that have one of the digests; of the namespace alone where the user may not list others. */
export async function findRollouts(
  digests: ReadonlySet<string>,
  namespace: string | undefined,
  client: KubeClient,
  signal: AbortSignal,
): Promise<LiveRollout[]> {
  if (digests.size === 0) return [];
  const lists = await Promise.all(
    workloadKinds.map(async (selection) => {
      try {
        return (await client.list(selection, signal)).items;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 403 || namespace === undefined) throw error;
        return (await client.list({ ...selection, namespace }, signal)).items;
      }
    }),
  );
  return rolloutsOf(lists.flat(), digests);
}

/** One for each workload and digest, in the order of the workloads. */
export function rolloutsOf(workloads: readonly KubeObject[], digests: ReadonlySet<string>): LiveRollout[] {
  return workloads.flatMap((workload) => {
    const named = new Set(imagesOf(workload).map((image) => image.replace(/^[^@]*@?/, "")));
    return [...named].filter((digest) => digests.has(digest)).map((digest) => rolloutOf(workload, digest));
  });
}

function rolloutOf(workload: KubeObject, digest: string): LiveRollout {
  const known = { object: `${workload.kind} ${keyOf(workload)}`, digest };
  const health = healthOf(workload);
  if (health.is === "failed") return { ...known, state: "Failed", message: health.why };
  if (health.is === "pending") return { ...known, state: "RollingOut", message: health.missing };
  const since = availableSince(workload);
  return { ...known, state: "Running", ...(since === undefined ? {} : { since }) };
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#complete-deployment */
function availableSince(workload: KubeObject): string | undefined {
  const conditions = valueAt(workload, ["status", "conditions"]);
  const found = (Array.isArray(conditions) ? conditions.filter(isRecord) : []).find(
    ({ type, reason }) => type === "Progressing" && reason === "NewReplicaSetAvailable",
  );
  const time = found?.["lastUpdateTime"];
  return typeof time === "string" ? time : undefined;
}

function imagesOf(workload: KubeObject): string[] {
  const template = workload.kind === "CronJob" ? ["spec", "jobTemplate", "spec", "template"] : ["spec", "template"];
  return ["initContainers", "containers"].flatMap((field) => {
    const containers = valueAt(workload, [...template, "spec", field]);
    return (Array.isArray(containers) ? containers.filter(isRecord) : []).map(({ image }) => String(image));
  });
}
