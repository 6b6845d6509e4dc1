import { valueAt } from "#base";
import { ApiError, ConnectionError, describeRef, type KubeClient, type KubeObject, type ObjectRef, refOf } from "#kube";
import type { Action } from "../plan/plan.ts";
import { explainFailure } from "./explain-failure.ts";
import type { ActionOutcome } from "./outcome.ts";
import type { RealizeContext } from "./realize-options.ts";
import { annotation } from "../object/attribution.ts";

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

type Failure = Pick<ActionOutcome, "state" | "reason" | "next">;

/**
 * Restarts the pods that use what a run has changed, each workload once. What is changed is marked when it is applied, and the mark goes
 * when its users are restarted: what fails on the way, or is killed, the next run finds marked and does again, with the time of the
 * mark, so that no workload is restarted twice.
 */
export class Recycler {
  readonly #changes: Change[] = [];
  readonly #rolled = new Set<string>();

  /** Called for every object that was applied. */
  note(action: Action, applied: KubeObject, context: RealizeContext): void {
    const { kind, namespace, name, diff } = action;
    if (
      restartable.has(kind) &&
      (action.action === "create" ||
        action.action === "replace" ||
        diff.some(({ path }) => /^spec\.template\b/.test(path)))
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

/** Only if the object has not changed since: whatever changed it restarts its users too. */
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

/** The objects at the top of the pods' controllers, each once; or the first on the way up for which `isTop` holds. */
async function ownersOf(
  pods: readonly KubeObject[],
  isTop: (kind: string) => boolean,
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const seen = new Map<string, Promise<ObjectRef>>();

  function climb(object: KubeObject): Promise<ObjectRef> {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller);
    if (!owner) return Promise.resolve(refOf(object));
    const { apiVersion, kind, name } = owner;
    const ref = { apiVersion, kind, name, namespace: object.metadata.namespace };
    const known = seen.get(owner.uid) ?? follow(ref);
    seen.set(owner.uid, known);
    return known;
  }

  async function follow(ref: ObjectRef): Promise<ObjectRef> {
    if (isTop(ref.kind)) return ref;
    try {
      return await climb(await client.get({ ...ref, metadataOnly: true }, signal));
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return ref;
      throw error;
    }
  }

  const owners = await Promise.all(pods.map(climb));
  return [...new Map(owners.map((owner) => [describeRef(owner), owner])).values()];
}

/** Whether a pod uses a Secret or ConfigMap: in a volume, or in the environment of a container. */
function usesObject(pod: KubeObject, { kind, name }: { readonly kind: string; readonly name: string }): boolean {
  const isSecret = kind === "Secret";
  const [volume, named] = isSecret ? ["secret", "secretName"] : ["configMap", "name"];
  const [fromAll, fromKey] = isSecret ? ["secretRef", "secretKeyRef"] : ["configMapRef", "configMapKeyRef"];
  const spec = valueAt(pod, ["spec"]);
  const volumes = listAt(spec, "volumes");
  if (volumes.some((item) => valueAt(item, [volume, named]) === name)) return true;
  const projected = volumes.flatMap((item) => listAt(valueAt(item, ["projected"]), "sources"));
  if (projected.some((item) => valueAt(item, [volume, "name"]) === name)) return true;
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")];
  return containers.some(
    (container) =>
      listAt(container, "envFrom").some((source) => valueAt(source, [fromAll, "name"]) === name) ||
      listAt(container, "env").some((item) => valueAt(item, ["valueFrom", fromKey, "name"]) === name),
  );
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const found = valueAt(value, [key]);
  return Array.isArray(found) ? found : [];
}
