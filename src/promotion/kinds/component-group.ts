import { z } from "zod";
import { defineKind, dnsLabel, type ObjectOf, validations } from "#crd";
import { upstreamGroup } from "./promotion-names.ts";
import { UpstreamConditions } from "./upstream-conditions.ts";

const version = "v1beta2";

const Member = validations(
  z.object({
    name: dnsLabel().describe("The Component or ComponentGroup."),
    kind: z
      .string()
      .max(63)
      .regex(/^(?:[cC][oO][mM][pP][oO][nN][eE][nN][tT])(?:[gG][rR][oO][uU][pP])?$/)
      .default("component")
      .describe("`component` or `componentGroup`."),
    componentVersion: z
      .object({
        name: z.string().describe("The version."),
        version: z.string().exactOptional().describe("Not used."),
        context: z.string().exactOptional().describe("The directory of the component."),
      })
      .exactOptional()
      .describe("Which version of the Component."),
  }),
  [
    {
      rule: "has(self.componentVersion) == (self.kind.lowerAscii() == 'component')",
      message: "a component needs componentVersion, and a componentGroup takes none",
      fieldPath: ".componentVersion",
      check: ({ kind, componentVersion }) => (componentVersion !== undefined) === (kind.toLowerCase() === "component"),
    },
  ],
);

/** Versions of components that are tested and released together. Tenon stores it, and does not act on it yet. */
export const ComponentGroup = defineKind({
  group: upstreamGroup,
  version,
  kind: "ComponentGroup",
  shortNames: ["cg"],
  scope: "Namespaced",
  description:
    "Versions of components that are tested and released together. Tenon stores it, and does not act on it yet.",
  spec: z
    .object({
      components: z.array(Member).max(2_000).describe("Its members."),
      testGraph: z
        .record(
          z.string(),
          z.array(
            z.object({
              name: z.string().describe("The scenario that runs before."),
              failFast: z.boolean().default(false).describe("Its failure fails the scenarios after it."),
            }),
          ),
        )
        .exactOptional()
        .describe("Which scenarios run before a scenario."),
      snapshotCreator: z
        .object({
          taskRef: z
            .object({
              resolver: z.string().describe("The resolver."),
              params: z
                .array(z.object({ name: z.string().describe("The parameter."), value: z.string().describe("A text.") }))
                .describe("What the resolver needs."),
            })
            .exactOptional()
            .describe("Where the task is."),
        })
        .exactOptional()
        .describe("Not used."),
    })
    .describe("The members, and the order of their tests."),
  status: z
    .object({
      conditions: UpstreamConditions.exactOptional(),
      globalCandidateList: z
        .array(
          z.object({
            name: z.string().describe("The Component."),
            version: z.string().exactOptional().describe("Its version."),
            url: z.string().exactOptional().describe("Its repository."),
            lastPromotedImage: z.string().exactOptional().describe("The image, by digest."),
            lastPromotedCommit: z.string().exactOptional().describe("Its commit."),
            lastPromotedBuildTime: z.iso.datetime({ offset: true }).exactOptional().describe("When its build started."),
          }),
        )
        .exactOptional()
        .describe("The newest image of each member."),
    })
    .describe("The candidate list."),
  rules: [
    {
      rule: "self.spec.components.all(c, c.kind.lowerAscii() == 'component' || c.name != self.metadata.name)",
      message: "a ComponentGroup cannot contain itself",
    },
  ],
  printerColumns: [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }],
});
export type ComponentGroup = ObjectOf<typeof ComponentGroup>;
