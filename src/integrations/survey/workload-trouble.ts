import { isJsonObject, valueAt } from "#base";
import { podTrouble } from "#inventory";

/** Problems that the status of a Deployment, StatefulSet or CronJob shows, with the reasons that its pods give. */
export function troubleOf(kind: string, body: unknown, pods: readonly unknown[] = []): string[] {
  const own = pods.filter((pod) => isSelected(pod, podLabelsOf(kind, body)));
  if (kind === "CronJob") {
    return [...(valueAt(body, ["spec", "suspend"]) === true ? ["suspended"] : []), ...lastRunTrouble(own)];
  }
  const desired = Number(valueAt(body, ["spec", "replicas"]) ?? 1);
  const ready = Number(valueAt(body, ["status", "readyReplicas"]) ?? 0);
  const reasons = countSame(own.flatMap((pod) => podTrouble(pod) ?? []));
  const bad = conditionsOf(body)
    // That a rollout takes too long says less than what its pods say.
    .filter((condition) => isBad(condition) && !(condition["type"] === "Progressing" && reasons.length > 0))
    .map(({ message, reason }) => String(message ?? reason));
  if (ready >= desired) return bad;
  return [[`${ready} of ${desired} ready`, ...reasons].join(": "), ...bad];
}

/** Of a CronJob only the newest pod counts: a run that failed before has been repeated since. */
function lastRunTrouble(pods: readonly unknown[]): string[] {
  const newest = pods.toSorted((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1))[0];
  const trouble = newest === undefined ? undefined : podTrouble(newest);
  return trouble === undefined ? [] : [`last run: ${trouble}`];
}

function createdAt(pod: unknown): string {
  const time = valueAt(pod, ["metadata", "creationTimestamp"]);
  return typeof time === "string" ? time : "";
}

function countSame(reasons: readonly string[]): string[] {
  const groups = Map.groupBy(reasons, (reason) => reason);
  return [...groups].map(([reason, { length }]) => (length === 1 ? reason : `${length} pods ${reason}`));
}

/** The labels by which a workload finds its pods; those of one's pods are never those of another's. */
function podLabelsOf(kind: string, body: unknown): object {
  const labels = valueAt(
    body,
    kind === "CronJob"
      ? ["spec", "jobTemplate", "spec", "template", "metadata", "labels"]
      : ["spec", "selector", "matchLabels"],
  );
  return typeof labels === "object" && labels !== null ? labels : {};
}

function isSelected(pod: unknown, labels: object): boolean {
  const wanted: [string, unknown][] = Object.entries(labels);
  if (wanted.length === 0 || valueAt(pod, ["metadata", "deletionTimestamp"]) !== undefined) return false;
  return wanted.every(([key, value]) => valueAt(pod, ["metadata", "labels", key]) === value);
}

interface NamedTrouble {
  readonly name: string;
  readonly trouble: readonly string[];
}

const mostNames = 3;

/** The problems of the shards of one integration: what several have is said once, with their names. */
export function sumUpTrouble(shards: readonly NamedTrouble[]): string[] {
  const groups = Map.groupBy(
    shards.flatMap(({ name, trouble }) => trouble.map((what) => ({ name, what }))),
    ({ what }) => what,
  );
  return [...groups].map(([what, all]) => {
    const names = [...new Set(all.map(({ name }) => name))];
    if (shards.length === 1) return what;
    if (names.length === 1) return `${names[0]}: ${what}`;
    const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
    const which = names.length === shards.length ? "all" : `${names.slice(0, mostNames).join(", ")}${more}`;
    return `${names.length} of ${shards.length} shards (${which}): ${what}`;
  });
}

/** The other conditions of a Deployment are good when true: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/ */
function isBad({ type, status }: Record<string, unknown>): boolean {
  return type === "ReplicaFailure" ? status === "True" : type === "Progressing" && status === "False";
}

function conditionsOf(body: unknown): Record<string, unknown>[] {
  const conditions = valueAt(body, ["status", "conditions"]);
  return Array.isArray(conditions) ? conditions.filter((each) => isJsonObject(each)) : [];
}
