import { ApiError, ConnectionError, describeRef, type KubeObject, type ObjectRef } from "#kube";
import type { Action } from "../plan/plan.ts";
import { annotation } from "../resource/annotations.ts";
import { explainFailure } from "./explain-failure.ts";
import type { Outcome } from "./outcome.ts";
import { ownersOf } from "./pod-owners.ts";
import { usesObject } from "./pod-users.ts";
import type { RealizeContext } from "./realize-context.ts";

/** Kinds that restart their pods when their pod template says another time, and the annotation that says it. */
const restartable: ReadonlyMap<string, string> = new Map([
  ["DaemonSet", "kubectl.kubernetes.io/restartedAt"],
  ["Deployment", "kubectl.kubernetes.io/restartedAt"],
  ["StatefulSet", "kubectl.kubernetes.io/restartedAt"],
  ["DeploymentConfig", "openshift.openshift.io/restartedAt"],
]);

/** The object with the mark that pods which use it are to be restarted, and since when; as it is if it does not ask for that. */
export function markRestart(object: KubeObject, since: string | undefined): KubeObject {
  const { kind, metadata } = object;
  const isRecycled =
    (kind === "ConfigMap" || kind === "Secret") && metadata.annotations?.[annotation.recycle] === "true";
  if (!isRecycled || since === undefined) return object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation.restart]: since } },
  };
}

interface Change {
  readonly action: Action;
  /** What its mark says: since when its users are to be restarted. */
  readonly since: string;
  readonly context: RealizeContext;
  users?: readonly KubeObject[];
  failure?: Failure;
}

type Failure = Pick<Outcome, "state" | "reason" | "next">;

/**
 * Restarts the pods that use what a run has changed, each workload once. What is changed is marked when it is applied, and the mark goes
 * when its users are restarted: what fails on the way, or is killed, the next run finds marked and does again, with the time of the
 * mark, so that nobody is restarted twice.
 */
export class Recycler {
  readonly #changes: Change[] = [];
  readonly #rolled = new Set<string>();

  /** Hears of everything that was applied. */
  note(action: Action, applied: KubeObject, context: RealizeContext): void {
    const { kind, namespace, name, diff } = action;
    if (
      restartable.has(kind) &&
      (action.action === "create" || diff.some(({ path }) => /^spec\.template\b/.test(path)))
    ) {
      this.#rolled.add(describeRef({ kind, namespace, name }));
    }
    const since = applied.metadata.annotations?.[annotation.restart];
    if (since !== undefined) this.#changes.push({ action, since, context });
  }

  /** Looks who uses what was changed in a namespace so far: pods that start later start with it. */
  async findUsers(namespace: string, signal: AbortSignal): Promise<void> {
    const changes = this.#changes.filter(({ action, users }) => action.namespace === namespace && !users);
    const [first] = changes;
    if (!first) return;
    try {
      const { items } = await first.context.client.list({ apiVersion: "v1", kind: "Pod", namespace }, signal);
      for (const change of changes) change.users = items.filter((pod) => usesObject(pod, change.action));
    } catch (error) {
      for (const change of changes) {
        change.users = [];
        fail(change, error);
      }
    }
  }

  /** Gives back what has changed and whose users are not all restarted. The calls are added to those of what has changed. */
  async restart(signal: AbortSignal): Promise<ReadonlyMap<Action, Failure>> {
    let lost: ConnectionError | undefined;
    // Once the cluster does not answer any more, each further call would wait for its timeout.
    async function attempt(changes: readonly Change[], call: () => Promise<void>, about?: Action): Promise<void> {
      try {
        if (lost) throw lost;
        await call();
      } catch (error) {
        if (error instanceof ConnectionError) lost = error;
        for (const change of changes) fail(change, error, about);
      }
    }

    const workloads = await this.#findWorkloads(signal);
    for (const key of [...workloads.keys()].toSorted()) {
      const { ref, changes } = workloads.get(key) ?? {};
      if (!ref || !changes || this.#rolled.has(key)) continue;
      await attempt(changes, () => restartWorkload(ref, changes, signal));
    }
    for (const change of this.#changes) {
      if (!change.failure) await attempt([change], () => removeMark(change, signal), change.action);
    }
    return new Map(this.#changes.flatMap(({ action, failure }) => (failure ? [[action, failure]] : [])));
  }

  async #findWorkloads(signal: AbortSignal): Promise<ReadonlyMap<string, { ref: ObjectRef; changes: Change[] }>> {
    const workloads = new Map<string, { ref: ObjectRef; changes: Change[] }>();
    for (const change of this.#changes) {
      try {
        // What restarts its pods is the top for us, whatever stands above it.
        const isTop = (kind: string) => restartable.has(kind);
        for (const ref of await ownersOf(change.users ?? [], isTop, change.context.client, signal)) {
          const known = workloads.get(describeRef(ref)) ?? { ref, changes: [] };
          known.changes.push(change);
          workloads.set(describeRef(ref), known);
        }
      } catch (error) {
        fail(change, error);
      }
    }
    return workloads;
  }
}

async function restartWorkload(workload: ObjectRef, changes: readonly Change[], signal: AbortSignal): Promise<void> {
  const mark = restartable.get(workload.kind);
  const [first] = changes;
  if (mark === undefined || !first) return;
  const { writer, audit, fieldManager } = first.context;
  audit(`recycle_${workload.kind.toLowerCase()}`, workload.name);
  const since = changes.map((change) => change.since).reduce((one, other) => (one > other ? one : other));
  const body = { spec: { template: { metadata: { annotations: { [mark]: since } } } } };
  await writer.patch(workload, { type: "merge", body, fieldManager: `${fieldManager}-restart` }, signal);
}

/** Unless somebody has changed the object since, who will restart its users too. */
async function removeMark({ action, since, context }: Change, signal: AbortSignal): Promise<void> {
  const { apiVersion, kind, namespace, name } = action;
  const path = `/metadata/annotations/${annotation.restart.replace("/", "~1")}`;
  const body = [
    { op: "test", path, value: since },
    { op: "remove", path },
  ];
  const fieldManager = `${context.fieldManager}-restart`;
  try {
    await context.writer.patch({ apiVersion, kind, namespace, name }, { type: "json", body, fieldManager }, signal);
  } catch (error) {
    if (!(error instanceof ApiError && (error.isInvalid || error.isNotFound))) throw error;
  }
}

function fail(change: Change, error: unknown, about: { readonly kind: string } = { kind: "Pod" }): void {
  const { action, context } = change;
  const { reason } = explainFailure(error, about);
  const failure = `applied, but not all pods that use it were restarted: ${reason}`;
  change.failure ??= { state: "failed", reason: failure, next: "fix it; the next run tries again" };
  const { cluster, namespace, name } = action;
  context.log.error(`[${cluster}/${namespace}] ${failure}`, { namespace, kind: action.kind, name });
}
