import { z } from "zod";
import { listMap } from "#crd";
import type { ConditionStatus } from "#runtime";

/** What `Coupled` may say of a Plug, with the words that clients of integration-operator know where it has them. */
export const plugReasons = {
  PlugCreated: { status: "False", message: "plug created" },
  SocketNotCreated: { status: "False", message: "waiting for socket to be created" },
  CouplingInProcess: { status: "False", message: "coupling to socket" },
  CouplingSucceeded: { status: "True", message: "coupling succeeded" },
  UpdatingInProcess: { status: "False", message: "updating coupling" },
  Error: { status: "False", message: "coupling failed" },
  LimitReached: { status: "False", message: "the socket has as many plugs as it takes" },
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
      "`Coupled` and, while failing, `Failed`; `Ready`, `Reconciling` and `Stalled` say the same to Argo CD and Flux.",
    ),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it is so."),
  reason: z.string().exactOptional().describe("Why, for machines."),
  message: z.string().exactOptional().describe("Why, for people."),
  lastTransitionTime: z.string().exactOptional().describe("Since when `status` is what it is."),
  observedGeneration: z.int().exactOptional().describe("The generation of the object that this is about."),
});

export const Conditions = listMap(z.array(Condition), ["type"]);
