import { isJsonObject, valueAt } from "#base";

/** Problems that the status of a Deployment, StatefulSet or CronJob shows. */
export function troubleOf(kind: string, body: unknown): string[] {
  if (kind === "CronJob") return valueAt(body, ["spec", "suspend"]) === true ? ["suspended"] : [];
  const desired = Number(valueAt(body, ["spec", "replicas"]) ?? 1);
  const ready = Number(valueAt(body, ["status", "readyReplicas"]) ?? 0);
  const bad = conditionsOf(body)
    .filter(isBad)
    .map(({ message, reason }) => String(message ?? reason));
  if (ready >= desired) return bad;
  return [`${ready} of ${desired} ready`, ...bad];
}

/** The other conditions of a Deployment are good when true: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/ */
function isBad({ type, status }: Record<string, unknown>): boolean {
  return type === "ReplicaFailure" ? status === "True" : type === "Progressing" && status === "False";
}

function conditionsOf(body: unknown): Record<string, unknown>[] {
  const conditions = valueAt(body, ["status", "conditions"]);
  return Array.isArray(conditions) ? conditions.filter((each) => isJsonObject(each)) : [];
}
