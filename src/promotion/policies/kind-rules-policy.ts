import { type Kind, type StructuralSchema, toCustomResourceDefinition, type ValidationRule } from "#crd";
import type { KubeObject } from "#kube";

const apiVersion = "admissionregistration.k8s.io/v1";

/**
 * The rules of a kind as a ValidatingAdmissionPolicy, for a cluster whose CustomResourceDefinition of it is Konflux's, which
 * has no rules because Konflux checks them by a webhook.
 */
export function kindRulesPolicy(kind: Kind): readonly KubeObject[] {
  const { definition, plural } = kind;
  const name = `${plural}.${definition.group}.tenon.dev`;
  const version = toCustomResourceDefinition(kind).spec.versions.find(
    (candidate) => candidate.name === definition.version,
  );
  const rules = version ? rulesOf(version.schema.openAPIV3Schema, "") : [];
  return [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [definition.group],
              apiVersions: [definition.version],
              operations: ["CREATE", "UPDATE"],
              resources: [plural],
            },
          ],
        },
        validations: rules,
      },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}

interface Validation {
  readonly expression: string;
  readonly message: string;
}

/** The rules of an object and of the objects in it; those of the items of lists have no counterpart in a policy. */
function rulesOf(schema: StructuralSchema, path: string): Validation[] {
  const own = (schema["x-kubernetes-validations"] ?? []).map((rule) => validationOf(rule, path));
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => rulesOf(inner, `${path}.${name}`));
  return [...own, ...below];
}

function validationOf({ rule, message }: ValidationRule, path: string): Validation {
  const expression = rule.replaceAll(/\bself\b/g, `object${path}`).replaceAll(/\boldSelf\b/g, `oldObject${path}`);
  return { expression: /\boldSelf\b/.test(rule) ? `oldObject == null || (${expression})` : expression, message };
}
