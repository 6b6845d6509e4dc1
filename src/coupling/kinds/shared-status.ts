import { z } from "zod";
import { stages } from "./names.ts";

export const ObjectIdentity = z.object({
  apiVersion: z.string().describe("The API version."),
  kind: z.string().describe("The kind."),
  name: z.string().describe("The name."),
  namespace: z.string().describe("The namespace."),
  uid: z.string().describe("The uid."),
});
export type ObjectIdentity = z.infer<typeof ObjectIdentity>;

const InventoryEntry = z.object({
  group: z.string().describe("The API group; empty for the core group."),
  version: z.string().describe("The version."),
  kind: z.string().describe("The kind."),
  namespace: z.string().exactOptional().describe("The namespace; absent for kinds without one."),
  name: z.string().describe("The name."),
  uid: z.string().exactOptional().describe("The uid, once it is known."),
  side: z.enum(["plug", "socket"]).describe("Whose template it is of."),
  stage: z.enum([...stages, "result"]).describe("When it was made; `result` for resultResources."),
  retained: z.boolean().exactOptional().describe("It stays when the plug leaves."),
  once: z.boolean().exactOptional().describe("It is made at `coupled` only; updates leave it alone."),
});
/** An object that this pairing made, or is about to. */
export type InventoryEntry = z.infer<typeof InventoryEntry>;
export const Inventory = z.array(InventoryEntry);

export const LastError = z.object({
  at: z.string().describe("When."),
  since: z.string().exactOptional().describe("When the first of them in a row was."),
  stage: z
    .enum([...stages, "config", "result"])
    .exactOptional()
    .describe("In which stage."),
  side: z.enum(["plug", "socket"]).exactOptional().describe("In whose half of it."),
  attempts: z.int().min(0).describe("How often in a row."),
  retryAt: z.string().exactOptional().describe("When it is tried again, if nothing changes before."),
});

export const phases = ["Pending", "Waiting", "Coupling", "Coupled", "Updating", "Decoupling", "Failed"] as const;
export type Phase = (typeof phases)[number];
