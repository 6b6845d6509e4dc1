import { valueAt } from "#base";
import { ApiError, describeRef, type KubeObject, type ObjectRef, refOf } from "#kube";
import { annotation } from "../resource/annotations.ts";
import type { RealizeContext } from "./realize-context.ts";

/** Kinds that restart their pods when their pod template says another time, and the annotation that says it. */
const restartable: ReadonlyMap<string, string> = new Map([
  ["DaemonSet", "kubectl.kubernetes.io/restartedAt"],
  ["Deployment", "kubectl.kubernetes.io/restartedAt"],
  ["StatefulSet", "kubectl.kubernetes.io/restartedAt"],
  ["DeploymentConfig", "openshift.openshift.io/restartedAt"],
]);

/** Whether pods that use the object are to be restarted when it changes. */
export function wantsRecycling({ kind, metadata: { annotations = {} } }: KubeObject): boolean {
  return (kind === "ConfigMap" || kind === "Secret") && annotations[annotation.recycle] === "true";
}

/** Restarts all workloads of one namespace whose pods use one of the changed objects, each once. */
export async function recyclePods(
  namespace: string,
  changed: readonly KubeObject[],
  context: RealizeContext,
  signal: AbortSignal,
): Promise<void> {
  const { client, writer, clock, audit, fieldManager } = context;
  const { items: pods } = await client.list({ apiVersion: "v1", kind: "Pod", namespace }, signal);
  const users = pods.filter((pod) => changed.some((object) => usesObject(pod, object)));
  const workloads = await rootsOf(users, context, signal);
  const now = new Date(clock.now()).toISOString();
  for (const workload of workloads) {
    const mark = restartable.get(workload.kind);
    if (mark === undefined) continue;
    audit(`recycle_${workload.kind.toLowerCase()}`, workload.name);
    const body = { spec: { template: { metadata: { annotations: { [mark]: now } } } } };
    await writer.patch(workload, { type: "merge", body, fieldManager: `${fieldManager}-restart` }, signal);
  }
}

/** In a volume, or in the environment of a container. */
export function usesObject(pod: KubeObject, { kind, metadata: { name } }: KubeObject): boolean {
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

/** The workloads at the top of the pods' controllers, in the order of their names. */
async function rootsOf(
  pods: readonly KubeObject[],
  { client }: RealizeContext,
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
    // What restarts its pods is the top for us, whatever stands above it.
    if (restartable.has(ref.kind)) return ref;
    try {
      return await climb(await client.get({ ...ref, metadataOnly: true }, signal));
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return ref;
      throw error;
    }
  }

  const roots = await Promise.all(pods.map(climb));
  const distinct = new Map(roots.map((root) => [describeRef(root), root]));
  return [...distinct.keys()].toSorted().flatMap((key) => distinct.get(key) ?? []);
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const found = valueAt(value, [key]);
  return Array.isArray(found) ? found : [];
}
