import { z } from "zod";

/** What the page of the environments and the server say to each other. The pages are built with this file, so that it imports zod alone. */
export const EnvironmentQuery = z.object({
  search: z
    .string()
    .max(200)
    .optional()
    .describe("Only components that contain this text, in any case: in names, images and digests."),
  namespace: z.string().optional(),
  environment: z.string().optional(),
  only: z
    .enum(["behind"])
    .optional()
    .describe("Only components of which an environment does not run what is released."),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type EnvironmentQuery = z.infer<typeof EnvironmentQuery>;

const EnvironmentCell = z.object({
  environment: z.string(),
  state: z.string().describe("Of the stage, as `tenon get environments -o json` has it."),
  merged: z.string().optional(),
  mergedSince: z.string().optional(),
  running: z.string().optional(),
  runningSince: z.string().optional(),
  where: z.array(z.string()).describe("Workloads of this cluster that have the digest which runs."),
  isBehind: z.boolean().describe("Whether it does not run what is released."),
  waitsOn: z.enum(["person", "tenon", "nothing"]),
});
export type EnvironmentCell = z.infer<typeof EnvironmentCell>;

const EnvironmentComponent = z.object({
  component: z.string(),
  image: z.string(),
  released: z.string().optional(),
  cells: z.array(EnvironmentCell),
});

export const EnvironmentAnswer = z.object({
  problem: z.string().optional().describe("Why the answer may be out of date or incomplete."),
  groups: z.array(
    z.object({
      namespace: z.string(),
      propagation: z.string(),
      environments: z.array(z.string()).describe("In the order of the stages."),
      components: z.array(EnvironmentComponent),
    }),
  ),
  total: z.number().describe("How many propagations match."),
  namespaces: z.array(z.string()),
  environments: z.array(z.string()),
});
export type EnvironmentAnswer = z.infer<typeof EnvironmentAnswer>;
