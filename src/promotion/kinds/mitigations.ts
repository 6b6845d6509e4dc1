import { z } from "zod";
import { ComputeResources } from "./compute-resources.ts";

const TimeoutMitigation = z.object({
  increment: z.string().exactOptional().describe("How much longer each attempt may take, such as `30m`."),
  maxTimeout: z.string().exactOptional().describe("The longest."),
});

/** What the next attempt of a managed pipeline gets more of. */
export const Mitigations = z.object({
  oomKill: z
    .object({
      multiplier: z
        .string()
        .max(32)
        .regex(/^[0-9]+(?:\.[0-9]+)?$/)
        .exactOptional()
        .describe("By how much memory grows, such as `1.5`."),
      maxComputeResources: ComputeResources.exactOptional().describe("The most."),
    })
    .exactOptional()
    .describe("After a step ran out of memory."),
  timeout: z
    .object({
      pipeline: TimeoutMitigation.exactOptional().describe("After the run took too long."),
      task: TimeoutMitigation.exactOptional().describe("After a task took too long."),
    })
    .exactOptional()
    .describe("After a timeout."),
});
export type Mitigations = z.infer<typeof Mitigations>;
