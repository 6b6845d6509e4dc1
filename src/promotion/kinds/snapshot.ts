import { z } from "zod";
import { defineKind, type ObjectOf, validations } from "#crd";
import { ComponentSource } from "./component-source.ts";
import { promotionAnnotations, promotionLabels, snapshotConditions, upstreamGroup } from "./promotion-names.ts";
import { UpstreamConditions } from "./upstream-conditions.ts";

const version = "v1alpha1";

const SnapshotComponent = z.object({
  name: z.string().describe("The Component."),
  version: z.string().exactOptional().describe("Its version, if the Snapshot has several of one Component."),
  containerImage: z.string().describe("The image, by digest: `quay.io/acme/web@sha256:...`."),
  source: ComponentSource.exactOptional().describe("The code that it was built from."),
});
export type SnapshotComponent = z.infer<typeof SnapshotComponent>;

const SnapshotSpec = validations(
  z.object({
    application: z.string().exactOptional().describe("The Application."),
    componentGroup: z.string().exactOptional().describe("The ComponentGroup, in place of an Application."),
    displayName: z.string().exactOptional().describe("A name for people."),
    displayDescription: z.string().exactOptional().describe("What it is, for people."),
    components: z
      .array(SnapshotComponent)
      .exactOptional()
      .describe("The images that are tested and released together. They never change."),
    artifacts: z
      .object({ unstableFields: z.unknown().exactOptional().describe("Anything.") })
      .exactOptional()
      .describe("Not used."),
  }),
  [
    {
      rule: "has(self.components) == has(oldSelf.components) && (!has(self.components) || self.components == oldSelf.components)",
      message: "the components of a Snapshot never change; create another Snapshot",
      fieldPath: ".components",
    },
  ],
);

const SnapshotStatus = z.object({
  conditions: UpstreamConditions.exactOptional(),
  parentSnapshots: z
    .record(
      z.string(),
      z.object({
        name: z.string().exactOptional().describe("The Snapshot."),
        created: z.boolean().exactOptional().describe("Whether it was created."),
        err: z.string().exactOptional().describe("Why not."),
      }),
    )
    .exactOptional()
    .describe("Snapshots of ComponentGroups that contain this one's."),
});

/** Images, by digest, that are tested and released together. */
export const Snapshot = defineKind({
  group: upstreamGroup,
  version,
  kind: "Snapshot",
  shortNames: ["as", "snapshot"],
  scope: "Namespaced",
  description: "Images, by digest, that are tested and released together.",
  spec: SnapshotSpec.describe("The images."),
  status: SnapshotStatus.describe(
    `The progress of its tests and releases; the results of tests are in the annotation \`${promotionAnnotations.testStatus}\`.`,
  ),
  rules: [
    {
      rule: "self.metadata.name.size() <= 63",
      message: "expected a name of at most 63 characters, because test runs have it as a label",
    },
  ],
  printerColumns: [
    { name: "Application", type: "string", jsonPath: ".spec.application" },
    {
      name: "Tests",
      type: "string",
      jsonPath: `.status.conditions[?(@.type=="${snapshotConditions.tests}")].reason`,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  examples: [
    {
      title: "A Snapshot made by hand, which enters the candidate list",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "Snapshot",
        metadata: { name: "shop-by-hand", namespace: "shop", labels: { [promotionLabels.snapshotType]: "override" } },
        spec: {
          application: "shop",
          components: [
            {
              name: "web",
              containerImage: `quay.io/acme/web@sha256:${"0123456789abcdef".repeat(4)}`,
              source: { git: { url: "https://git.example/acme/web", revision: "4f3a2b1" } },
            },
          ],
        },
      },
    },
  ],
});
export type Snapshot = ObjectOf<typeof Snapshot>;
