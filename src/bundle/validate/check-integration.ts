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
 * What no JSON schema says about an integration: old and new forms together, schedules that are none, and settings that
 * have no effect. Whatever schema the file follows: those of app-interface let some of it pass.
 */
export function checkIntegration(content: JsonObject, schema: string | undefined): IntegrationIssue[] {
  if (schema !== integrationSchema) return [];
  const complaints: IntegrationIssue[] = [];
  function add(isError: boolean, at: FieldPath, what: string, next?: string): void {
    complaints.push({ isError, at, what, ...(next !== undefined && { next }) });
  }
  if ("operate" in content && "managed" in content) {
    add(true, ["operate"], "operate is the former name of managed, and both are there", "move its entries to managed");
  } else if ("operate" in content) {
    add(false, ["operate"], "operate is the former name of managed", "write managed");
  }
  for (const list of ["operate", "managed"]) {
    const entries = content[list];
    for (const [index, entry] of (isJsonList(entries) ? entries : []).entries()) {
      if (isJsonObject(entry)) checkEntry(entry, [list, index], add);
    }
  }
  return complaints;
}

type Add = (isError: boolean, at: FieldPath, what: string, next?: string) => void;

function checkEntry({ spec, sharding }: JsonObject, at: FieldPath, add: Add): void {
  if (isJsonObject(spec)) checkSpec(spec, [...at, "spec"], add);
  if (isJsonObject(sharding)) checkSharding(sharding, [...at, "sharding"], add);
  if (!isJsonObject(spec)) return;
  if ("shardingStrategy" in spec || "shardSpecOverride" in spec) {
    const old = "shardingStrategy" in spec ? "shardingStrategy" : "shardSpecOverride";
    const next = "write sharding beside spec, with strategy and shardSpecOverrides";
    add(
      true,
      [...at, "spec", old],
      `${formatFieldPath([...at, "spec", old])} is a former form that is not read any more`,
      next,
    );
  } else if ("shards" in spec && sharding !== undefined) {
    const where = formatFieldPath([...at, "spec", "shards"]);
    add(true, [...at, "spec", "shards"], `${where} is the former form of sharding, and both are there`, "delete it");
  } else if ("shards" in spec) {
    const next = "write sharding beside spec, with strategy: static and shards";
    add(false, [...at, "spec", "shards"], `${formatFieldPath([...at, "spec", "shards"])} is a former form`, next);
  }
}

function checkSpec(spec: JsonObject, at: FieldPath, add: Add): void {
  checkCron(spec, at, add);
  for (const name of ["resources", "fluentdResources"]) checkResources(spec[name], [...at, name], add);
  const known = Object.keys(propertiesOf("/app-sre/integration-spec-1.yml"));
  for (const key of Object.keys(spec).filter((one) => !known.includes(one))) {
    const near = nearestName(key, known);
    if (near === undefined) continue;
    const what = `${formatFieldPath([...at, key])} goes to the chart as it is, because it is not known here`;
    add(false, [...at, key], what, `did you mean ${near}?`);
  }
}

function checkCron({ cron, restartPolicy }: JsonObject, at: FieldPath, add: Add): void {
  if (typeof cron !== "string") return;
  const where = [...at, "cron"];
  const schedule = schedules.get(cron, () => parseCron(cron));
  if (typeof schedule === "string") {
    add(true, where, `${formatFieldPath(where)} is ${JSON.stringify(cron)}, which is no schedule: ${schedule}`);
  }
  if (restartPolicy !== "Always") return;
  const what = "Kubernetes refuses restartPolicy Always for what runs on a schedule";
  add(false, [...at, "restartPolicy"], what, "write OnFailure or Never");
}

/** The same few schedules are written again and again. */
const schedules = new LeastRecentlyUsed<string, ReturnType<typeof parseCron>>(1_000);

function checkResources(resources: JsonValue | undefined, at: FieldPath, add: Add): void {
  if (!isJsonObject(resources)) return;
  for (const name of ["requests", "limits"]) {
    if (resources[name] !== null) continue;
    const where = [...at, name];
    add(false, where, `${formatFieldPath(where)} is empty, and counts as absent`, "give it values, or delete it");
  }
}

function checkSharding({ strategy, shards, shardSpecOverrides }: JsonObject, at: FieldPath, add: Add): void {
  if (strategy === "static" && shards === undefined) {
    add(true, at, `${formatFieldPath(at)} is static, and does not say how many shards there are`, "add shards");
  }
  if (typeof shards === "number" && shards < 1) {
    add(
      true,
      [...at, "shards"],
      `${formatFieldPath([...at, "shards"])} is ${shards}: nothing would run`,
      "write 1 or more",
    );
  }
  if (typeof strategy === "string" && strategy !== "static" && shards !== undefined) {
    const what = `${formatFieldPath([...at, "shards"])} has no effect: the strategy ${strategy} counts for itself`;
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
    const what = `${formatFieldPath(where)} is ${target}, which ${formatFieldPath([...at, first])} overrides already`;
    add(true, where, what, "merge the two overrides");
  }
}

function propertiesOf(schema: string): JsonObject {
  const properties = builtInSchemas.get(schema)?.["properties"];
  return isJsonObject(properties) ? properties : {};
}
