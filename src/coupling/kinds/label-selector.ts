import { z } from "zod";
import { validations } from "#crd";

export const LabelSelector = z.object({
  matchLabels: z.record(z.string(), z.string()).exactOptional().describe("All of these labels."),
  matchExpressions: z
    .array(
      validations(
        z.object({
          key: z.string().min(1).max(317).describe("The label."),
          operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]).describe("How it is compared."),
          values: z.array(z.string().max(63)).max(100).exactOptional().describe("The values for `In` and `NotIn`."),
        }),
        [
          {
            rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
            message: "In and NotIn need values, Exists and DoesNotExist take none",
            check: ({ operator, values = [] }) => operator.endsWith("In") === values.length > 0,
          },
        ],
      ),
    )
    .max(100)
    .exactOptional()
    .describe("All of these expressions."),
});
export type LabelSelector = z.infer<typeof LabelSelector>;

/** As a query of the API server has it: `app=web,tier in (a,b),!old`. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return key;
    return operator === "DoesNotExist" ? `!${key}` : `${key} ${operator.toLowerCase()} (${values.join(",")})`;
  });
  return [...labels, ...expressions].join(",");
}
