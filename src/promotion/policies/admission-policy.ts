import type { KubeObject } from "#kube";
import { upstreamGroup } from "../kinds/promotion-names.ts";

export const policyVersion = "admissionregistration.k8s.io/v1";

type Operation = "CREATE" | "UPDATE";

interface Mutations {
  readonly name: string;
  readonly resource: string;
  readonly operations: readonly Operation[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly mutations: readonly object[];
}

/** A MutatingAdmissionPolicy for one of Konflux's kinds, and its binding. Kubernetes serves it from 1.36. */
export function mutatingPolicy({ name, resource, operations, variables, mutations }: Mutations): readonly KubeObject[] {
  return [
    {
      apiVersion: policyVersion,
      kind: "MutatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        reinvocationPolicy: "Never",
        matchConstraints: matching(resource, operations),
        ...(variables ? { variables } : {}),
        mutations,
      },
    },
    {
      apiVersion: policyVersion,
      kind: "MutatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name },
    },
  ];
}

interface Validations {
  readonly name: string;
  readonly resource: string;
  readonly operations: readonly Operation[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly object[];
}

/** A ValidatingAdmissionPolicy for one of Konflux's kinds, and its binding. */
export function validatingPolicy({
  name,
  resource,
  operations,
  variables,
  validations,
}: Validations): readonly KubeObject[] {
  return [
    {
      apiVersion: policyVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: matching(resource, operations),
        ...(variables ? { variables } : {}),
        validations,
      },
    },
    {
      apiVersion: policyVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}

function matching(resource: string, operations: readonly Operation[]) {
  return {
    resourceRules: [{ apiGroups: [upstreamGroup], apiVersions: ["*"], operations, resources: [resource] }],
  };
}

/** Sets a label to the value of an expression, if the condition holds. */
export function setLabel(label: string, value: string, condition: string) {
  const labelled = `Object{metadata: Object.metadata{labels: {'${label}': ${value}}}}`;
  return {
    patchType: "ApplyConfiguration",
    applyConfiguration: { expression: `${condition} ? ${labelled} : Object{}` },
  };
}

/** A CEL expression for a label of `object` or `oldObject`; empty if it is absent. */
export function labelIn(object: "object" | "oldObject", label: string): string {
  return `(has(${object}.metadata.labels) && '${label}' in ${object}.metadata.labels ? ${object}.metadata.labels['${label}'] : '')`;
}
