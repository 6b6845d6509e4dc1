import { posix } from "node:path";
import { compareStrings, trimSpace } from "#golang";
import { similarDocumentReader } from "#yaml";
import {
  type Hook,
  type HookEvent,
  type ChartManifest,
  type ManifestHead,
  type ReadDocument,
  readManifest,
} from "./read-manifest.ts";
import { splitManifests } from "./split-manifests.ts";

export interface SortedManifests {
  /** In the order to apply them. */
  readonly manifests: readonly ChartManifest[];
  readonly hooks: readonly Hook[];
}

const events = new Map<string, HookEvent>(
  (
    [
      "pre-install",
      "post-install",
      "pre-delete",
      "post-delete",
      "pre-upgrade",
      "post-upgrade",
      "pre-rollback",
      "post-rollback",
      "test",
    ] as const
  ).map((event) => [event, event]),
).set("test-success", "test");

/** Splits rendered templates into documents, takes the hooks out, and puts all in Helm's order of kinds. Each is parsed once. */
export function sortManifests(
  rendered: ReadonlyMap<string, string>,
  read: ReadDocument = similarDocumentReader(),
): SortedManifests {
  const manifests: (ChartManifest & { readonly kind: string })[] = [];
  const hooks: Hook[] = [];
  for (const source of [...rendered.keys()].toSorted(compareStrings)) {
    const text = rendered.get(source) ?? "";
    if (posix.basename(source).startsWith("_") || trimSpace(text) === "") continue;
    for (const document of splitManifests(text)) {
      const { manifest, head } = readManifest(source, document, read);
      const hookTypes = head.annotations?.get("helm.sh/hook");
      if (hookTypes === undefined) manifests.push({ ...manifest, kind: head.kind });
      else hooks.push(...hookOf(manifest, head, hookTypes));
    }
  }
  return {
    manifests: manifests.toSorted((a, b) => compareKinds(a.kind, b.kind)),
    hooks: hooks.toSorted((a, b) => compareKinds(a.kind, b.kind)),
  };
}

/** Empty if one of its events is unknown, because Helm drops such a document. */
function hookOf(
  manifest: ChartManifest,
  { name, kind, annotations = new Map() }: ManifestHead,
  hookTypes: string,
): Hook[] {
  const found = listed(hookTypes).map((type) => events.get(type));
  if (!found.every((event) => event !== undefined)) return [];
  const weight = annotations.get("helm.sh/hook-weight") ?? "";
  return [
    {
      ...manifest,
      name,
      kind,
      events: found,
      weight: /^[+-]?\d+$/.test(weight) ? Number(weight) : 0,
      deletePolicies: listed(annotations.get("helm.sh/hook-delete-policy")),
      outputLogPolicies: listed(annotations.get("helm.sh/hook-output-log-policy")),
    },
  ];
}

function listed(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(",").map((item) => trimSpace(item).toLowerCase());
}

/** Helm's install order of kinds; unknown kinds come last, by name. */
const installOrder = [
  "PriorityClass",
  "Namespace",
  "NetworkPolicy",
  "ResourceQuota",
  "LimitRange",
  "PodSecurityPolicy",
  "PodDisruptionBudget",
  "ServiceAccount",
  "Secret",
  "SecretList",
  "ConfigMap",
  "StorageClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleList",
  "ClusterRoleBinding",
  "ClusterRoleBindingList",
  "Role",
  "RoleList",
  "RoleBinding",
  "RoleBindingList",
  "Service",
  "DaemonSet",
  "Pod",
  "ReplicationController",
  "ReplicaSet",
  "Deployment",
  "HorizontalPodAutoscaler",
  "StatefulSet",
  "Job",
  "CronJob",
  "IngressClass",
  "Ingress",
  "APIService",
];

const places = new Map(installOrder.map((kind, index) => [kind, index]));

/** Compares two kinds by Helm's install order. */
function compareKinds(left: string, right: string): number {
  const [a, b] = [places.get(left), places.get(right)];
  if (a !== undefined && b !== undefined) return a - b;
  if (a === undefined && b === undefined) return compareStrings(left, right);
  return a === undefined ? 1 : -1;
}
