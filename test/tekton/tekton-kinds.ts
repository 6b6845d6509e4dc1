import type { KubeClient, KubeObject } from "#kube";

/** Tekton's kinds without Tekton: every field is accepted, and nothing acts on them. */
const tektonKinds = [
  { group: "tekton.dev", version: "v1", kind: "PipelineRun", plural: "pipelineruns" },
  { group: "tekton.dev", version: "v1", kind: "TaskRun", plural: "taskruns" },
  { group: "resolution.tekton.dev", version: "v1beta1", kind: "ResolutionRequest", plural: "resolutionrequests" },
] as const;

type TektonKind = (typeof tektonKinds)[number];

/** Installs Tekton's kinds, and waits until they are served. */
export async function installTektonKinds(client: KubeClient, signal = AbortSignal.timeout(300_000)): Promise<void> {
  for (const kind of tektonKinds) await client.apply(definitionOf(kind), { fieldManager: "test", force: true }, signal);
  for (const { group, version, kind } of tektonKinds) {
    await client.discovery.whenServed({ apiVersion: `${group}/${version}`, kind }, signal);
  }
}

/** Removes Tekton's kinds and all their objects. */
export async function removeTektonKinds(client: KubeClient): Promise<void> {
  for (const kind of tektonKinds) {
    const { apiVersion, metadata } = definitionOf(kind);
    await client.delete({ apiVersion, kind: "CustomResourceDefinition", name: metadata.name });
  }
}

function definitionOf({ group, version, kind, plural }: TektonKind): KubeObject {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } },
          subresources: { status: {} },
        },
      ],
    },
  };
}
