import { z } from "zod";

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
});

/** A list that the server, written in Go, sends as null when it is empty. */
function list<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

/** A definition as the API server has it. */
const LiveDefinition = z.object({
  metadata: z.object({
    name: z.string(),
    resourceVersion: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.looseObject({
    scope: z.string(),
    names: z.looseObject({ kind: z.string() }),
    versions: z.array(z.looseObject({ name: z.string(), served: z.boolean(), storage: z.boolean() })),
  }),
  status: z.object({ conditions: list(Condition), storedVersions: list(z.string()) }).prefault({}),
});

export type LiveDefinition = z.infer<typeof LiveDefinition>;
export type LiveCondition = z.infer<typeof Condition>;

export function readLiveDefinition(object: unknown): LiveDefinition {
  return LiveDefinition.parse(object);
}
