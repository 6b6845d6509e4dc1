import type { KubeObject } from "#kube";
import { environmentLabels } from "../kinds/environment-names.ts";
import { validatingPolicy } from "./admission-policy.ts";

const inEnvironments = { apiGroup: "", namespaceLabel: environmentLabels.claimUid } as const;

/**
 * What the account of an environment may write in its namespace, and what would have an effect outside: a Service with the
 * address of someone else gets what all pods of the cluster send there, and a pod of the system's priority drives others away.
 */
export const environmentPolicies: readonly KubeObject[] = [
  ...validatingPolicy({
    ...inEnvironments,
    name: "environment-services.tenon.dev",
    resource: "services",
    operations: ["CREATE", "UPDATE"],
    validations: [
      {
        expression: "!has(object.spec.externalIPs) || size(object.spec.externalIPs) == 0",
        message: "a Service of an environment has no external addresses: it would get what others send there",
        reason: "Forbidden",
      },
    ],
  }),
  ...validatingPolicy({
    ...inEnvironments,
    name: "environment-pods.tenon.dev",
    resource: "pods",
    operations: ["CREATE"],
    validations: [
      {
        expression: "!has(object.spec.priorityClassName) || !object.spec.priorityClassName.startsWith('system-')",
        message: "a pod of an environment has no priority of the system: it would drive the pods of others away",
        reason: "Forbidden",
      },
    ],
  }),
];
