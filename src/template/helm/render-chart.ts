import { posix } from "node:path";
import { InputError } from "#base";
import { type GoObject, type GoValue, Int, isGoObject, type Limits, newMap, satisfiesConstraint } from "#golang";
import type { Chart } from "./chart/chart.ts";
import { workingCopy } from "./chart/working-chart.ts";
import { type Capabilities, defaultCapabilities } from "./engine/capabilities.ts";
import { NestedTooDeeply, renderChartTemplates } from "./engine/render-chart-templates.ts";
import type { Lookup } from "./engine/rendering.ts";
import { type ChartRelease, scopeTemplates } from "./engine/template-scopes.ts";
import { type CrdFile, crdFiles } from "./manifest/crd-files.ts";
import type { Hook, ChartManifest } from "./manifest/read-manifest.ts";
import { sortManifests } from "./manifest/sort-manifests.ts";
import { validateValues } from "./schema/validate-values.ts";
import { coalesceValues } from "./values/coalesce.ts";
import { enableDependencies, importValues } from "./values/process-dependencies.ts";
import type { GivenValues } from "./values/given-values.ts";
import { LargeStack } from "./large-stack.ts";

export interface RenderChartOptions {
  /** Values that win over the chart's own: JSON, or the result of `mergeValueSources` together with `whereIs`. */
  readonly values?: GoObject;
  /** The source of a value, for messages. */
  readonly whereIs?: GivenValues["whereIs"];
  /** Default: `release-name` in the namespace `default`, as in `helm template`. */
  readonly release?: Partial<ChartRelease>;
  /** The capabilities of the cluster. Default: those that Helm assumes without one. */
  readonly capabilities?: Capabilities;
  /**
   * Answers the function `lookup`. Default: nothing exists. With it, includes nest as deep as JavaScript's stack allows, which may
   * be less than Helm's 1,000: a function cannot be taken along to a thread with a larger stack.
   */
  readonly lookup?: Lookup;
  readonly now?: () => number;
  readonly limits?: Limits;
  readonly skipSchemaValidation?: boolean;
}

/** What a chart renders. */
export interface RenderedChart {
  /** In Helm's order of kinds. */
  readonly manifests: readonly ChartManifest[];
  readonly hooks: readonly Hook[];
  /** The files in `crds/` of the chart and its enabled subcharts, which are never rendered. */
  readonly crds: readonly CrdFile[];
  /** The rendered NOTES.txt; empty if there is none. */
  readonly notes: string;
  /** Warnings about ignored values. */
  readonly warnings: readonly string[];
}

/**
 * Renders a chart exactly as `helm template` of Helm 3.22 does. The chart keeps its compiled templates, so rendering it again
 * costs little. Throws an InputError with the place in the chart or its values.
 */
export function renderChart(chart: Chart, options: RenderChartOptions = {}): RenderedChart {
  try {
    return renderHere(chart, options);
  } catch (error) {
    if (!(error instanceof NestedTooDeeply) || options.lookup) throw error;
    const { values, release, capabilities, limits, now = Date.now } = options;
    const request: DeepRequest = { chart, now: now(), options: { values, release, capabilities, limits } };
    return deepRenderings.call(request);
  }
}

/** What is sent to a thread with a larger stack, after the values were validated here. */
interface DeepRequest {
  readonly chart: Chart;
  readonly now: number;
  readonly options: {
    readonly [Key in "values" | "release" | "capabilities" | "limits"]: RenderChartOptions[Key] | undefined;
  };
}

function renderDeep({ chart, now, options }: DeepRequest): RenderedChart {
  const { values = newMap(), release, capabilities, limits } = options;
  return renderHere(revivedChart(chart), {
    values: revivedMap(values),
    ...(release && { release }),
    ...(capabilities && { capabilities }),
    ...(limits && { limits }),
    now: () => now,
    skipSchemaValidation: true,
  });
}

function revivedChart(chart: Chart): Chart {
  const dependencies = chart.metadata.dependencies?.map((each) => ({
    ...each,
    importValues: each.importValues?.map(revived),
  }));
  return {
    ...chart,
    metadata: { ...chart.metadata, dependencies },
    values: revivedMap(chart.values),
    dependencies: chart.dependencies.map(revivedChart),
  };
}

/** A copy for another thread has lost its classes; only integers hold a bigint. */
function revived(value: GoValue): GoValue {
  if (Array.isArray(value)) return value.map(revived);
  if (!isGoObject(value)) return value;
  return isCopiedInteger(value) ? new Int(value.kind, value.value) : revivedMap(value);
}

function isCopiedInteger(value: object): value is Pick<Int, "kind" | "value"> {
  return "value" in value && typeof value.value === "bigint";
}

function revivedMap(map: GoObject): GoObject {
  return newMap(Object.entries(map).map(([key, value]) => [key, revived(value)]));
}

function renderHere(chart: Chart, options: RenderChartOptions): RenderedChart {
  const { capabilities = defaultCapabilities, lookup = () => newMap(), now = Date.now } = options;
  const { values: own = newMap(), whereIs = () => undefined } = options;
  const release = { name: "release-name", namespace: "default", isUpgrade: false, ...options.release };
  const warnings = new Set<string>();
  const warn = (warning: string) => void warnings.add(warning);
  checkCharts(chart, release.name);
  const working = workingCopy(chart);
  enableDependencies(working, own, warn);
  importValues(working, warn);
  const values = coalesceValues(working, own, "coalesce", warn);
  if (!options.skipSchemaValidation) validateValues(working, values, whereIs, options.limits);
  checkKubeVersion(chart, capabilities.kubeVersion.version);
  const templates = scopeTemplates(working, values, release, capabilities);
  const rendered = renderChartTemplates(chart, templates, {
    lookup,
    now,
    ...(options.limits && { limits: options.limits }),
  });
  const notes = takeNotes(rendered, posix.join(working.metadata.name, "templates", "NOTES.txt"));
  return { ...sortManifests(rendered), crds: crdFiles(working), notes, warnings: [...warnings] };
}

/** Notes of subcharts are neither shown nor manifests. */
function takeNotes(rendered: Map<string, string>, name: string): string {
  const notes = rendered.get(name) ?? "";
  for (const source of rendered.keys()) if (source.endsWith("NOTES.txt")) rendered.delete(source);
  return notes;
}

/** Checks what `helm template` checks before it renders. */
function checkCharts({ metadata, dependencies, origin }: Chart, releaseName: string): void {
  if (metadata.type !== "" && metadata.type !== "application") {
    throw new InputError(`${metadata.name} is a ${metadata.type} chart and cannot be rendered by itself`, {
      where: origin,
      next: "render a chart that depends on it",
    });
  }
  const missing = (metadata.dependencies ?? [])
    .map(({ name }) => name)
    .filter((name) => !dependencies.some((dependency) => dependency.metadata.name === name));
  if (missing.length > 0) {
    throw new InputError(`dependencies in Chart.yaml are missing in charts/: ${missing.join(", ")}`, {
      where: origin,
      next: "run `helm dependency build` there",
    });
  }
  checkReleaseName(releaseName);
}

const longestReleaseName = 53;

function checkReleaseName(name: string): void {
  const isValid = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
  if (isValid && name.length <= longestReleaseName) return;
  throw new InputError(`${JSON.stringify(name)} is not a valid release name`, {
    next: `use at most ${longestReleaseName} lower-case letters, digits and -`,
  });
}

function checkKubeVersion({ metadata, origin }: Chart, kubeVersion: string): void {
  const { kubeVersion: required } = metadata;
  if (required === "" || satisfiesConstraint(kubeVersion, required)) return;
  throw new InputError(`the chart requires Kubernetes ${required}, got ${kubeVersion}`, {
    where: origin,
    next: "use another version of the chart, or pass the cluster's version",
  });
}

const deepRenderings = new LargeStack(import.meta.url, renderDeep);
