import type { KubeObject } from "#kube";
import { toolchainGroup } from "../kinds/space-request.ts";
import { validatingPolicy } from "./admission-policy.ts";

export const spaceBindingPolicyName = "space-bindings.tenon.dev";

/**
 * Tenon gives the role in a space with rights of its own. So the one who asks must be able to read the Secret with the space's
 * kubeconfig, and thus to do there what the role allows.
 */
export const spaceBindingPolicy: readonly KubeObject[] = validatingPolicy({
  name: spaceBindingPolicyName,
  apiGroup: toolchainGroup,
  resource: "spacebindings",
  operations: ["CREATE", "UPDATE"],
  validations: [
    {
      expression:
        "oldObject != null && object.spec == oldObject.spec || authorizer.group('').resource('secrets').namespace(object.metadata.namespace).check('get').allowed()",
      message:
        "a SpaceBinding needs the right to read the Secrets of its namespace, one of which has the kubeconfig of the space",
      reason: "Forbidden",
    },
  ],
});
