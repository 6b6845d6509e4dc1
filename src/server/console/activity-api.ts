import { z } from "zod";

/** What the page of the activity and the server say to each other. The pages are built with this file, so that it imports zod alone. */
const AppliedObject = z.object({
  cluster: z.string(),
  namespace: z.string(),
  kind: z.string(),
  name: z.string(),
  action: z.enum(["create", "update", "adopt", "replace", "delete"]),
  state: z.enum(["done", "planned", "skipped", "refused", "failed"]),
});

const AppliedEntry = z.object({
  id: z.number().describe("As in `tenon history`."),
  at: z.string().describe("RFC 3339; of the last time, if the same was done several times in a row."),
  times: z.number().describe("How often the same was done in a row."),
  by: z.string(),
  plan: z.string().describe("The id of the plan."),
  data: z.string(),
  commit: z.string().optional(),
  isSuccess: z.boolean(),
  summary: z.string(),
  rollbackTo: z.number().optional().describe("The entry that was rolled back to."),
  integrations: z.array(z.string()),
  objects: z.array(AppliedObject).describe("At most 100."),
  omitted: z.number().describe("How many objects are not listed."),
});
export type AppliedEntry = z.infer<typeof AppliedEntry>;

export const ActivityQuery = z.object({
  integration: z.string().max(253).optional().describe("Only plans that changed something of this integration."),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
export type ActivityQuery = z.infer<typeof ActivityQuery>;

export const ActivityAnswer = z.object({
  applied: z.array(AppliedEntry).describe("Newest first, as `tenon history` prints them."),
  total: z.number().describe("How many match."),
  integrations: z.array(z.string()).describe("All that any entry is about."),
  problem: z.string().optional().describe("Why you do not see what was applied."),
  next: z.string().optional(),
});
export type ActivityAnswer = z.infer<typeof ActivityAnswer>;
