import { z } from "zod";
import { defineKind, dnsName, duration, listMap, type ObjectOf, validations } from "#crd";
import { KstatusCondition } from "./kstatus-condition.ts";
import { tenonGroup } from "./propagation.ts";

/** What may own a claim: it ends when its owner has ended. */
export const ownerKinds = {
  PipelineRun: "tekton.dev/v1",
  TaskRun: "tekton.dev/v1",
  Job: "batch/v1",
} as const;
export type OwnerKindName = keyof typeof ownerKinds;

const kindNames = ["PipelineRun", "TaskRun", "Job"] as const satisfies readonly OwnerKindName[];

const OwnerHint = z.object({
  kind: z.enum(kindNames).describe("What it is."),
  name: dnsName().describe("Its name, in the namespace of the claim."),
  uid: z.string().max(64).exactOptional().describe("Its uid, if another one of that name is not meant."),
});
export type OwnerHint = z.infer<typeof OwnerHint>;

const Spec = validations(
  z.object({
    className: dnsName().describe("The EphemeralClass."),
    ttl: duration()
      .exactOptional()
      .describe(
        "How long the environment lives, at most; no longer than the class allows. Default: what the class says.",
      ),
    ownerRef: OwnerHint.exactOptional().describe(
      "The run that the environment is for: it is released when that has ended. Default: the first of the claim's `ownerReferences` that is such a run.",
    ),
    secretName: dnsName()
      .exactOptional()
      .describe("The Secret that gets the kubeconfig, with the key `kubeconfig`. Default: `<claim>-kubeconfig`."),
  }),
  [
    {
      rule: "self.className == oldSelf.className && has(self.secretName) == has(oldSelf.secretName) && (!has(self.secretName) || self.secretName == oldSelf.secretName)",
      message: "className and secretName cannot be changed; make another claim",
    },
  ],
);

export const claimPhases = ["Pending", "Provisioning", "Ready", "Releasing", "Released", "Failed"] as const;
export type ClaimPhase = (typeof claimPhases)[number];

/** Why an environment ends. */
const endReasons = ["Deleted", "Expired", "OwnerEnded", "ClassRevoked", "Refused", "Lost"] as const;
export type EndReason = (typeof endReasons)[number];

const Time = z.string().max(40);

const Status = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that the status describes."),
  conditions: listMap(z.array(KstatusCondition), ["type"])
    .exactOptional()
    .describe("`Ready`: the environment can be used; `Released`: it is gone, and why; `Expired`: it ended by its TTL."),
  phase: z.enum(claimPhases).exactOptional().describe("How far it is."),
  place: z.int().exactOptional().describe("Its place in the queue, if it waits for others to end."),
  namespace: z.string().exactOptional().describe("The namespace of the environment."),
  server: z.string().exactOptional().describe("The API server of the environment."),
  secretRef: z
    .object({ name: z.string().describe("Its name.") })
    .exactOptional()
    .describe("The Secret with the kubeconfig, in the namespace of the claim."),
  admittedAt: Time.exactOptional().describe("When it was its turn."),
  readyAt: Time.exactOptional().describe("When the environment could first be used."),
  expiresAt: Time.exactOptional().describe("When it ends at the latest."),
  tokenExpiresAt: Time.exactOptional().describe("Until when the token in the Secret is valid. It is replaced before."),
  ending: z
    .object({
      reason: z.enum(endReasons).describe("Why, as one word."),
      message: z.string().describe("Why, in words."),
      since: Time.describe("Since when."),
    })
    .exactOptional()
    .describe("Why the environment ends or has ended."),
});
export type ClaimStatus = z.infer<typeof Status>;

/** A request for an environment, which ends by itself. */
export const EphemeralClaim = defineKind({
  group: tenonGroup,
  version: "v1alpha1",
  kind: "EphemeralClaim",
  shortNames: ["eclaim"],
  scope: "Namespaced",
  description:
    "Asks for an ephemeral environment: a namespace with a kubeconfig, which ends with its run or after a time.",
  spec: Spec.describe("What is asked for."),
  status: Status.describe("What became of it; written by Tenon."),
  printerColumns: [
    { name: "Class", type: "string", jsonPath: ".spec.className" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Namespace", type: "string", jsonPath: ".status.namespace" },
    { name: "Expires", type: "string", jsonPath: ".status.expiresAt" },
    { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  examples: [
    {
      title: "An environment for a run of Tekton, for half an hour at most",
      object: {
        apiVersion: `${tenonGroup}/v1alpha1`,
        kind: "EphemeralClaim",
        metadata: { name: "e2e", namespace: "shop" },
        spec: { className: "small", ttl: "30m", ownerRef: { kind: "PipelineRun", name: "shop-e2e-x7f2q" } },
      },
    },
  ],
});
export type EphemeralClaim = ObjectOf<typeof EphemeralClaim>;
