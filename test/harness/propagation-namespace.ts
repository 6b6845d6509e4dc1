import { installKinds } from "#crd";
import type { KubeClient } from "#kube";
import { Propagation } from "#promotion";
import { accountUser, grantRights } from "./grant-rights.ts";

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
  const user = accountUser({ namespace, name: "default" });
  const rules = [
    { apiGroups: [""], resources: ["secrets", "configmaps"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
    { apiGroups: ["appstudio.redhat.com"], resources: ["releases", "releaseplans"], verbs: ["get", "list"] },
    { apiGroups: ["appstudio.redhat.com"], resources: ["snapshots"], verbs: ["get"] },
  ];
  await grantRights(client, { namespace, name: "propagation", user, rules });
}
