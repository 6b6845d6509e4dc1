import { z } from "zod";
import { atomicList, defineKind, dnsName, listMap, type ObjectOf, validations } from "#crd";
import { KstatusCondition } from "./kstatus-condition.ts";

/** The group of the operators of https://github.com/codeready-toolchain, whose requests Tenon answers where they are absent. */
export const toolchainGroup = "toolchain.dev.openshift.com";

const Spec = validations(
  z.object({
    tierName: dnsName().describe("The EphemeralClass that the space is made by."),
    targetClusterRoles: atomicList(z.array(z.string().min(1).max(316)).max(20))
      .exactOptional()
      .describe("Keys of labels: the class must have all of them."),
    disableInheritance: z
      .boolean()
      .exactOptional()
      .describe("Without effect: a space has no users but those of its own SpaceBindings."),
  }),
  [
    {
      rule: "self.tierName == oldSelf.tierName",
      message: "tierName cannot be changed; make another SpaceRequest",
    },
  ],
);

const NamespaceAccess = z.object({
  name: z.string().describe("The namespace of the space."),
  secretRef: z.string().describe("The Secret with the key `kubeconfig`, in the namespace of the SpaceRequest."),
});

const Status = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that the status describes."),
  conditions: listMap(z.array(KstatusCondition), ["type"])
    .exactOptional()
    .describe(
      "`Ready`: the space can be used; its reason is `Provisioning`, `Provisioned`, `UnableToProvision` or `Terminating`, or why the space has ended.",
    ),
  targetClusterURL: z.string().exactOptional().describe("The API server of the space."),
  namespaceAccess: atomicList(z.array(NamespaceAccess))
    .exactOptional()
    .describe("The namespace of the space, and how it is reached; while the space can be used."),
});

/** A request for a namespace, as the tests of Konflux make it. */
export const SpaceRequest = defineKind({
  group: toolchainGroup,
  version: "v1alpha1",
  kind: "SpaceRequest",
  scope: "Namespaced",
  description:
    "Asks for a namespace with a kubeconfig, by an EphemeralClaim that Tenon makes for it. Served where the operators of this group are absent.",
  spec: Spec.describe("What is asked for."),
  status: Status.describe("What became of it; written by Tenon."),
  printerColumns: [
    { name: "Tier", type: "string", jsonPath: ".spec.tierName" },
    { name: "TargetClusterURL", type: "string", jsonPath: ".status.targetClusterURL" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  ],
  examples: [
    {
      title: "A space by the class `small`",
      object: {
        apiVersion: `${toolchainGroup}/v1alpha1`,
        kind: "SpaceRequest",
        metadata: { name: "e2e", namespace: "shop" },
        spec: { tierName: "small" },
      },
    },
  ],
});
export type SpaceRequest = ObjectOf<typeof SpaceRequest>;
