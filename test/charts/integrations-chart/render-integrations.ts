import { join } from "node:path";
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, parseFieldPath } from "#base";
import { loadChart, processTemplate, renderChart } from "#template";

export const folder = join(import.meta.dirname, "..", "..", "..", "charts", "integrations");

const chart = loadChart(folder);

export const oneShard: JsonObject = {
  shards: "1",
  shard_id: "0",
  shard_key: "",
  shard_name_suffix: "",
  extra_args: "",
};

/** The shards of one cluster each. */
export function clusterShard(cluster: string, overrides?: JsonObject): JsonObject {
  return {
    shards: "",
    shard_id: "",
    shard_key: cluster,
    shard_name_suffix: `-${cluster}`,
    extra_args: `--cluster-name ${cluster}`,
    ...(overrides && { shard_spec_overrides: overrides }),
  };
}

/** Values with one integration, called `a` and of one shard unless the settings say otherwise. */
export function valuesOf(...integrations: readonly JsonObject[]): JsonObject {
  const usual: JsonObject = { name: "a", shard_specs: [oneShard] };
  const all = integrations.map((settings) => Object.assign({}, usual, settings));
  return {
    integrations: all.filter((settings) => !("cron" in settings)),
    cronjobs: all.filter((settings) => "cron" in settings),
  };
}

/** The Template that the chart makes. */
export function renderTemplate(values: JsonObject): JsonObject {
  const { manifests } = renderChart(chart, { values: JSON.parse(JSON.stringify(values)) });
  const object: JsonValue | undefined = JSON.parse(JSON.stringify(manifests[0]?.object));
  if (manifests.length !== 1 || !isJsonObject(object)) throw new Error("the chart makes one object, a Template");
  return object;
}

/** The objects of the Template with its parameters filled in. */
export function renderObjects(values: JsonObject, parameters: Record<string, string> = {}): JsonObject[] {
  return processTemplate(renderTemplate(values), { parameters }).objects;
}

/** The first object that one integration runs as. */
export function renderOne(settings: JsonObject, parameters: Record<string, string> = {}): JsonObject {
  const [first] = renderObjects(valuesOf(settings), parameters);
  if (first === undefined) throw new Error("nothing was rendered");
  return first;
}

/** What is there: a path of the object, of the `pod` template, of a container by its name, or of a variable by its. */
export function look(object: JsonObject, path: string): JsonValue | undefined {
  const [, place, name = "", rest = ""] = /^(pod|container|env)(?::(\S+))? (.*)$/.exec(path) ?? [];
  if (place === "pod") return at(podOf(object), rest);
  if (place === "container") return at(containerOf(object, name), rest);
  if (place === "env") return at(named(at(containerOf(object, "int"), "env"), name), rest);
  return at(object, path);
}

export function podOf(object: JsonObject): JsonObject {
  return objectOf(at(object, object["kind"] === "CronJob" ? "spec.jobTemplate.spec.template" : "spec.template"));
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects in a list. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

function containerOf(object: JsonObject, name: string): JsonObject | undefined {
  const pod = podOf(object);
  return named(at(pod, "spec.containers"), name) ?? named(at(pod, "spec.initContainers"), name);
}

function named(list: JsonValue | undefined, name: string): JsonObject | undefined {
  return objectsIn(list).find((each) => each["name"] === name);
}

function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let found = value;
  for (const step of parseFieldPath(path)) {
    if (typeof step === "number") found = isJsonList(found) ? found[step] : undefined;
    else found = objectOf(found)[step];
  }
  return found;
}
