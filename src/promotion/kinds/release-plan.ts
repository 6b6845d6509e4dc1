import { z } from "zod";
import { defineKind, dnsLabel, type ObjectOf, validations } from "#crd";
import { promotionAnnotations, promotionLabels, releaseConditions, upstreamGroup } from "./promotion-names.ts";
import { ParameterizedReleasePipeline, ReleaseCollectors } from "./release-pipeline.ts";
import { UpstreamConditions } from "./upstream-conditions.ts";

const version = "v1alpha1";

const ReleasePlanSpec = validations(
  z.object({
    application: dnsLabel().exactOptional().describe("The Application whose Snapshots are released."),
    componentGroup: dnsLabel().exactOptional().describe("The ComponentGroup, in place of an Application."),
    target: dnsLabel()
      .exactOptional()
      .describe("The namespace of the ReleasePlanAdmission; without it, only the pipelines of this plan run."),
    data: z.looseObject({}).exactOptional().describe("What the pipelines read; a Release and an admission add to it."),
    tenantPipeline: ParameterizedReleasePipeline.exactOptional().describe("Runs in the namespace of the plan."),
    finalPipeline: ParameterizedReleasePipeline.exactOptional().describe("Runs last, also after a failure."),
    collectors: ReleaseCollectors.exactOptional().describe("Run first."),
    releaseGracePeriodDays: z.int().default(7).describe("After how many days a Release is deleted."),
  }),
  [
    {
      rule: "has(self.application) != has(self.componentGroup)",
      message: "expected either application or componentGroup",
      fieldPath: ".application",
      check: ({ application, componentGroup }) => (application === undefined) !== (componentGroup === undefined),
    },
  ],
);

/** How Snapshots of an Application are released. */
export const ReleasePlan = defineKind({
  group: upstreamGroup,
  version,
  kind: "ReleasePlan",
  shortNames: ["rp"],
  scope: "Namespaced",
  description: `How Snapshots of an Application are released. The label \`${promotionLabels.autoRelease}\` says whether that happens by itself, or the annotation of the same name, which is a CEL expression. Such releases need the label \`${promotionLabels.standingAttribution}: "true"\`: the author of the plan answers for them.`,
  spec: ReleasePlanSpec.describe("What is released, and how."),
  status: z
    .object({
      conditions: UpstreamConditions.exactOptional(),
      releasePlanAdmission: z
        .object({
          name: z.string().describe("Its namespace and name."),
          active: z.boolean().describe("Whether it lets releases pass."),
        })
        .exactOptional()
        .describe("The ReleasePlanAdmission that fits."),
    })
    .describe("Whether the plan can release."),
  printerColumns: [
    { name: "Application", type: "string", jsonPath: ".spec.application" },
    { name: "Target", type: "string", jsonPath: ".spec.target" },
    {
      name: "Matched",
      type: "string",
      jsonPath: `.status.conditions[?(@.type=="${releaseConditions.matched}")].status`,
    },
  ],
  examples: [
    {
      title: "Tested images get the tag released, in the repositories they were built into",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "ReleasePlan",
        metadata: {
          name: "released",
          namespace: "shop",
          labels: { [promotionLabels.autoRelease]: "true", [promotionLabels.standingAttribution]: "true" },
        },
        spec: {
          application: "shop",
          tenantPipeline: {
            pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] },
            serviceAccountName: "appstudio-pipeline",
          },
          data: { mapping: { defaults: { tags: ["released"] } } },
        },
      },
    },
    {
      title: "Releases only what changed web",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "ReleasePlan",
        metadata: {
          name: "web",
          namespace: "shop",
          labels: { [promotionLabels.standingAttribution]: "true" },
          annotations: { [promotionAnnotations.autoRelease]: "shouldRelease() && updatedComponentIs('web')" },
        },
        spec: { application: "shop", target: "managed" },
      },
    },
  ],
});
export type ReleasePlan = ObjectOf<typeof ReleasePlan>;
