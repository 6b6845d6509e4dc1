import { z } from "zod";
import { dnsName, validations } from "#crd";
import { LabelSelector } from "./label-selector.ts";

/** The kinds whose pods can get a binding, and their API versions. The pod template of a Job cannot be changed. */
const workloadVersions = {
  Deployment: "apps/v1",
  StatefulSet: "apps/v1",
  DaemonSet: "apps/v1",
  CronJob: "batch/v1",
} as const;
export type WorkloadKind = keyof typeof workloadVersions;

const EnvMapping = z.object({
  name: z
    .string()
    .min(1)
    .max(253)
    .regex(/^[-._a-zA-Z][-._a-zA-Z0-9]*$/, "expected the name of an environment variable")
    .describe("The environment variable."),
  key: z.string().min(1).max(253).describe("The key of the binding, which is a result or `type` or `provider`."),
});

/** The workload half of https://servicebinding.io. */
export const Workload = validations(
  z.object({
    apiVersion: z
      .enum(["apps/v1", "batch/v1"])
      .exactOptional()
      .describe("Default: that of the kind, `batch/v1` for a CronJob and `apps/v1` for the others."),
    kind: z.enum(["Deployment", "StatefulSet", "DaemonSet", "CronJob"]).describe("The kind of the workload."),
    name: dnsName().min(1).exactOptional().describe("Its name, in the namespace of the plug."),
    selector: LabelSelector.exactOptional().describe(
      "All workloads of the kind with these labels, in the namespace of the plug, at most 100.",
    ),
    containers: z
      .array(z.string().min(1).max(63))
      .min(1)
      .max(100)
      .exactOptional()
      .describe("The containers and init containers that get the binding; default: all."),
    mountPath: z
      .string()
      .max(1_024)
      .regex(/^\/[^:]*[^:/]$/u, "expected an absolute path without a colon, such as /bindings")
      .exactOptional()
      .describe(
        "The value of SERVICE_BINDING_ROOT; the files are in a directory below it with the name of the plug. Default: `/bindings`. A container that sets SERVICE_BINDING_ROOT itself keeps it.",
      ),
    env: z.array(EnvMapping).max(100).exactOptional().describe("Environment variables with values of the binding."),
  }),
  [
    {
      rule: "has(self.name) != has(self.selector)",
      message: "a workload needs either name or selector",
      check: ({ name, selector }) => (name === undefined) !== (selector === undefined),
    },
    {
      rule: "!has(self.apiVersion) || (self.apiVersion == 'batch/v1') == (self.kind == 'CronJob')",
      message: "a CronJob is of apiVersion batch/v1, and the other kinds of apps/v1",
      fieldPath: ".apiVersion",
      check: ({ apiVersion, kind }) => apiVersion === undefined || apiVersion === workloadVersions[kind],
    },
  ],
);
export type Workload = z.infer<typeof Workload>;

export const WorkloadEntry = z.object({
  kind: z.enum(["Deployment", "StatefulSet", "DaemonSet", "CronJob"]).describe("The kind."),
  name: z.string().describe("The name."),
  hash: z.string().describe("The fingerprint of the binding as it was mounted."),
  since: z.string().describe("When it was mounted."),
});
/** A workload that has the binding, or is about to get it. */
export type WorkloadEntry = z.infer<typeof WorkloadEntry>;

export function workloadVersion(kind: WorkloadKind): string {
  return workloadVersions[kind];
}
