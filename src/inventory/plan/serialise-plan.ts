import { z } from "zod";
import { formatFieldPath, InputError, type JsonObject, valueAt } from "#base";
import { type CompareInEntry, entryComparer } from "./entry-comparer.ts";
import { type Action, type Plan, planId, type PlanOptions } from "./plan.ts";
import type { InventoryEntry, ResourceInventory } from "../resource-inventory.ts";
import { plainBody } from "../object/exact.ts";

/** The plan as text, to be looked at, sent around and carried out later. The bodies of Secrets stay at home. */
export function serialisePlan(plan: Plan): string {
  const actions = plan.actions.map((action) => (action.kind === "Secret" ? { ...action, body: undefined } : action));
  return `${JSON.stringify({ ...plan, actions }, undefined, 2)}\n`;
}

const planVersion = 1;
const next = "make the plan again with `tenon plan --out FILE`";

const Json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const kinds = z.enum(["create", "update", "replace", "adopt", "delete"]);
const address = {
  cluster: z.string(),
  namespace: z.string(),
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
};
const PlanFile = z.strictObject({
  version: z.literal(planVersion),
  id: z.string(),
  integration: z.string(),
  integrationVersion: z.string(),
  actions: z.array(
    z.strictObject({
      ...address,
      action: kinds,
      reason: z.string(),
      diff: z.array(
        z.strictObject({
          path: z.string(),
          before: z.string().optional(),
          after: z.string().optional(),
          manager: z.string().optional(),
        }),
      ),
      expected: z
        .strictObject({ uid: z.string(), resourceVersion: z.string(), generation: z.number().optional() })
        .optional(),
      body: Json.optional(),
      sha256: z.string().optional(),
      attribution: z.string().optional(),
      privileged: z.boolean().optional(),
      waitsFor: z
        .array(
          z.strictObject({
            cluster: z.string(),
            namespace: z.string(),
            attribution: z.string().optional(),
            soakMs: z.number().optional(),
          }),
        )
        .optional(),
    }),
  ),
  refusals: z.array(
    z.strictObject({ ...address, action: kinds, reason: z.string(), next: z.string(), isError: z.boolean() }),
  ),
  errors: z.array(
    z.strictObject({
      cluster: z.string().optional(),
      namespace: z.string().optional(),
      attribution: z.string().optional(),
      what: z.string(),
      next: z.string().optional(),
    }),
  ),
  unchanged: z.number(),
  ignored: z.number().optional(),
});

/** Reads a plan back. Refuses one that was edited: it would not be the plan that was approved. */
export function parsePlan(text: string, where: string): Plan {
  const value = parsePlanJson(text, where);
  const version = valueAt(value, ["version"]);
  if (typeof version === "number" && version !== planVersion) {
    throw new InputError(`the plan has version ${version}, and this Tenon reads version ${planVersion}`, {
      where,
      next: `${next}, or apply it with the Tenon that made it`,
    });
  }
  const read = PlanFile.safeParse(value);
  if (!read.success) throw new InputError(`not a plan: ${describeIssues(read.error)}`, { where, next });
  const { id, ...rest } = read.data;
  if (planId(rest) !== id) throw new InputError("the plan was changed after it was made", { where, next });
  return { id, ...rest };
}

function parsePlanJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const isCut = text.trimStart().startsWith("{") && !text.trimEnd().endsWith("}");
    const what = text.trim() === "" ? "the file is empty" : isCut ? "the plan ends too early" : "not valid JSON";
    throw new InputError(isCut ? what : `not a plan: ${what}`, { where, next, cause });
  }
}

/** The first things that are wrong, in one line. */
function describeIssues({ issues }: z.ZodError): string {
  const [first, ...others] = issues.map(({ path, message }) => {
    const field = formatFieldPath(path.map((step) => (typeof step === "symbol" ? String(step) : step)));
    return field === "" ? message : `${field}: ${message}`;
  });
  return `${first ?? "unknown"}${others.length === 0 ? "" : `, and ${others.length} more`}`;
}

/** Adds the bodies that a plan file does not have, from the desired objects of now; refused if these have changed since. */
export function completePlan(
  plan: Plan,
  inventory: ResourceInventory,
  options: Pick<PlanOptions, "fieldManager" | "ignoreDifferences"> = {},
): Plan {
  const compare = entryComparer(options);
  const entries = [...inventory];
  const complete = (action: Action): Action => {
    if (action.action === "delete" || action.body) return action;
    const entry = entries.find(
      ({ cluster, namespace, desired }) =>
        cluster === action.cluster && namespace === action.namespace && desired.get(action.name)?.kind === action.kind,
    );
    const body = entry && stampedBody(entry, action, compare);
    if (body) return { ...action, body };
    throw new InputError("the plan is stale: the desired object has changed since it was made", {
      where: `${action.cluster}/${action.namespace} ${action.kind} ${action.name}`,
      next: "make the plan again",
    });
  };
  return { ...plan, actions: plan.actions.map(complete) };
}

/** What an action sends, found again among the desired objects; `undefined` if the object has another hash now. */
function stampedBody(
  entry: InventoryEntry,
  { name, kind, sha256 }: Action,
  compare: CompareInEntry,
): JsonObject | undefined {
  const wanted = entry.desired.get(name);
  if (!wanted) return undefined;
  const current = entry.current.get(name);
  const desired = current ? compare(entry, wanted, current).desired : wanted;
  return desired.sha256() === sha256 ? plainBody(desired.stamped(), `${kind} ${name}`) : undefined;
}
