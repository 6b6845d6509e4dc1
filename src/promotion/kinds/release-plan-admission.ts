import { z } from "zod";
import { defineKind, dnsLabel, dnsName, type ObjectOf, validations } from "#crd";
import { promotionLabels, releaseConditions, upstreamGroup } from "./promotion-names.ts";
import { ReleaseCollectors, ReleasePipeline } from "./release-pipeline.ts";
import { Mitigations } from "./mitigations.ts";
import { UpstreamConditions } from "./upstream-conditions.ts";

const version = "v1alpha1";

const AdmissionSpec = validations(
  z.object({
    applications: z.array(dnsLabel()).min(1).exactOptional().describe("The Applications that may be released."),
    componentGroups: z
      .array(dnsLabel())
      .min(1)
      .exactOptional()
      .describe("The ComponentGroups, in place of Applications."),
    origin: dnsLabel().describe("The namespace that they come from."),
    policy: dnsName().describe("The EnterpriseContractPolicy of this namespace that the pipeline checks."),
    pipeline: ReleasePipeline.exactOptional().describe("Runs in this namespace."),
    data: z.looseObject({}).exactOptional().describe("What the pipeline reads; it wins over the data of plans."),
    collectors: ReleaseCollectors.exactOptional().describe("Run before the pipeline."),
    environment: z.string().exactOptional().describe("Accepted and ignored: nothing is deployed."),
  }),
  [
    {
      rule: "has(self.applications) != has(self.componentGroups)",
      message: "expected either applications or componentGroups",
      fieldPath: ".applications",
      check: ({ applications, componentGroups }) => (applications === undefined) !== (componentGroups === undefined),
    },
  ],
);

/** Lets another namespace release here. */
export const ReleasePlanAdmission = defineKind({
  group: upstreamGroup,
  version,
  kind: "ReleasePlanAdmission",
  shortNames: ["rpa"],
  scope: "Namespaced",
  description: `Lets another namespace release here, by the pipeline that it names. The label \`${promotionLabels.blockReleases}: "true"\` stops releases that have not started.`,
  spec: AdmissionSpec.describe("Who may release what, and how."),
  status: z
    .object({
      conditions: UpstreamConditions.exactOptional(),
      releasePlans: z
        .array(
          z.object({
            name: z.string().describe("Its namespace and name."),
            active: z.boolean().describe("Whether it releases by itself."),
          }),
        )
        .exactOptional()
        .describe("The ReleasePlans that fit."),
      retryInfo: z
        .object({
          enabled: z.boolean().describe("Whether a failed run is repeated."),
          maxRetries: z.int().exactOptional().describe("How often."),
          mitigations: Mitigations.exactOptional().describe("What each attempt gets more of."),
          reason: z.string().exactOptional().describe("Why not."),
        })
        .exactOptional()
        .describe("Whether its pipeline is repeated."),
    })
    .describe("Which plans it fits."),
  printerColumns: [
    { name: "Origin", type: "string", jsonPath: ".spec.origin" },
    {
      name: "Matched",
      type: "string",
      jsonPath: `.status.conditions[?(@.type=="${releaseConditions.matched}")].status`,
    },
  ],
  examples: [
    {
      title: "The namespace shop may release its application here",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "ReleasePlanAdmission",
        metadata: { name: "shop", namespace: "managed" },
        spec: {
          applications: ["shop"],
          origin: "shop",
          policy: "default",
          pipeline: {
            pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] },
            serviceAccountName: "release-pipeline",
          },
          data: {
            mapping: { components: [{ name: "web", repository: "quay.io/acme-released/web", tags: ["released"] }] },
          },
        },
      },
    },
  ],
});
export type ReleasePlanAdmission = ObjectOf<typeof ReleasePlanAdmission>;
