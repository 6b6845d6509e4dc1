import type { GoObject } from "#golang";
import type { Chart, ChartDependency, ChartFile, ChartMetadata } from "./chart.ts";

/** A dependency while a chart is rendered: aliases, conditions and imports change it. */
export type WorkingDependency = { -readonly [Field in keyof ChartDependency]: ChartDependency[Field] };

/** The content of Chart.yaml while a chart is rendered. */
export interface WorkingMetadata extends Omit<ChartMetadata, "name" | "dependencies"> {
  name: string;
  dependencies: WorkingDependency[] | undefined;
}

/**
 * The copy of a chart that one rendering changes: which subcharts are enabled, their names and their values depend on the
 * values that the user gave.
 */
export interface WorkingChart {
  readonly metadata: WorkingMetadata;
  readonly templates: readonly ChartFile[];
  readonly files: readonly ChartFile[];
  readonly schema: ChartFile | undefined;
  readonly valuesFile: ChartFile | undefined;
  values: GoObject;
  parent: WorkingChart | undefined;
  dependencies: WorkingChart[];
}

/** Copies the parts of a chart and its subcharts that a rendering changes; files and values are shared until they are replaced. */
export function workingCopy(chart: Chart): WorkingChart {
  const { metadata, templates, files, schema, values, valuesFile } = chart;
  const dependencies = metadata.dependencies?.map((dependency): WorkingDependency => ({ ...dependency }));
  const copy: WorkingChart = {
    metadata: { ...metadata, dependencies },
    templates,
    files,
    schema,
    valuesFile,
    values,
    parent: undefined,
    dependencies: [],
  };
  setDependencies(copy, chart.dependencies.map(workingCopy));
  return copy;
}

/** Makes `dependencies` the subcharts of `chart`. */
export function setDependencies(chart: WorkingChart, dependencies: WorkingChart[]): void {
  for (const dependency of dependencies) dependency.parent = chart;
  chart.dependencies = dependencies;
}

/** The path of a chart within the rendering: `parent/charts/child`. */
export function fullPath({ metadata, parent }: WorkingChart): string {
  return parent ? `${fullPath(parent)}/charts/${metadata.name}` : metadata.name;
}
