import {
  type FieldPath,
  formatFieldPath,
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  LeastRecentlyUsed,
  nearestName,
} from "#base";
import { integrationSchema } from "../source/legacy-forms.ts";
import { builtInSchemas } from "../schema/built-in.ts";
import { parseCron } from "./parse-cron.ts";
import type { ValidationIssue } from "./bundle-finding.ts";

export interface IntegrationIssue extends ValidationIssue {
  readonly isError: boolean;
}

/**
 * Checks of an integration that a JSON schema cannot express: old and new forms together, invalid schedules, and settings
 * without effect. They apply with any schema, because those of app-interface accept some of it.
 */
export function checkIntegration(content: JsonObject, schema: string | undefined): IntegrationIssue[] {
  if (schema !== integrationSchema) return [];
  const issues: IntegrationIssue[] = [];
  function add(isError: boolean, at: FieldPath, what: string, next?: string): void {
    issues.push({ isError, at, what, ...(next !== undefined && { next }) });
  }
  if ("operate" in content && "managed" in content) {
    add(true, ["operate"], "operate is the old name of managed, and the file has both", "move its entries to managed");
  } else if ("operate" in content) {
    add(false, ["operate"], "operate is the old name of managed", "rename it to managed");
  }
  for (const list of ["operate", "managed"]) {
    const entries = content[list];
    for (const [index, entry] of (isJsonList(entries) ? entries : []).entries()) {
      if (isJsonObject(entry)) checkEntry(entry, [list, index], add);
    }
  }
  return issues;
}

type Add = (isError: boolean, at: FieldPath, what: string, next?: string) => void;

function checkEntry({ spec, sharding }: JsonObject, at: FieldPath, add: Add): void {
  if (isJsonObject(spec)) checkSpec(spec, [...at, "spec"], add);
  if (isJsonObject(sharding)) checkSharding(sharding, [...at, "sharding"], add);
  if (!isJsonObject(spec)) return;
  if ("shardingStrategy" in spec || "shardSpecOverride" in spec) {
    const old = "shardingStrategy" in spec ? "shardingStrategy" : "shardSpecOverride";
    const next = "use sharding beside spec, with strategy and shardSpecOverrides";
    add(true, [...at, "spec", old], `${formatFieldPath([...at, "spec", old])} is no longer supported`, next);
  } else if ("shards" in spec && sharding !== undefined) {
    const where = formatFieldPath([...at, "spec", "shards"]);
    add(true, [...at, "spec", "shards"], `${where} is the old form of sharding, and the entry has both`, "delete it");
  } else if ("shards" in spec) {
    const next = "use sharding beside spec, with strategy: static and shards";
    add(false, [...at, "spec", "shards"], `${formatFieldPath([...at, "spec", "shards"])} is deprecated`, next);
  }
}

function checkSpec(spec: JsonObject, at: FieldPath, add: Add): void {
  checkCron(spec, at, add);
  for (const name of ["resources", "fluentdResources"]) checkResources(spec[name], [...at, name], add);
  const known = Object.keys(propertiesOf("/app-sre/integration-spec-1.yml"));
  for (const key of Object.keys(spec).filter((one) => !known.includes(one))) {
    const near = nearestName(key, known);
    if (near === undefined) continue;
    const what = `unknown setting ${formatFieldPath([...at, key])} is passed to the chart`;
    add(false, [...at, key], what, `did you mean ${near}?`);
  }
}

function checkCron({ cron, restartPolicy }: JsonObject, at: FieldPath, add: Add): void {
  if (typeof cron !== "string") return;
  const where = [...at, "cron"];
  const schedule = schedules.get(cron, () => parseCron(cron));
  if (typeof schedule === "string") {
    add(true, where, `${formatFieldPath(where)}: ${JSON.stringify(cron)} is not a valid schedule: ${schedule}`);
  }
  if (restartPolicy !== "Always") return;
  const what = "a CronJob cannot have restartPolicy Always";
  add(false, [...at, "restartPolicy"], what, "use OnFailure or Never");
}

/** Many integrations use the same few schedules. */
const schedules = new LeastRecentlyUsed<string, ReturnType<typeof parseCron>>(1_000);

function checkResources(resources: JsonValue | undefined, at: FieldPath, add: Add): void {
  if (!isJsonObject(resources)) return;
  for (const name of ["requests", "limits"]) {
    const where = [...at, name];
    const amounts = resources[name];
    if (isJsonObject(amounts)) checkQuantities(amounts, where, add);
    if (amounts !== null) continue;
    add(false, where, `${formatFieldPath(where)} is null and counts as absent`, "set values, or delete it");
  }
}

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const quantity = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;
const quantityExamples: Readonly<Record<string, string>> = { cpu: "100m or 1.5", memory: "512Mi or 2Gi" };

function checkQuantities(amounts: JsonObject, at: FieldPath, add: Add): void {
  for (const [name, amount] of Object.entries(amounts)) {
    if (typeof amount !== "string" || quantity.test(amount)) continue;
    const where = [...at, name];
    const what = `${formatFieldPath(where)}: ${JSON.stringify(amount)} is not a quantity of Kubernetes`;
    add(true, where, what, `write it like ${quantityExamples[name] ?? "100m or 512Mi"}`);
  }
}

function checkSharding({ strategy, shards, shardSpecOverrides }: JsonObject, at: FieldPath, add: Add): void {
  if (strategy === "static" && shards === undefined) {
    add(true, at, `${formatFieldPath(at)} has strategy static, but no shards`, "add shards");
  }
  if (typeof shards === "number" && shards < 1) {
    add(
      true,
      [...at, "shards"],
      `${formatFieldPath([...at, "shards"])} is ${shards}, so nothing would run`,
      "use 1 or more",
    );
  }
  if (typeof strategy === "string" && strategy !== "static" && shards !== undefined) {
    const what = `${formatFieldPath([...at, "shards"])} has no effect with strategy ${strategy}`;
    add(false, [...at, "shards"], what, "delete it");
  }
  if (isJsonList(shardSpecOverrides)) checkOverrides(shardSpecOverrides, [...at, "shardSpecOverrides"], add);
}

function checkOverrides(overrides: readonly JsonValue[], at: FieldPath, add: Add): void {
  const seen = new Map<string, number>();
  for (const [index, override] of overrides.entries()) {
    const shard = isJsonObject(override) ? override["shard"] : undefined;
    const target = isJsonObject(shard) ? shard["$ref"] : undefined;
    if (isJsonObject(override)) checkResources(override["resources"], [...at, index, "resources"], add);
    if (typeof target !== "string") continue;
    const first = seen.get(target);
    seen.set(target, first ?? index);
    if (first === undefined) continue;
    const where = [...at, index, "shard"];
    const what = `${formatFieldPath(where)}: ${target} already has an override in ${formatFieldPath([...at, first])}`;
    add(true, where, what, "merge the two overrides");
  }
}

function propertiesOf(schema: string): JsonObject {
  const properties = builtInSchemas.get(schema)?.["properties"];
  return isJsonObject(properties) ? properties : {};
}
