import { z } from "zod";
import { defineKind, type ObjectOf } from "#crd";
import { upstreamGroup } from "./promotion-names.ts";
import { PipelineTimeouts } from "./release-pipeline.ts";
import { Mitigations } from "./mitigations.ts";

const version = "v1alpha1";

/** The only ReleaseServiceConfig that counts, in the namespace of Tenon. */
export const releaseServiceConfigName = "release-service-config";

const PipelineMatch = z.object({
  url: z.string().describe("A regular expression for the whole repository."),
  revision: z.string().describe("A regular expression for the whole revision."),
  pathInRepo: z.string().describe("The file."),
});

/** Settings for all releases of a cluster. */
export const ReleaseServiceConfig = defineKind({
  group: upstreamGroup,
  version,
  kind: "ReleaseServiceConfig",
  shortNames: ["rsc"],
  scope: "Namespaced",
  description: `Settings for all releases of a cluster: the object \`${releaseServiceConfigName}\` in the namespace of Tenon. Without it, everything has its default.`,
  spec: z
    .object({
      debug: z.boolean().exactOptional().describe("Allows pipelines of the resolver `cluster`."),
      defaultTimeouts: PipelineTimeouts.exactOptional().describe("For pipelines that have none."),
      EmptyDirOverrides: z
        .array(PipelineMatch)
        .exactOptional()
        .describe("Pipelines whose workspace is an emptyDir instead of a claim."),
      retryablePipelines: z
        .array(
          PipelineMatch.extend({
            retryPolicy: z
              .object({
                maxRetries: z.int().min(0).describe("How often."),
                disableOn: z
                  .object({ tags: z.array(z.string()).exactOptional().describe("Tags of images.") })
                  .exactOptional()
                  .describe("Releases of these tags are not repeated."),
                mitigations: Mitigations.exactOptional().describe("What each attempt gets more of."),
              })
              .describe("How they are repeated."),
          }),
        )
        .exactOptional()
        .describe("Managed pipelines that are repeated after a lack of memory or time."),
    })
    .describe("The settings."),
  status: z.object({}).describe("Not used."),
  printerColumns: [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }],
  examples: [
    {
      title: "No run takes longer than four hours",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "ReleaseServiceConfig",
        metadata: { name: releaseServiceConfigName, namespace: "tenon-system" },
        spec: { defaultTimeouts: { pipeline: "4h", tasks: "3h30m", finally: "30m" } },
      },
    },
  ],
});
export type ReleaseServiceConfig = ObjectOf<typeof ReleaseServiceConfig>;
