import { z } from "zod";

/** A condition of Tenon's own kinds. */
export const KstatusCondition = z.object({
  type: z.string().max(316).describe("`Ready`, `Reconciling` and `Stalled`, as kstatus has them."),
  status: z.enum(["True", "False", "Unknown"]).describe("True, False or Unknown."),
  reason: z.string().exactOptional().describe("The reason as one word, for programs."),
  message: z.string().exactOptional().describe("The reason in words."),
  lastTransitionTime: z.string().exactOptional().describe("When `status` last changed."),
  observedGeneration: z.int().exactOptional().describe("The generation that the condition describes."),
});
