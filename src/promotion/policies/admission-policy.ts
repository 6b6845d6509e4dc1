import type { KubeObject } from "#kube";
import { upstreamGroup } from "../kinds/promotion-names.ts";

export const policyVersion = "admissionregistration.k8s.io/v1";

type Operation = "CREATE" | "UPDATE";

interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

interface PolicyRange {
  readonly name: string;
  /** Default: Konflux's. */
  readonly apiGroup?: string;
  readonly resource: string;
  readonly operations: readonly Operation[];
  /** Requests for which one of them is false are not looked at. */
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
  /** Only in namespaces with this label. */
  readonly namespaceLabel?: string;
}

interface Mutations extends PolicyRange {
  readonly mutations: readonly object[];
}

/** A MutatingAdmissionPolicy, and its binding. Kubernetes serves it from 1.36. */
export function mutatingPolicy({ mutations, ...range }: Mutations): readonly KubeObject[] {
  const { name } = range;
  return [
    {
      apiVersion: policyVersion,
      kind: "MutatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        reinvocationPolicy: "Never",
        ...rangeOf(range),
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

interface Validations extends PolicyRange {
  readonly validations: readonly object[];
}

/** A ValidatingAdmissionPolicy, and its binding. */
export function validatingPolicy({ validations, ...range }: Validations): readonly KubeObject[] {
  const { name } = range;
  return [
    {
      apiVersion: policyVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        ...rangeOf(range),
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

function rangeOf(range: PolicyRange) {
  const { apiGroup = upstreamGroup, resource, operations, matchConditions, variables, namespaceLabel: key } = range;
  const rule = { apiGroups: [apiGroup], apiVersions: ["*"], operations, resources: [resource] };
  const namespaceSelector = { matchExpressions: [{ key, operator: "Exists" }] };
  return {
    matchConstraints: { ...(key === undefined ? {} : { namespaceSelector }), resourceRules: [rule] },
    ...(matchConditions ? { matchConditions } : {}),
    ...(variables ? { variables } : {}),
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

/** A CEL expression for an annotation of one of these objects; empty if it is absent. */
export function annotationIn(object: "object" | "oldObject" | "namespaceObject", annotation: string): string {
  const annotations = `${object}.metadata.annotations`;
  return `(has(${annotations}) && '${annotation}' in ${annotations} ? ${annotations}['${annotation}'] : '')`;
}
