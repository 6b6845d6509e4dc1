import { InputError } from "#base";
import { type GoObject, isGoObject, newMap } from "#golang";
import type { WorkingChart } from "../chart/working-chart.ts";
import { copyTable } from "./value-table.ts";

/** What a null on the winning side does: it removes the key (`coalesce`), or stays for a later step that does (`merge`). */
export type NullHandling = "coalesce" | "merge";

/** Receives warnings about ignored values. They contain no values, which may be secret. */
export type Warn = (warning: string) => void;

interface Manner {
  readonly nulls: NullHandling;
  readonly warn: Warn;
}

/**
 * The values of a chart and all its subcharts: `values` win over the charts' defaults, those of a parent over its children's,
 * and globals go down to every subchart. Neither the chart nor `values` is changed.
 */
export function coalesceValues(chart: WorkingChart, values: GoObject, nulls: NullHandling, warn: Warn): GoObject {
  const target = copyTable(values);
  coalesceChart(chart, target, "", { nulls, warn });
  return target;
}

/** Adds to `target` what only `source` has, nulls included. Both may be changed. */
export function mergeTables(target: GoObject, source: GoObject, warn: Warn): GoObject {
  coalesceTables(target, source, "", { nulls: "merge", warn });
  return target;
}

function coalesceChart(chart: WorkingChart, target: GoObject, prefix: string, manner: Manner): void {
  const path = joined(prefix, chart.metadata.name);
  coalesceDefaults(chart, target, path, manner);
  for (const subchart of chart.dependencies) {
    const { name } = subchart.metadata;
    if (!Object.hasOwn(target, name)) target[name] = newMap();
    const below = target[name];
    if (!isGoObject(below)) {
      throw new InputError(`expected the value ${joined(path, name)} to be a map`, {
        next: `it holds the values of the subchart ${name}: make it a map, or remove it`,
      });
    }
    coalesceGlobals(below, target, path, manner);
    coalesceChart(subchart, below, path, manner);
  }
}

function coalesceDefaults(chart: WorkingChart, target: GoObject, path: string, manner: Manner): void {
  for (const [key, fallback] of Object.entries(copyTable(chart.values))) {
    const value = target[key];
    if (!Object.hasOwn(target, key)) target[key] = fallback;
    else if (value === null && manner.nulls === "coalesce") delete target[key];
    else if (isGoObject(value)) {
      if (isGoObject(fallback)) {
        // A null for a subchart must survive until the subchart's own defaults are merged.
        const isSubchart = chart.dependencies.some(({ metadata }) => metadata.name === key);
        coalesceTables(value, fallback, joined(path, key), isSubchart ? { ...manner, nulls: "merge" } : manner);
      } else if (fallback !== null) manner.warn(`skipped value for ${joined(path, key)}: Not a table.`);
    }
  }
}

function coalesceTables(target: GoObject, source: GoObject, prefix: string, manner: Manner): void {
  const nulls = Object.keys(target).filter((key) => target[key] === null);
  // A null removes a default; a null beside another null, or beside nothing, is an ordinary value.
  const removed = manner.nulls === "coalesce" ? nulls.filter((key) => (source[key] ?? null) !== null) : [];
  for (const key of nulls) source[key] = null;
  for (const key of removed) delete target[key];
  for (const [key, fallback] of Object.entries(source)) {
    const path = joined(prefix, key);
    const value = target[key];
    if (!Object.hasOwn(target, key)) {
      if (!removed.includes(key)) target[key] = fallback;
    } else if (isGoObject(fallback)) {
      if (isGoObject(value)) coalesceTables(value, fallback, path, manner);
      else manner.warn(`cannot overwrite table with non table for ${path}`);
    } else if (isGoObject(value) && fallback !== null) {
      manner.warn(`destination for ${path} is a table. Ignoring non-table value`);
    }
  }
}

function coalesceGlobals(target: GoObject, source: GoObject, prefix: string, manner: Manner): void {
  const below = Object.hasOwn(target, "global") ? target["global"] : newMap();
  const above = Object.hasOwn(source, "global") ? source["global"] : newMap();
  if (!isGoObject(below)) return manner.warn("skipping globals because destination global is not a table.");
  if (!isGoObject(above)) return manner.warn("skipping globals because source global is not a table.");
  for (const [key, value] of Object.entries(above)) {
    const existing = below[key];
    if (isGoObject(value)) {
      // The parent's maps win, so the child's are merged into them.
      const merged = newMap(Object.entries(value));
      if (!Object.hasOwn(below, key)) below[key] = merged;
      else if (isGoObject(existing)) {
        coalesceTables(merged, existing, joined(prefix, key), { ...manner, nulls: "merge" });
        below[key] = merged;
      } else manner.warn(`Conflict: cannot merge map onto non-map for ${JSON.stringify(key)}. Skipping.`);
    } else if (isGoObject(existing)) manner.warn(`key ${key} is table. Skipping`);
    else below[key] = value;
  }
  target["global"] = below;
}

function joined(prefix: string, key: string): string {
  return prefix === "" ? key : `${prefix}.${key}`;
}
