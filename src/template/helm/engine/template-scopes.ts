import { posix } from "node:path";
import { FunctionError, goFunction, type GoObject, int, isGoObject, mapGet, Named, newMap, toYaml } from "#golang";
import type { ChartFile } from "../chart/chart.ts";
import { fullPath, type WorkingChart } from "../chart/working-chart.ts";
import { type Capabilities, capabilitiesObject } from "./capabilities.ts";
import { chartObject } from "./chart-object.ts";
import { filesObject } from "./files-object.ts";
import { leafAt, tableAt } from "../values/value-table.ts";

/** The release that templates are rendered for. */
export interface ChartRelease {
  readonly name: string;
  readonly namespace: string;
  readonly isUpgrade: boolean;
}

/** A template and the data that it sees. Templates of one chart share the scope. */
export interface ScopedTemplate {
  /** `chart/charts/subchart/templates/x.yaml` */
  readonly name: string;
  readonly file: ChartFile;
  readonly scope: GoObject;
  /** `chart/charts/subchart/templates` */
  readonly basePath: string;
}

/** All templates of a chart and its subcharts, each with the values of its chart. */
export function scopeTemplates(
  root: WorkingChart,
  values: GoObject,
  release: ChartRelease,
  capabilities: Capabilities,
): ScopedTemplate[] {
  const shared = { Release: releaseObject(release), Capabilities: capabilitiesObject(capabilities) };
  const templates = new Map<string, ScopedTemplate>();
  collect(root, values, shared, templates);
  return [...templates.values()];
}

function collect(
  chart: WorkingChart,
  values: GoObject,
  shared: GoObject,
  templates: Map<string, ScopedTemplate>,
): GoObject {
  const subcharts = newMap();
  const scope = newMap(
    Object.entries({
      ...shared,
      Chart: chartObject(chart),
      Files: filesObject(chart.files),
      Values: valuesObject(values),
      Subcharts: subcharts,
    }),
  );
  for (const child of chart.dependencies) {
    const { name } = child.metadata;
    subcharts[name] = collect(child, tableAt(values, name) ?? newMap(), shared, templates);
  }
  const path = fullPath(chart);
  const isLibrary = chart.metadata.type === "library";
  for (const file of chart.templates) {
    if (isLibrary && !posix.basename(file.name).startsWith("_")) continue;
    const name = posix.join(path, file.name);
    templates.set(name, { name, file, scope, basePath: posix.join(path, "templates") });
  }
  return scope;
}

function releaseObject({ name, namespace, isUpgrade }: ChartRelease): GoObject {
  return newMap(
    Object.entries({
      Name: name,
      Namespace: namespace,
      IsUpgrade: isUpgrade,
      IsInstall: !isUpgrade,
      Revision: int(1),
      Service: "Helm",
    }),
  );
}

/** Sets `.Template` right before a template is rendered. */
export function exposeTemplateName({ name, basePath, scope }: ScopedTemplate): void {
  scope["Template"] = valuesObject(newMap(Object.entries({ Name: name, BasePath: basePath })));
}

/** `.Values` and `.Template`: maps with the methods of Helm's type. */
export function valuesObject(values: GoObject): Named {
  return new Named("chartutil.Values", values, {
    AsMap: goFunction([], () => values),
    YAML: goFunction([], () => `${toYaml(values)}\n`),
    Table: goFunction(["string"], ([path]) => valuesObject(table(values, path))),
    PathValue: goFunction(["string"], ([path]) => {
      if (path === "") throw new FunctionError("YAML path cannot be empty");
      const value = leafAt(values, path);
      if (value === undefined) throw new FunctionError(`${JSON.stringify(path.split(".").at(-1))} is not a value`);
      return value;
    }),
  });
}

function table(values: GoObject, path: string): GoObject {
  let current = values;
  for (const key of path.split(".")) {
    const next = mapGet(current, key);
    if (!isGoObject(next)) throw new FunctionError(`${JSON.stringify(key)} is not a table`);
    current = next;
  }
  return current;
}
