import { z } from "zod";

/** Conditions as `metav1.Condition` has them. */
export const UpstreamConditions = z
  .array(
    z.object({
      type: z
        .string()
        .max(316)
        .regex(
          /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/,
        )
        .describe("What it is about."),
      status: z.enum(["True", "False", "Unknown"]).describe("True, False or Unknown."),
      reason: z
        .string()
        .min(1)
        .max(1_024)
        .regex(/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
        .describe("Why, as one word for programs."),
      message: z.string().max(32_768).describe("Why, in words."),
      lastTransitionTime: z.iso.datetime({ offset: true }).describe("When `status` last changed."),
      observedGeneration: z.int().min(0).exactOptional().describe("The generation that it describes."),
    }),
  )
  .describe("The conditions.");
