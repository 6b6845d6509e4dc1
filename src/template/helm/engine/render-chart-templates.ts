import { posix } from "node:path";
import { LeastRecentlyUsed } from "#base";
import { Budget, chartLimits, compareStrings, fromBytes, type Limits } from "#golang";
import { isExhaustion, TemplateError, TemplateSet } from "../../go-template/index.ts";
import type { Chart } from "../chart/chart.ts";
import { ChartError } from "../chart-error.ts";
import { explainTemplateError } from "./explain-template-error.ts";
import { helmFunctions, withoutNoValue } from "./helm-functions.ts";
import { contextOf, type Lookup, setName } from "./rendering.ts";
import { exposeTemplateName, type ScopedTemplate, valuesObject } from "./template-scopes.ts";

export interface RenderSettings {
  readonly lookup: Lookup;
  /** The clock of `now` and `ago`, in milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Limits;
}

/** Above Helm's own limit of 1000 recursive includes, whose error is more specific. */
const limits: Limits = { ...chartLimits, depth: 2_000 };

/** Renders all templates but partials, in Helm's order. The results are keyed by the template's name. */
export function renderChartTemplates(
  chart: Chart,
  scoped: readonly ScopedTemplate[],
  settings: RenderSettings,
): Map<string, string> {
  const sorted = scoped.toSorted(byDepth);
  const rendered = new Map<string, string>();
  try {
    const templates = compiledSet(chart, sorted);
    const rendering = { name: setName, templates, included: new Map(), lookup: settings.lookup };
    const context = contextOf(rendering, { budget: new Budget(settings.limits ?? limits), now: settings.now });
    for (const template of sorted) {
      if (posix.basename(template.name).startsWith("_")) continue;
      exposeTemplateName(template);
      const text = templates.execute(template.name, valuesObject(template.scope), { context });
      rendered.set(template.name, withoutNoValue(text));
    }
    return rendered;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const explained = explainTemplateError(error, sorted);
    throw hasExhaustedStack(error) ? new NestedTooDeeply(explained) : explained;
  }
}

/** The templates of a chart nest deeper than JavaScript's stack, which need not be too deep for Helm. */
export class NestedTooDeeply extends ChartError {
  constructor({ what, where, next, helmMessage }: ChartError) {
    super(what, { helmMessage, ...(where !== undefined && { where }), ...(next !== undefined && { next }) });
  }
}

function hasExhaustedStack(error: unknown): boolean {
  if (isExhaustion(error)) return true;
  return error instanceof Error && hasExhaustedStack(error.cause);
}

/** The deepest first and backwards by name, so that definitions of a parent replace those of a subchart. */
function byDepth(left: ScopedTemplate, right: ScopedTemplate): number {
  return depthOf(right) - depthOf(left) || compareStrings(right.name, left.name);
}

function depthOf({ name }: ScopedTemplate): number {
  return name.split("/").length;
}

const setsPerChart = 8;
const compiled = new WeakMap<Chart, LeastRecentlyUsed<string, TemplateSet>>();

/** A chart's templates are compiled once for each set of subcharts that values enable. */
function compiledSet(chart: Chart, sorted: readonly ScopedTemplate[]): TemplateSet {
  const sets = compiled.get(chart) ?? new LeastRecentlyUsed<string, TemplateSet>(setsPerChart);
  compiled.set(chart, sets);
  const key = sorted.map(({ name, file }) => `${name}\0${file.origin}`).join("\0");
  return sets.get(key, () => {
    const set = new TemplateSet({ functions: helmFunctions, missingKey: "zero", name: setName });
    for (const { name, file } of sorted) set.parse(name, fromBytes(file.data));
    return set;
  });
}
