import { z } from "zod";
import { defineKind, type ObjectOf, validations } from "#crd";
import type { ConditionStatus } from "#runtime";
import { apiVersion, group, version } from "./names.ts";
import { nameOrEmpty } from "./shared-spec.ts";
import { Conditions } from "./shared-status.ts";

/** The reasons of a DeferredResource's `Resolved`, which are those of integration-operator, and their status. */
export const resolvedReasons = {
  Pending: { status: "False", message: "waiting for timeout, or waiting for resource" },
  Success: { status: "True", message: "success" },
  Error: { status: "False", message: "failed" },
} as const satisfies Readonly<Record<string, { readonly status: ConditionStatus; readonly message: string }>>;

const AwaitedObject = validations(
  z.object({
    apiVersion: z.string().max(317).exactOptional().describe("Such as `apps/v1`."),
    group: z.string().max(253).exactOptional().describe("With `version`, another way to say `apiVersion`."),
    version: z.string().max(63).exactOptional().describe("By itself, a version of the core group."),
    kind: z.string().min(1).max(63).describe("Such as `Secret`."),
    name: z.string().min(1).max(253).describe("The object's name."),
  }),
  [
    {
      rule: "has(self.apiVersion) || has(self.version)",
      message: "waitFor needs apiVersion, or version and, outside the core group, group",
      check: (awaited) => awaited.apiVersion !== undefined || awaited.version !== undefined,
    },
  ],
);

const DeferredResourceSpec = z.object({
  timeout: z
    .int()
    .min(0)
    .exactOptional()
    .describe("Seconds after the creation of the DeferredResource before which nothing happens; default: 0."),
  waitFor: z
    .array(AwaitedObject)
    .max(1_000)
    .exactOptional()
    .describe("Objects of the same namespace that must exist, whatever their state."),
  resource: z
    .looseObject({})
    .exactOptional()
    .describe("The object to create, in the same namespace. An object that already exists is not changed."),
  serviceAccountName: nameOrEmpty()
    .exactOptional()
    .describe("The service account that reads and writes everything; default: `default`."),
});

const DeferredResourceStatus = z.object({
  conditions: Conditions.exactOptional().describe("The conditions."),
  observedGeneration: z
    .int()
    .exactOptional()
    .describe("The generation of the DeferredResource that the status describes."),
  ownerReferences: z
    .object({
      apiVersion: z.string().describe("The API version."),
      kind: z.string().describe("The kind."),
      name: z.string().describe("The name."),
      uid: z.string().describe("The uid."),
      blockOwnerDeletion: z.boolean().exactOptional().describe("Not used."),
      controller: z.boolean().exactOptional().describe("Not used."),
    })
    .exactOptional()
    .describe("The object that was created: one, in spite of the name."),
});

/** An object that is created once, after a time and after other objects. */
export const DeferredResource = defineKind({
  group,
  version,
  kind: "DeferredResource",
  categories: ["integration"],
  scope: "Namespaced",
  description:
    "An object that is created once, after a time and after other objects. It is not changed afterwards, and stays when the DeferredResource is deleted.",
  // integration-operator's own sample has none.
  spec: DeferredResourceSpec.prefault({}).describe("The object to create, and what to wait for."),
  status: DeferredResourceStatus.describe("Whether the object was created; written by Tenon."),
  printerColumns: [
    { name: "Resolved", type: "string", jsonPath: '.status.conditions[?(@.type=="Resolved")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Resolved")].reason' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].message' },
    { name: "Failure", type: "string", jsonPath: '.status.conditions[?(@.type=="Failed")].message' },
  ],
  examples: [
    {
      title: "A Job that needs a Secret of another tool",
      object: {
        apiVersion,
        kind: "DeferredResource",
        metadata: { name: "migrate", namespace: "shop" },
        spec: {
          timeout: 10,
          waitFor: [{ apiVersion: "v1", kind: "Secret", name: "database" }],
          resource: {
            apiVersion: "batch/v1",
            kind: "Job",
            metadata: { name: "migrate" },
            spec: {
              template: {
                spec: { restartPolicy: "Never", containers: [{ name: "migrate", image: "shop-migrations:1" }] },
              },
            },
          },
        },
      },
    },
  ],
});
export type DeferredResource = ObjectOf<typeof DeferredResource>;
