import { z } from "zod";
import { quantity } from "#crd";

/** Resources of a container, as Kubernetes has them. */
export const ComputeResources = z.object({
  claims: z
    .array(
      z.object({
        name: z.string().describe("A claim of the pod."),
        request: z.string().exactOptional().describe("A request of the claim; all if it is absent."),
      }),
    )
    .exactOptional()
    .describe("Claims of devices."),
  limits: z.record(z.string(), quantity()).exactOptional().describe("The most that it may use."),
  requests: z.record(z.string(), quantity()).exactOptional().describe("What it needs at least."),
});
