import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "#base";
import { parseYaml } from "#yaml";
import type { ChartAnswer, Oracle } from "#oracle";
import {
  type Chart,
  ChartError,
  defaultCapabilities,
  loadChart,
  mergeValueSources,
  parseKubeVersion,
  type RenderedChart,
  releaseText,
  renderChart,
} from "#template";

const texts = z.array(z.string()).optional();

const Options = z.strictObject({
  values: texts,
  set: texts,
  setString: texts,
  setJson: texts,
  setLiteral: texts,
  release: z
    .strictObject({ name: z.string(), namespace: z.string().default("default"), isUpgrade: z.boolean().default(false) })
    .optional(),
  kubeVersion: z.string().optional(),
  apiVersions: texts,
  includeCrds: z.boolean().optional(),
  skipTests: z.boolean().optional(),
  noHooks: z.boolean().optional(),
  skipSchemaValidation: z.boolean().optional(),
});

const Rendering = Options.extend({ name: z.string(), chart: z.string() });

/** The options of `helm template`. */
export type RenderingOptions = z.infer<typeof Options>;

/** One rendering of a chart in this folder. */
export type Rendering = z.infer<typeof Rendering>;

/** What Helm answers, by the name of the rendering. */
export type Goldens = Readonly<Record<string, ChartAnswer>>;

const folder = import.meta.dirname;

/** All renderings, by chart. */
export async function readRenderings(): Promise<ReadonlyMap<string, readonly Rendering[]>> {
  const file = join(folder, "renderings.yaml");
  const all = z.array(Rendering).parse(parseYaml(await readFile(file, "utf8"), { file }));
  return Map.groupBy(all, ({ chart }) => chart);
}

export async function readGoldens(chart: string): Promise<Goldens> {
  return JSON.parse(await readFile(goldenPath(chart), "utf8").catch(() => "{}"));
}

export async function writeGoldens(chart: string, goldens: Readonly<Record<string, unknown>>): Promise<void> {
  await writeFile(goldenPath(chart), `${JSON.stringify(goldens, undefined, 2)}\n`);
}

function goldenPath(chart: string): string {
  return join(folder, "goldens", `${chart}.json`);
}

/** Asks Helm. What it says about the folder of the chart depends on the machine, and is taken away. */
export async function askHelm(oracle: Oracle, { chart, ...rendering }: Rendering): Promise<ChartAnswer> {
  const answer = await oracle.ask({ ...rendering, op: "chart", directory: join(folder, chart) });
  return answer.error === undefined ? answer : { ...answer, error: answer.error.replaceAll(`${folder}/`, "") };
}

/** Renders a chart of this folder with our engine. */
export function render({ chart, ...options }: Rendering): RenderedChart {
  return renderWith(loadChart(join(folder, chart)), options);
}

function renderWith(chart: Chart, rendering: RenderingOptions): RenderedChart {
  const { values = [], set = [], setString = [], setJson = [], setLiteral = [] } = rendering;
  const files = values.map((text, index) => ({ name: `values-${index}.yaml`, text }));
  const { kubeVersion, apiVersions = [] } = rendering;
  return renderChart(chart, {
    ...mergeValueSources({ files, set, setString, setJson, setLiteral }),
    release: { ...rendering.release },
    capabilities: {
      kubeVersion: kubeVersion === undefined ? defaultCapabilities.kubeVersion : parseKubeVersion(kubeVersion),
      apiVersions: [...defaultCapabilities.apiVersions, ...apiVersions],
    },
    skipSchemaValidation: rendering.skipSchemaValidation ?? false,
  });
}

/** Our answer in the form of Helm's. The text of an error is there where we know Helm's. */
export function answerOurs({ chart, ...options }: Rendering): ChartAnswer {
  return answerWith(() => loadChart(join(folder, chart)), options);
}

/** Our answer to a chart that was loaded in another way. */
export function answerWith(load: () => Chart, options: RenderingOptions): ChartAnswer {
  try {
    return answerOf(renderWith(load(), options), options);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { error: error instanceof ChartError ? error.helmMessage : "" };
  }
}

function answerOf({ manifests, hooks, crds, notes }: RenderedChart, rendering: RenderingOptions): ChartAnswer {
  const shown = hooks.filter(({ events }) => !(rendering.skipTests && events.includes("test")));
  const release = { crds: rendering.includeCrds ? crds : [], manifests, hooks: [] };
  return {
    output: releaseText({ ...release, hooks: rendering.noHooks ? [] : shown }),
    hooks: hooks.map(({ name, kind, source, text, events, weight }) => {
      return { name, kind, path: source, manifest: text, events, weight };
    }),
    notes,
  };
}

/** What counts of an answer. Without `--debug`, Helm adds a remark to some errors. */
export function comparable({ output, error, hooks = [], notes = "" }: ChartAnswer): ChartAnswer {
  if (error !== undefined) return { error: error.replace(/\n\nUse --debug flag[^]*$/, "") };
  return { output, hooks, notes };
}
