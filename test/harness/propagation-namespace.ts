import { installKinds } from "#crd";
import type { KubeClient } from "#kube";
import { Propagation } from "#promotion";

/** A namespace whose default service account may read Secrets and some health objects, with the kind Propagation installed. */
export interface PropagationNamespace {
  readonly client: KubeClient;
  readonly namespace: string;
  createSecret(name: string, data: Readonly<Record<string, string>>): Promise<void>;
  apply(name: string, spec: unknown): Promise<void>;
  read(name: string): Promise<ReturnType<typeof Propagation.parse>>;
}

export async function makePropagationNamespace(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<PropagationNamespace> {
  const { apiVersion, kind } = Propagation;
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await installKinds(client, [Propagation], { signal });
  await client.discovery.whenServed({ apiVersion, kind }, signal);
  await grantReads(client, namespace);
  return {
    client,
    namespace,
    async createSecret(name, data) {
      await client.create({ apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, stringData: data });
    },
    async apply(name, spec) {
      const object = { apiVersion, kind, metadata: { namespace, name }, spec };
      await client.apply(object, { fieldManager: "tests", force: true }, signal);
    },
    read: async (name) => Propagation.parse(await client.get({ apiVersion, kind, namespace, name }, signal)),
  };
}

async function grantReads(client: KubeClient, namespace: string): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { namespace, name: "propagation" };
  const rules = [
    { apiGroups: [""], resources: ["secrets", "configmaps"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
    { apiGroups: ["appstudio.redhat.com"], resources: ["releases", "releaseplans"], verbs: ["get", "list"] },
  ];
  await client.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  await client.create({
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name: "propagation" },
    subjects: [{ kind: "ServiceAccount", namespace, name: "default" }],
  });
}
