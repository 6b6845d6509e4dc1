import { z } from "zod";
import { defineKind, dnsName, type ObjectOf } from "#crd";
import { apiVersion, group, stageNames, version } from "./names.ts";
import { nameOrEmpty, sharedFields } from "./shared-spec.ts";
import { Conditions, Inventory, LastError, ObjectIdentity, phases } from "./shared-status.ts";

const PlugSpec = z.object({
  socket: z
    .object({
      name: dnsName().min(1).describe("The socket's name."),
      namespace: nameOrEmpty().exactOptional().describe("Its namespace; the plug's own unless it says otherwise."),
    })
    .exactOptional()
    .describe("The socket to couple to."),
  interfaceName: z
    .string()
    .max(253)
    .exactOptional()
    .describe("What the plug fits, such as `postgres`; a socket that names another interface is refused."),
  optional: z
    .boolean()
    .exactOptional()
    .describe("The application can start without it: a plug that waits for its socket counts as ready."),
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
  generation: z.int().describe("The generation of the plug that it is for."),
  socketGeneration: z.int().exactOptional().describe("The generation of the socket that it is for."),
  inputsHash: z.string().exactOptional().describe("The fingerprint of the inputs that it is for."),
  attempt: z.string().exactOptional().describe("Which attempt it is; ids that apparatuses get are made of it."),
  done: z.array(z.enum(["plug", "socket"])).describe("The halves that are finished."),
  answered: z
    .array(z.enum(["plug", "socket"]))
    .exactOptional()
    .describe("The sides whose apparatus has answered with a result, which is kept with the configs."),
  hasState: z.boolean().exactOptional().describe("The configs are kept in Secrets, for decoupling."),
  hasStale: z.boolean().exactOptional().describe("What is no longer made is still to be removed."),
});

const PlugStatus = z.object({
  conditions: Conditions.exactOptional().describe("What is so."),
  observedGeneration: z.int().exactOptional().describe("The generation of the plug that the status is about."),
  phase: z.enum(phases).exactOptional().describe("The conditions in a word."),
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
  pairing: Pairing.exactOptional().describe("How far the integration with the socket is."),
  inventory: Inventory.exactOptional().describe("Every object that the integration made."),
  inputsHash: z.string().exactOptional().describe("The fingerprint of everything that the last integration used."),
  resultHash: z.string().exactOptional().describe("The fingerprint of the results."),
  polled: z
    .array(z.string())
    .exactOptional()
    .describe("Inputs that are read every 30 s, because the service account may not watch them."),
  lastError: LastError.exactOptional().describe("The last failure, while it lasts."),
});

/** A request of an application to be integrated with another one. */
export const Plug = defineKind({
  group,
  version,
  kind: "Plug",
  shortNames: ["plg"],
  categories: ["integration"],
  scope: "Namespaced",
  description: "A request of an application to be integrated with another one, which offers a socket.",
  spec: PlugSpec.describe("What the plug asks for and brings along."),
  status: PlugStatus.describe("How far it is; written by Tenon."),
  rules: [
    {
      rule: "self.metadata.name.size() <= 200",
      message: "the name has at most 200 characters, because Secrets are named after it",
    },
  ],
  printerColumns: [
    { name: "Socket", type: "string", jsonPath: ".spec.socket.name" },
    { name: "Socket-NS", type: "string", jsonPath: ".spec.socket.namespace", priority: 1 },
    { name: "Coupled", type: "string", jsonPath: '.status.conditions[?(@.type=="Coupled")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Coupled")].reason' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  examples: [
    {
      title: "An application that wants a database",
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
