import type { KubeObject } from "#kube";
import { promotionLabels, upstreamGroup } from "../kinds/promotion-names.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const name = "snapshot-labels.tenon.dev";

/** A Snapshot carries its owner as a label, by which people and programs select; whoever creates it. */
export const snapshotLabelsPolicy: readonly KubeObject[] = [
  {
    apiVersion,
    kind: "MutatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      matchConstraints: {
        resourceRules: [
          { apiGroups: [upstreamGroup], apiVersions: ["*"], operations: ["CREATE"], resources: ["snapshots"] },
        ],
      },
      mutations: [
        labelFrom("application", promotionLabels.application),
        labelFrom("componentGroup", promotionLabels.componentGroup),
      ],
    },
  },
  { apiVersion, kind: "MutatingAdmissionPolicyBinding", metadata: { name }, spec: { policyName: name } },
];

function labelFrom(field: string, label: string) {
  const labelled = `Object{metadata: Object.metadata{labels: {'${label}': object.spec.${field}}}}`;
  const expression = `has(object.spec) && has(object.spec.${field}) ? ${labelled} : Object{}`;
  return { patchType: "ApplyConfiguration", applyConfiguration: { expression } };
}
