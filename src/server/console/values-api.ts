import { z } from "zod";

/** What the page of an integration and the server say about its values. The pages are built with this file, so that it imports zod alone. */
const Origin = z.object({
  source: z.string().describe("As `tenon explain` names it: `spec`, `override`, `environment`, `chart default` ..."),
  path: z.string().optional().describe("The file of the data."),
  line: z.number().optional(),
  where: z.string().optional().describe("Where it comes from, if not from a file of the data."),
});

const IntegrationValue = Origin.extend({
  field: z.string().describe("A setting such as `resources.limits.memory`, or a parameter such as `IMAGE_TAG`."),
  value: z.string(),
  overrode: z.array(z.string()).describe("The values that it overrode, strongest first."),
});
export type IntegrationValue = z.infer<typeof IntegrationValue>;

export const ValuesAnswer = z.object({
  targets: z.array(
    z.object({
      cluster: z.string(),
      environment: z.string(),
      suspended: z.string().optional(),
      shards: z.array(z.object({ name: z.string(), values: z.array(IntegrationValue) })).describe("At most 20."),
      omitted: z.number().describe("How many shards are not listed."),
    }),
  ),
  problems: z.array(z.string()),
});
export type ValuesAnswer = z.infer<typeof ValuesAnswer>;
