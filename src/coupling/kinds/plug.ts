import { z } from "zod";
import { defineKind, dnsName, type ObjectOf } from "#crd";
import { apiVersion, group, stageNames, version } from "./names.ts";
import { nameOrEmpty, sharedFields } from "./shared-spec.ts";
import { Conditions, Inventory, LastError, ObjectIdentity, phases } from "./shared-status.ts";
import { Workload, WorkloadEntry } from "./workload.ts";

const PlugSpec = z.object({
  socket: z
    .object({
      name: dnsName().min(1).describe("The socket's name."),
      namespace: nameOrEmpty().exactOptional().describe("Its namespace; default: the plug's own."),
    })
    .exactOptional()
    .describe("The socket to couple to."),
  interfaceName: z
    .string()
    .max(253)
    .exactOptional()
    .describe("The interface that the plug expects, such as `postgres`; a socket that names another one is refused."),
  optional: z
    .boolean()
    .exactOptional()
    .describe("The application can start without the socket: a plug that waits for it counts as ready."),
  workload: Workload.exactOptional().describe(
    "The workload that gets the binding mounted, with the rights of the service account; its pods restart when the binding changes. Default: none.",
  ),
  ...sharedFields,
});

const Pairing = z.object({
  socket: z
    .object({
      name: z.string().describe("The name."),
      namespace: z.string().describe("The namespace."),
      uid: z.string().describe("The uid."),
    })
    .describe("The socket."),
  stage: z.enum(stageNames).describe("The stage that runs, or ran last."),
  generation: z.int().describe("The plug's generation that the stage is for."),
  socketGeneration: z.int().exactOptional().describe("The socket's generation that the stage is for."),
  inputsHash: z.string().exactOptional().describe("The fingerprint of the inputs that the stage is for."),
  attempt: z
    .string()
    .exactOptional()
    .describe("The id of the attempt; the ids of calls to apparatuses are derived from it."),
  done: z.array(z.enum(["plug", "socket"])).describe("The halves that are finished."),
  answered: z
    .array(z.enum(["plug", "socket"]))
    .exactOptional()
    .describe("The sides whose apparatus answered with a result, which is stored with the configs."),
  hasState: z.boolean().exactOptional().describe("The configs are stored in Secrets, for decoupling."),
  hasStale: z.boolean().exactOptional().describe("Objects that are no longer rendered are still to be deleted."),
});

const PlugStatus = z.object({
  conditions: Conditions.exactOptional().describe("The conditions."),
  observedGeneration: z.int().exactOptional().describe("The generation of the plug that the status describes."),
  phase: z.enum(phases).exactOptional().describe("A summary of the conditions."),
  coupledSocket: ObjectIdentity.exactOptional().describe("The socket that the plug was coupled to last."),
  coupledResult: z
    .object({
      plug: z.record(z.string(), z.string()).exactOptional().describe("The plug's; fingerprints of what is secret."),
      socket: z
        .record(z.string(), z.string())
        .exactOptional()
        .describe("The socket's; fingerprints of what is secret."),
      observedGeneration: z.int().exactOptional().describe("The generation of the plug that the results are for."),
    })
    .exactOptional()
    .describe("The results."),
  binding: z
    .object({ name: z.string().describe("The name of the Secret.") })
    .exactOptional()
    .describe("The Secret with the results in clear, in the shape that servicebinding.io runtimes read."),
  pairing: Pairing.exactOptional().describe("The progress of coupling to the socket."),
  inventory: Inventory.exactOptional().describe("Every object that coupling created."),
  inputsHash: z.string().exactOptional().describe("The fingerprint of everything that the last coupling used."),
  resultHash: z.string().exactOptional().describe("The fingerprint of the results."),
  workloads: z
    .array(WorkloadEntry)
    .exactOptional()
    .describe("The workloads that have the binding, or are about to get it."),
  polled: z
    .array(z.string())
    .exactOptional()
    .describe(
      "Inputs, and objects with `repair`, that are read every 30 s, because the service account may not watch them.",
    ),
  lastError: LastError.exactOptional().describe("The last failure, while it lasts."),
});

/** A request of an application to be connected to another one. */
export const Plug = defineKind({
  group,
  version,
  kind: "Plug",
  shortNames: ["plg"],
  categories: ["integration"],
  scope: "Namespaced",
  description: "A request of an application to be connected to another one, which offers a socket.",
  spec: PlugSpec.describe("The socket to couple to, and what the plug contributes."),
  status: PlugStatus.describe("The progress of the plug; written by Tenon."),
  rules: [
    {
      rule: "self.metadata.name.size() <= 200",
      message: "expected a name of at most 200 characters, because Secrets are named after it",
    },
  ],
  printerColumns: [
    { name: "Socket", type: "string", jsonPath: ".spec.socket.name" },
    { name: "Socket-NS", type: "string", jsonPath: ".spec.socket.namespace", priority: 1 },
    { name: "Coupled", type: "string", jsonPath: '.status.conditions[?(@.type=="Coupled")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Coupled")].reason' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Coupled")].message' },
    { name: "Failure", type: "string", jsonPath: '.status.conditions[?(@.type=="Failed")].message' },
  ],
  examples: [
    {
      title: "An application that needs a database",
      object: {
        apiVersion,
        kind: "Plug",
        metadata: { name: "postgres", namespace: "shop" },
        spec: {
          socket: { name: "postgres", namespace: "database" },
          interfaceName: "postgres",
          config: { database: "shop" },
        },
      },
    },
  ],
});
export type Plug = ObjectOf<typeof Plug>;
