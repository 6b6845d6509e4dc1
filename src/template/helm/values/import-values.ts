import { GoMap, type GoObject, type GoValue, isGoObject, mapGet, newMap, printValue } from "#golang";
import type { WorkingChart, WorkingDependency } from "../chart/working-chart.ts";
import { coalesceValues, mergeTables, type Warn } from "./coalesce.ts";
import { copyTable, nestedAt, tableAt } from "./table.ts";

/** Gives parents the values that they import from their subcharts by `import-values`, deepest first. The parents' own values win. */
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
    // What is merged later gets into the table that was imported first, unless that is empty: Helm does not copy the others.
    const shared = table && Object.keys(table).length === 0 ? newMap() : table;
    if (shared) mergeTables(imported, nestedAt(parent, shared), warn);
    else warn(`ImportValues missing table from chart ${dependency.name}: ${child}`);
  }
  dependency.importValues = resolved.length > 0 ? resolved : undefined;
}

/** A name imports `exports.NAME` into the root; a pair says from where to where. */
function importPaths(entry: GoValue): { readonly child: string; readonly parent: string } | undefined {
  if (typeof entry === "string") return { child: `exports.${entry}`, parent: "." };
  if (!isGoObject(entry)) return undefined;
  return { child: printed(mapGet(entry, "child")), parent: printed(mapGet(entry, "parent")) };
}

/** Helm prints whatever is there, so what is missing is looked for as "<nil>". */
function printed(value: GoValue): string {
  return printValue(value ?? null);
}
