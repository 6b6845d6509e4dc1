import { ApiError, type KubeClient, type NewObject, type ObjectRef } from "#kube";
import { done, type Reconciler } from "#runtime";
import { runnerAccount } from "../runners/test-runner.ts";

const pullSecret = "components-namespace-pull";

interface RunnerAccountDeps {
  readonly client: KubeClient;
  /** Whether the namespace has a scenario. */
  readonly hasScenarios: (namespace: string) => boolean;
}

/**
 * Gives a namespace with scenarios the service account of its test runs, with a Secret for images that is empty until its owner
 * fills it. What exists stays as it is. Test runs get the rights of the ClusterRole of the same name, which Tenon may bind and
 * cannot change.
 */
export function runnerAccountReconciler({ client, hasScenarios }: RunnerAccountDeps): Reconciler {
  return async function reconcileRunnerAccount(namespace, signal) {
    if (!hasScenarios(namespace)) return done;
    try {
      for (const object of accountObjects(namespace)) await createIfAbsent(client, object, signal);
    } catch (error) {
      const isEnding = error instanceof ApiError && error.hasCause("NamespaceTerminating");
      if (!isEnding) throw error;
    }
    return done;
  };
}

function accountObjects(namespace: string): NewObject[] {
  const metadata = { name: runnerAccount, namespace };
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: pullSecret, namespace },
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": '{"auths":{}}' },
    },
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata,
      secrets: [{ name: pullSecret }],
      imagePullSecrets: [{ name: pullSecret }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: runnerAccount },
      subjects: [{ kind: "ServiceAccount", name: runnerAccount, namespace }],
    },
  ];
}

async function createIfAbsent(client: KubeClient, object: NewObject, signal: AbortSignal): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const ref: ObjectRef = { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? "" };
  if (await client.find({ ...ref, metadataOnly: true }, signal)) return;
  await client.create(object, {}, signal).catch((error: unknown) => {
    if (!(error instanceof ApiError) || !error.isAlreadyExists) throw error;
  });
}
