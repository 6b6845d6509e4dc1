import { z } from "zod";
import { defineKind, dnsLabel, type ObjectOf, validations } from "#crd";
import { promotionLabels, releaseConditions, upstreamGroup } from "./promotion-names.ts";
import { UpstreamConditions } from "./upstream-conditions.ts";

const version = "v1alpha1";
const time = z.iso.datetime({ offset: true });

const ReleaseSpec = validations(
  z.object({
    snapshot: dnsLabel().describe("The Snapshot that is released."),
    releasePlan: dnsLabel().describe("The ReleasePlan that says how."),
    // Without a type the rule below compares it as a whole: in an object it would overlook a field of another name.
    data: z
      .unknown()
      .exactOptional()
      .describe("An object that the pipelines read; the plan and the admission win over it."),
    gracePeriodDays: z.int().exactOptional().describe("After how many days it is deleted; default is the plan's."),
  }),
  [
    {
      rule: "has(self.gracePeriodDays) == has(oldSelf.gracePeriodDays) && self == oldSelf",
      message: "a Release never changes; create another Release",
    },
  ],
);

const ReleaseRun = z.object({
  pipelineRun: z.string().exactOptional().describe("Its namespace and name."),
  roleBindings: z
    .object({
      tenantRoleBinding: z.string().exactOptional().describe("In the namespace of the plan."),
      managedRoleBinding: z.string().exactOptional().describe("In the namespace of the admission."),
      secretRoleBinding: z.string().exactOptional().describe("For Secrets of collectors."),
    })
    .exactOptional()
    .describe("RoleBindings for the time of the run, by namespace and name."),
  startTime: time.exactOptional().describe("When it started."),
  completionTime: time.exactOptional().describe("When it ended."),
});

const ReleaseAttempt = ReleaseRun.extend({
  status: z.enum(["Progressing", "Succeeded", "Failed"]).exactOptional().describe("How it went."),
  failureReason: z
    .enum(["OOMKill", "TaskRunTimeout", "PipelineRunTimeout", "Error"])
    .exactOptional()
    .describe("Why it failed."),
  lastTask: z.string().exactOptional().describe("The task that failed."),
  lastStep: z.string().exactOptional().describe("The step that failed."),
  successfulTasks: z.int().exactOptional().describe("How many tasks succeeded."),
  mitigation: z
    .object({
      memoryLimit: z.string().exactOptional().describe("Memory of the task that failed."),
      memoryRequest: z.string().exactOptional().describe("Memory of the task that failed."),
      taskTimeout: z.string().exactOptional().describe("Time of the task that failed."),
      tasksTimeout: z.string().exactOptional().describe("Time of all tasks."),
      pipelinesTimeout: z.string().exactOptional().describe("Time of the run."),
    })
    .exactOptional()
    .describe("What it got more of than the attempt before."),
});
export type ReleaseAttempt = z.infer<typeof ReleaseAttempt>;

/** One act of releasing a Snapshot. */
export const Release = defineKind({
  group: upstreamGroup,
  version,
  kind: "Release",
  shortNames: ["rel"],
  scope: "Namespaced",
  description: `One act of releasing a Snapshot. The label \`${promotionLabels.author}\` says who created it.`,
  spec: ReleaseSpec.describe("What is released. It never changes."),
  status: z
    .object({
      artifacts: z.looseObject({}).exactOptional().describe("What was released, by the pipelines: `images`."),
      attribution: z
        .object({
          author: z.string().exactOptional().describe("Who answers for it."),
          standingAuthorization: z.boolean().exactOptional().describe("Whether as the author of the plan."),
        })
        .exactOptional()
        .describe("Who answers for the release."),
      automated: z.boolean().exactOptional().describe("Whether a controller created it."),
      collectors: z.looseObject({}).exactOptional().describe("What collectors found."),
      collectorsProcessing: z
        .object({
          tenantCollectorsProcessing: ReleaseRun.exactOptional().describe("Those of the plan."),
          managedCollectorsProcessing: ReleaseRun.exactOptional().describe("Those of the admission."),
        })
        .exactOptional()
        .describe("The runs of collectors."),
      tenantProcessing: ReleaseRun.exactOptional().describe("The run of the tenant's pipeline."),
      managedProcessing: ReleaseRun.exactOptional().describe("The last run of the managed pipeline."),
      managedPipelineAttempts: z.array(ReleaseAttempt).exactOptional().describe("The runs of the managed pipeline."),
      finalProcessing: ReleaseRun.exactOptional().describe("The run of the final pipeline."),
      validation: z
        .object({
          failedPostValidation: z.boolean().exactOptional().describe("Whether it became invalid later."),
          time: time.exactOptional().describe("When it was validated."),
        })
        .exactOptional()
        .describe("Its validation."),
      target: z.string().exactOptional().describe("The namespace that it is released into."),
      startTime: time.exactOptional().describe("When it started."),
      completionTime: time.exactOptional().describe("When it ended."),
      expirationTime: time.exactOptional().describe("When it is deleted."),
      conditions: UpstreamConditions.exactOptional(),
    })
    .describe("Its progress."),
  rules: [
    {
      rule: "self.metadata.name.size() <= 63",
      message: "expected a name of at most 63 characters, because its runs have it as a label",
    },
  ],
  printerColumns: [
    { name: "Snapshot", type: "string", jsonPath: ".spec.snapshot" },
    { name: "ReleasePlan", type: "string", jsonPath: ".spec.releasePlan" },
    {
      name: "Released",
      type: "string",
      jsonPath: `.status.conditions[?(@.type=="${releaseConditions.released}")].reason`,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  examples: [
    {
      title: "A release by hand",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "Release",
        metadata: { name: "shop-by-hand", namespace: "shop" },
        spec: { snapshot: "shop-20260102-030405-678", releasePlan: "released" },
      },
    },
  ],
});
export type Release = ObjectOf<typeof Release>;
