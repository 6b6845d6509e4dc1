import {
  GoMap,
  type GoObject,
  type GoValue,
  isGoObject,
  mapGet,
  newMap,
  printValue,
  satisfiesConstraint,
} from "#golang";
import { setDependencies, type WorkingChart, type WorkingDependency } from "../chart/working-chart.ts";
import { coalesceValues, mergeTables, type Warn } from "./coalesce.ts";
import { copyTable, leafAt, nestedAt, tableAt } from "./value-table.ts";

/**
 * Gives subcharts their aliases, and removes those that conditions and tags disable.
 * As in Helm, two aliases of one chart share the entries of its own dependencies.
 */
export function enableDependencies(chart: WorkingChart, values: GoObject, warn: Warn, path = ""): void {
  const { metadata } = chart;
  const required = metadata.dependencies;
  if (required === undefined) return;
  setDependencies(chart, [
    ...undeclaredSubcharts(chart, required),
    ...required.flatMap((entry) => aliasedCopy(chart, entry) ?? []),
  ]);
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
  setDependencies(chart, remaining);
}

/** Subcharts that Chart.yaml does not declare are always enabled. */
function undeclaredSubcharts(chart: WorkingChart, required: readonly WorkingDependency[]): WorkingChart[] {
  return chart.dependencies.filter((dependency) => !required.some((entry) => matchesEntry(dependency, entry)));
}

/** A copy of the subchart of an entry, under its alias. */
function aliasedCopy(chart: WorkingChart, entry: WorkingDependency): WorkingChart | undefined {
  const found = chart.dependencies.find((dependency) => matchesEntry(dependency, entry));
  return found && { ...found, metadata: { ...found.metadata, name: entry.alias || found.metadata.name } };
}

function matchesEntry({ metadata }: WorkingChart, { name, version }: WorkingDependency): boolean {
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

/** The first condition that is a boolean decides, and wins over tags. */
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

/** Imports values of subcharts into their parents by `import-values`, deepest first. The parents' own values win. */
export function importValues(chart: WorkingChart, warn: Warn): void {
  for (const dependency of chart.dependencies) importValues(dependency, warn);
  const { dependencies } = chart.metadata;
  if (dependencies === undefined) return;
  const values = coalesceValues(chart, newMap(), "merge", warn);
  const imported = newMap();
  for (const dependency of dependencies) importFrom(dependency, values, imported, warn);
  chart.values = mergeTables(copyTable(values), imported, warn);
}

function importFrom(dependency: WorkingDependency, values: GoObject, imported: GoObject, warn: Warn): void {
  const resolved: GoValue[] = [];
  for (const entry of dependency.importValues ?? []) {
    const paths = importPaths(entry);
    if (paths === undefined) continue;
    const { child, parent } = paths;
    resolved.push(new GoMap("string", "string", new Map(Object.entries({ child, parent }))));
    const table = tableAt(values, `${dependency.name}.${child}`);
    // Later values are merged into the map that was imported first, unless that is empty, because Helm does not copy it.
    const shared = table && Object.keys(table).length === 0 ? newMap() : table;
    if (shared) mergeTables(imported, nestedAt(parent, shared), warn);
    else warn(`ImportValues missing table from chart ${dependency.name}: ${child}`);
  }
  dependency.importValues = resolved.length > 0 ? resolved : undefined;
}

/** A name imports `exports.NAME` into the root; a pair names the source and the target. */
function importPaths(entry: GoValue): { readonly child: string; readonly parent: string } | undefined {
  if (typeof entry === "string") return { child: `exports.${entry}`, parent: "." };
  if (!isGoObject(entry)) return undefined;
  return { child: printed(mapGet(entry, "child")), parent: printed(mapGet(entry, "parent")) };
}

/** Helm formats whatever is there, so a missing name is looked up as "<nil>". */
function printed(value: GoValue): string {
  return printValue(value ?? null);
}
