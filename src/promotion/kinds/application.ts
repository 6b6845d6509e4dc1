import { z } from "zod";
import { defineKind, type ObjectOf } from "#crd";
import { upstreamGroup } from "./promotion-names.ts";
import { UpstreamConditions } from "./upstream-conditions.ts";

const IgnoredRepository = z
  .object({
    url: z.string().describe("Its address."),
    branch: z.string().exactOptional().describe("A branch."),
    context: z.string().exactOptional().describe("A directory."),
  })
  .describe("Accepted and ignored: no repository is generated for an application.");

const version = "v1alpha1";

/** Components that are tested and released together. */
export const Application = defineKind({
  group: upstreamGroup,
  version,
  kind: "Application",
  shortNames: ["hasapp", "ha", "app"],
  scope: "Namespaced",
  description: "Components that are tested and released together.",
  spec: z
    .object({
      displayName: z.string().describe("The name for people."),
      description: z.string().exactOptional().describe("What it is, for people."),
      appModelRepository: IgnoredRepository.exactOptional(),
      gitOpsRepository: IgnoredRepository.exactOptional(),
    })
    .describe("How the application is shown."),
  status: z
    .object({
      conditions: UpstreamConditions.exactOptional(),
      devfile: z.string().exactOptional().describe("Not used."),
    })
    .describe("Written by Tenon."),
  printerColumns: [
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Status", type: "string", jsonPath: ".status.conditions[-1].status" },
    { name: "Reason", type: "string", jsonPath: ".status.conditions[-1].reason" },
  ],
  examples: [
    {
      title: "A shop of several components",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "Application",
        metadata: { name: "shop", namespace: "shop" },
        spec: { displayName: "Shop" },
      },
    },
  ],
});
export type Application = ObjectOf<typeof Application>;
