import { z } from "zod";
import { defineKind, dnsName, listMap, type ObjectOf, validations } from "#crd";
import { KstatusCondition } from "./kstatus-condition.ts";
import { toolchainGroup } from "./space-request.ts";

export const spaceRoles = ["admin", "viewer"] as const;
export type SpaceRole = (typeof spaceRoles)[number];

const Spec = validations(
  z.object({
    masterUserRecord: z.string().min(1).max(253).describe("The user, by the name that Kubernetes knows."),
    space: dnsName().describe("The SpaceRequest, in the namespace of the SpaceBinding."),
    spaceRole: z
      .enum(spaceRoles)
      .describe("`admin`: the role that the class gives the space's account; `viewer`: read all but Secrets."),
  }),
  [
    {
      rule: "!self.masterUserRecord.startsWith('system:')",
      message: "masterUserRecord must be a person; names with system: are Kubernetes' own",
      fieldPath: ".masterUserRecord",
      check: ({ masterUserRecord }) => !masterUserRecord.startsWith("system:"),
    },
  ],
);

const Status = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that the status describes."),
  conditions: listMap(z.array(KstatusCondition), ["type"])
    .exactOptional()
    .describe("`Ready`: the user has the role in the space."),
});

/** Gives a person a role in a space, as the operators of the group do. */
export const SpaceBinding = defineKind({
  group: toolchainGroup,
  version: "v1alpha1",
  kind: "SpaceBinding",
  scope: "Namespaced",
  description:
    "Gives a person a role in the space of a SpaceRequest, until it is deleted or the space ends. Only a person who may read Secrets of the namespace, and so has the kubeconfig of the space anyway, can make one.",
  spec: Spec.describe("Who gets which role where."),
  status: Status.describe("What became of it; written by Tenon."),
  printerColumns: [
    { name: "MUR", type: "string", jsonPath: ".spec.masterUserRecord" },
    { name: "Space", type: "string", jsonPath: ".spec.space" },
    { name: "SpaceRole", type: "string", jsonPath: ".spec.spaceRole" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ],
  examples: [
    {
      title: "A colleague looks into a space",
      object: {
        apiVersion: `${toolchainGroup}/v1alpha1`,
        kind: "SpaceBinding",
        metadata: { name: "alice", namespace: "shop" },
        spec: { masterUserRecord: "alice", space: "e2e", spaceRole: "viewer" },
      },
    },
  ],
});
export type SpaceBinding = ObjectOf<typeof SpaceBinding>;
