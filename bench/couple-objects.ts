import { valueAt } from "#base";
import { Plug, Socket } from "#coupling";
import { type KubeClient, type KubeObject, refOf, type ObjectSelection } from "#kube";

export function plugOf(namespace: string, name: string, socket: string): KubeObject {
  const { apiVersion, kind } = Plug;
  return { apiVersion, kind, metadata: { namespace, name }, spec: { socket: { name: socket }, config: { name } } };
}

/** Makes `configMapOf` for each of its plugs. */
export function socketOf(namespace: string, name: string, value: string): KubeObject {
  const { apiVersion, kind } = Socket;
  const template = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "{% .plug.metadata.name %}" },
    data: { name: "{% .plugConfig.name %}", value: "{% .socketConfig.value %}" },
  };
  const spec = { config: { value }, resources: [{ when: ["coupled", "updated"], do: "apply", template }] };
  return { apiVersion, kind, metadata: { namespace, name }, spec };
}

export function configMapOf(namespace: string, name: string, value: string): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data: { name, value } };
}

/** A namespace whose default service account may do anything with ConfigMaps. */
export async function makeNamespace(client: KubeClient, name: string, sockets: readonly string[]): Promise<void> {
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { name: "config-maps", namespace: name };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }];
  await client.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  const subjects = [{ kind: "ServiceAccount", name: "default", namespace: name }];
  const roleRef = { apiGroup: rbac, kind: "Role", name: metadata.name };
  await client.create({ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, roleRef, subjects });
  for (const socket of sockets) await client.apply(socketOf(name, socket, "1"), { fieldManager: "bench" });
}

/** Deletes without decoupling, and leaves nothing to the garbage collector, which would disturb the next measurement. */
export async function removeAll(client: KubeClient, namespace: string): Promise<void> {
  for (const kind of [{ apiVersion: "v1", kind: "ConfigMap" }, Plug, Socket]) {
    await removeObjects(client, { ...kind, namespace });
  }
}

export async function removeObjects(client: KubeClient, selection: ObjectSelection): Promise<void> {
  const { items } = await client.list(selection);
  await Promise.all(
    items.map(async (object) => {
      const ref = refOf(object);
      if (object.metadata.finalizers) {
        await client.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } });
      }
      await client.delete(ref);
    }),
  );
}

export function isCoupled(plug: KubeObject): boolean {
  const conditions = valueAt(plug, ["status", "conditions"]);
  return Array.isArray(conditions) && conditions.some(({ type, status }) => type === "Coupled" && status === "True");
}
