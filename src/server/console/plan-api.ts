import { z } from "zod";

/** What the page of the plan and the server say to each other. The pages are built with this file, so that it imports zod alone. */
const Address = z.object({
  cluster: z.string(),
  namespace: z.string(),
  kind: z.string(),
  name: z.string(),
  action: z.enum(["create", "update", "replace", "adopt", "delete"]),
});

/** What the plan is about. */
export const PlanScope = z.object({
  integration: z.string().max(253).optional().describe("Only this integration."),
  deletions: z.enum(["confirmed"]).optional().describe("Plan also deletions that look like an accident."),
});
export type PlanScope = z.infer<typeof PlanScope>;

const ConsoleAction = Address.extend({
  reason: z.string(),
  integration: z.string().optional(),
  diff: z
    .array(
      z.object({
        path: z.string(),
        before: z.string().optional(),
        after: z.string().optional(),
        manager: z.string().optional().describe("The field managers that set `before`, if others than Tenon did."),
      }),
    )
    .describe("The fields that change, as `tenon plan` prints them: values of Secrets are masked."),
  waitsFor: z.array(z.string()).describe("What must be healthy before."),
});
export type ConsoleAction = z.infer<typeof ConsoleAction>;

/** What a search of a plan looks in: on the server for a large plan, in the page for one that is there whole. */
export function textOfChange({ cluster, namespace, kind, name, reason, integration, diff }: ConsoleAction): string {
  const fields = diff.map(({ path, before, after }) => [path, before, after].filter(Boolean).join(" "));
  return [`${cluster}/${namespace}`, `${kind} ${name}`, reason, integration, ...fields].join("\n").toLowerCase();
}

const ConsoleProblem = z.object({ what: z.string(), where: z.string().optional(), next: z.string().optional() });
export type ConsoleProblem = z.infer<typeof ConsoleProblem>;

export const ConsolePlan = z.object({
  id: z.string().describe("The id that the same plan has in `tenon plan -o json`, in the history and in the log."),
  fingerprint: z
    .string()
    .describe("Equal for plans that make the same writes to objects that have not changed in between."),
  data: z.string().describe("Where the data is, as in `--data`."),
  commit: z.string().optional(),
  summary: z.string().describe("The totals, as `tenon plan` prints them."),
  actions: z.array(ConsoleAction).describe("The first 500."),
  total: z.number().describe("How many there are. The others are at `/api/plan/changes`."),
  counts: z.partialRecord(Address.shape.action, z.number()).describe("How many of each kind."),
  refusals: z.array(
    z.object({
      what: z.string(),
      objects: z.array(z.string()),
      next: z.string(),
      isConfirmable: z.boolean().describe("Whether confirming the deletions allows it."),
    }),
  ),
  errors: z.array(ConsoleProblem),
  warnings: z.array(ConsoleProblem),
  integrations: z.array(z.string()).describe("All that the data declares."),
  canApply: z.boolean(),
  whyNot: z.string().optional().describe("Why you cannot apply it here."),
});
export type ConsolePlan = z.infer<typeof ConsolePlan>;

export const PlanChangesQuery = z.object({
  plan: z.string().max(64).describe("The id of the plan that you read last."),
  search: z.string().max(200).optional().describe("Only changes that contain this text, in any case."),
  change: Address.shape.action.optional().describe("Only changes of this kind."),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(500),
});
export type PlanChangesQuery = z.infer<typeof PlanChangesQuery>;

export const PlanChangesAnswer = z.object({
  actions: z.array(ConsoleAction),
  total: z.number().describe("How many match."),
});
export type PlanChangesAnswer = z.infer<typeof PlanChangesAnswer>;

export const ApplyRequest = PlanScope.extend({
  fingerprint: z.string().max(64).describe("Of the plan that was read; another one is not applied."),
});
export type ApplyRequest = z.infer<typeof ApplyRequest>;

const ApplyOutcome = Address.extend({
  state: z.enum(["done", "planned", "skipped", "refused", "failed"]),
  reason: z.string().optional(),
  next: z.string().optional(),
});
export type ApplyOutcome = z.infer<typeof ApplyOutcome>;

export const ApplyAnswer = z.object({
  id: z.string().describe("Of this application of a plan."),
  state: z
    .enum(["checking", "applying", "done", "failed", "changed"])
    .describe("`changed`: nothing was applied, because the plan is another one by now."),
  by: z.string(),
  plan: z.string().optional().describe("The id of the plan."),
  total: z.number(),
  finished: z.number().describe("How many actions are over, however they ended."),
  done: z.number(),
  waiting: z.array(z.string()).describe("What is waited for now."),
  outcomes: z.array(ApplyOutcome).describe("Those that were not done, and the last that were: at most 500."),
  summary: z.string().optional(),
  error: z.string().optional(),
  next: z.string().optional(),
});
export type ApplyAnswer = z.infer<typeof ApplyAnswer>;
