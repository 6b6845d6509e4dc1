import { type GoObject, satisfiesConstraint } from "#golang";
import { adopt, type WorkingChart, type WorkingDependency } from "../chart/working-chart.ts";
import { coalesceValues, type Warn } from "./coalesce.ts";
import { leafAt, tableAt } from "./table.ts";

/**
 * Gives subcharts their aliases, and takes away those that conditions and tags disable.
 * What is below an aliased chart keeps Helm's peculiarities: two aliases of one chart share its own dependencies' entries.
 */
export function enableDependencies(chart: WorkingChart, values: GoObject, warn: Warn, path = ""): void {
  const { metadata } = chart;
  const required = metadata.dependencies;
  if (required === undefined) return;
  adopt(chart, [...unmentioned(chart, required), ...required.flatMap((entry) => chosen(chart, entry) ?? [])]);
  for (const entry of required) {
    if (entry.alias !== "") entry.name = entry.alias;
    entry.enabled = true;
  }
  const all = coalesceValues(chart, values, "coalesce", warn);
  const tags = tableAt(all, "tags");
  for (const entry of required) {
    if (tags) entry.enabled = isEnabledByTags(entry, tags, warn);
    entry.enabled = enabledByCondition(entry, all, path, warn) ?? entry.enabled;
  }
  const disabled = new Set(required.filter(({ enabled }) => !enabled).map(({ name }) => name));
  const remaining = chart.dependencies.filter((dependency) => !disabled.has(dependency.metadata.name));
  for (const dependency of remaining) enableDependencies(dependency, all, warn, `${path}${dependency.metadata.name}.`);
  const entries = required.filter(({ name }) => !disabled.has(name));
  metadata.dependencies = entries.length > 0 ? entries : undefined;
  adopt(chart, remaining);
}

/** Subcharts that Chart.yaml does not mention are always enabled. */
function unmentioned(chart: WorkingChart, required: readonly WorkingDependency[]): WorkingChart[] {
  return chart.dependencies.filter((dependency) => !required.some((entry) => isMeant(dependency, entry)));
}

/** A copy of the subchart that is meant, under the name that it has here. */
function chosen(chart: WorkingChart, entry: WorkingDependency): WorkingChart | undefined {
  const found = chart.dependencies.find((dependency) => isMeant(dependency, entry));
  return found && { ...found, metadata: { ...found.metadata, name: entry.alias || found.metadata.name } };
}

function isMeant({ metadata }: WorkingChart, { name, version }: WorkingDependency): boolean {
  return metadata.name === name && satisfiesConstraint(metadata.version, version);
}

/** One true tag is enough; without any tag that is set, the chart is enabled. */
function isEnabledByTags({ name, tags = [] }: WorkingDependency, values: GoObject, warn: Warn): boolean {
  const set = tags.filter((tag) => Object.hasOwn(values, tag));
  for (const tag of set) {
    if (typeof values[tag] !== "boolean") warn(`Tag '${tag}' for chart ${name} returned non-bool value`);
  }
  return set.some((tag) => values[tag] === true) || !set.some((tag) => values[tag] === false);
}

/** The first condition that is a boolean decides, whatever the tags say. */
function enabledByCondition(
  { name, condition }: WorkingDependency,
  values: GoObject,
  path: string,
  warn: Warn,
): boolean | undefined {
  for (const key of condition.trim().split(",").filter(Boolean)) {
    const value = leafAt(values, path + key);
    if (typeof value === "boolean") return value;
    if (value !== undefined) warn(`Condition path '${key}' for chart ${name} returned non-bool value`);
  }
  return undefined;
}
