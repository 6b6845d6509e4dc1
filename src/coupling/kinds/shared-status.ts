import { z } from "zod";
import { listMap } from "#crd";
import type { ConditionStatus } from "#runtime";
import { stageNames } from "./names.ts";

/** The reasons of a Plug's `Coupled`; those of integration-operator have its exact words, which clients rely on. */
export const plugReasons = {
  PlugCreated: { status: "False", message: "plug created" },
  SocketNotCreated: { status: "False", message: "waiting for socket to be created" },
  SocketNotWatched: { status: "False", message: "the operator does not work in the namespace of the socket" },
  CouplingInProcess: { status: "False", message: "coupling to socket" },
  CouplingSucceeded: { status: "True", message: "coupling succeeded" },
  UpdatingInProcess: { status: "False", message: "updating coupling" },
  Error: { status: "False", message: "coupling failed" },
  LimitReached: { status: "False", message: "the socket's limit is reached" },
  NamespaceNotAllowed: { status: "False", message: "the socket does not admit this plug" },
  InterfaceMismatch: { status: "False", message: "plug and socket have different interfaces" },
  WaitingForResult: { status: "False", message: "waiting for a required result" },
  WaitingForApparatus: { status: "False", message: "waiting for the apparatus" },
  SocketDeleting: { status: "False", message: "the socket is being deleted" },
  Decoupling: { status: "False", message: "decoupling from socket" },
  ApplyConflict: { status: "False", message: "another manager owns fields of a resource" },
  Suspended: { status: "False", message: "suspended" },
} as const satisfies Readonly<Record<string, CoupledReason>>;
export type PlugReason = keyof typeof plugReasons;

export const socketReasons = {
  SocketCreated: { status: "False", message: "socket created" },
  SocketEmpty: { status: "False", message: "0 plugs coupled" },
  SocketCoupled: { status: "True", message: "1 plug coupled" },
  Error: { status: "False", message: "coupling failed" },
  SocketDeleting: { status: "False", message: "the socket is being deleted" },
  WaitingForApparatus: { status: "False", message: "waiting for the apparatus" },
  Suspended: { status: "False", message: "suspended" },
} as const satisfies Readonly<Record<string, CoupledReason>>;
export type SocketReason = keyof typeof socketReasons;

interface CoupledReason {
  readonly status: ConditionStatus;
  readonly message: string;
}

/** `1 plug coupled`, `2 plugs coupled`. */
export function plugsCoupled(count: number): string {
  return `${count} ${count === 1 ? "plug" : "plugs"} coupled`;
}

const Condition = z.object({
  type: z
    .string()
    .max(316)
    .describe(
      "`Coupled` and, while failing, `Failed`, which alone has the whole message; `Ready`, `Reconciling` and `Stalled` say to Argo CD and Flux how it is. On a Plug with `spec.workload`, `Projected` says whether the binding is mounted. On a Socket, `Exposed` warns that plugs of every namespace can read its secrets.",
    ),
  status: z.enum(["True", "False", "Unknown"]).describe("True, False or Unknown."),
  reason: z.string().exactOptional().describe("The reason as one word, for programs."),
  message: z.string().exactOptional().describe("The reason in words."),
  lastTransitionTime: z.string().exactOptional().describe("When `status` last changed."),
  observedGeneration: z.int().exactOptional().describe("The generation of the object that the condition describes."),
});

export const Conditions = listMap(z.array(Condition), ["type"]);

export const ObjectIdentity = z.object({
  apiVersion: z.string().describe("The API version."),
  kind: z.string().describe("The kind."),
  name: z.string().describe("The name."),
  namespace: z.string().describe("The namespace."),
  uid: z.string().describe("The uid."),
});
export type ObjectIdentity = z.infer<typeof ObjectIdentity>;

const CouplingEntry = z.object({
  group: z.string().describe("The API group; empty for the core group."),
  version: z.string().describe("The version."),
  kind: z.string().describe("The kind."),
  namespace: z.string().exactOptional().describe("The namespace; absent for kinds without one."),
  name: z.string().describe("The name."),
  uid: z.string().exactOptional().describe("The uid, once it is known."),
  side: z.enum(["plug", "socket"]).describe("The side whose template rendered it."),
  stage: z.enum([...stageNames, "result"]).describe("The stage that created it; `result` for resultResources."),
  retained: z.boolean().exactOptional().describe("It is kept when the plug leaves."),
  once: z.boolean().exactOptional().describe("It is created at `coupled` only; updates do not touch it."),
});
/** An object that a pairing created, or is about to create. */
export type CouplingEntry = z.infer<typeof CouplingEntry>;
export const Inventory = z.array(CouplingEntry);

export const LastError = z.object({
  at: z.string().describe("When it failed."),
  since: z.string().exactOptional().describe("When the first failure in a row happened."),
  stage: z
    .enum([...stageNames, "config", "result", "repair", "projection"])
    .exactOptional()
    .describe(
      "The stage that failed; `repair` for an object that could not be put back, `projection` for a binding that could not be mounted.",
    ),
  side: z.enum(["plug", "socket"]).exactOptional().describe("The side whose half of the stage failed."),
  attempts: z.int().min(0).describe("The number of failures in a row."),
  retryAt: z.string().exactOptional().describe("When the next attempt starts, unless a change starts it earlier."),
});

/** The last failure of a plug or socket, while it lasts. */
export type LastError = z.infer<typeof LastError>;

export const phases = ["Pending", "Waiting", "Coupling", "Coupled", "Updating", "Decoupling", "Failed"] as const;
export type Phase = (typeof phases)[number];
