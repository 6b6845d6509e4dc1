import { spawnSync } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ensureHelm } from "#oracle";
import { type Chart, loadChart, mergeValueSources, renderChart } from "#template";
import { toYaml } from "#golang";
import { bundle } from "../publish/bundle.ts";
import { mean, median, processorMs } from "./measure.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "test", "charts", "integrations");
const count = 500;
const runs = 10;

/**
 * The processor time of rendering integrations, against that of a whole `helm template`: 500 of them by one rendering, and 500
 * renderings of one. The CLI is measured as it is published, and as it is in a checkout.
 */
export async function measureChart(): Promise<void> {
  const helm = await ensureHelm(new AbortController().signal);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-chart-"));
  const published = await publishedCli(directory.path);
  const [all, one] = [join(directory.path, "all.yaml"), join(directory.path, "one.yaml")];
  await Promise.all([writeFile(all, valuesText(0, count)), writeFile(one, valuesText(0, 1))]);
  const checkout = [join(root, "bin", "tenon"), "chart", "render", folder, "-f"];
  const times = {
    helmAll: meanMs([helm, "template", folder, "-f", all]),
    helmOne: meanMs([helm, "template", folder, "-f", one]),
    publishedAll: meanMs([...published, "chart", "render", folder, "-f", all]),
    publishedOne: meanMs([...published, "chart", "render", folder, "-f", one]),
    checkoutOne: meanMs([...checkout, one]),
    warmAll: warmAllMs(),
    ...oneByOneMs(),
  };
  console.log(
    `helm template, ${count} integrations: ${times.helmAll.toFixed(0)} ms of processor time (mean of ${runs})`,
  );
  console.log(`  tenon, warm, to objects:           ${less(times.warmAll, times.helmAll)} (bar: 5)`);
  console.log(`  tenon, cold, whole process:        ${less(times.publishedAll, times.helmAll)} (bar: 2)`);
  console.log(`helm template, one integration: ${times.helmOne.toFixed(0)} ms`);
  console.log(`  tenon, ${count} after each other, warm:  ${less(times.warmOne, times.helmOne)} (bar: 5)`);
  console.log(`  the same, chart loaded each time:  ${less(times.coldOne, times.helmOne)} (bar: 2)`);
  console.log(`  tenon, cold, whole process:        ${times.publishedOne.toFixed(0)} ms (bar: 200 ms)`);
  console.log(`  the same from a checkout:          ${times.checkoutOne.toFixed(0)} ms\n`);
}

/**
 * The processor time of `tenon chart render`, cold and as it is published, against that of `helm template`, for charts of your own:
 * `node bench/chart.ts DIR...`. By turns, so that what else the machine does counts for both.
 */
async function compareCharts(charts: readonly string[]): Promise<void> {
  const helm = await ensureHelm(new AbortController().signal);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-chart-"));
  const tenon = await publishedCli(directory.path);
  const ratios: number[] = [];
  for (const chart of charts) {
    const commands = [
      [...tenon, "chart", "render", chart],
      [helm, "template", chart],
    ];
    for (const command of commands) runOnce(command);
    const times = Array.from({ length: runs }, () => commands.map(processorMs));
    const [ours = 0, theirs = 0] = commands.map((_, index) => mean(times.map((each) => each[index] ?? 0)));
    ratios.push(ours / theirs);
    const shown = `tenon ${ours.toFixed(0).padStart(5)} ms, helm ${theirs.toFixed(0).padStart(5)} ms`;
    console.log(`${basename(chart).padEnd(24)} ${shown}, ratio ${(ours / theirs).toFixed(2)} (bar: 1)`);
  }
  console.log(`median ratio ${median(ratios).toFixed(2)}, greatest ${Math.max(...ratios).toFixed(2)}`);
}

function less(time: number, than: number): string {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms, ${(than / time).toFixed(1)} times less`;
}

/** The CLI as it is published, with a place of its own for what it keeps between runs. */
async function publishedCli(directory: string): Promise<readonly string[]> {
  await bundle(join(directory, "dist"), { onlyProgram: true });
  return ["env", `XDG_CACHE_HOME=${directory}`, process.execPath, join(directory, "dist", "tenon.js")];
}

/** After a first run, which fills caches. */
function meanMs(command: readonly string[]): number {
  runOnce(command);
  return mean(Array.from({ length: runs }, () => processorMs(command)));
}

function runOnce([file = "", ...words]: readonly string[]): void {
  const { status, stderr } = spawnSync(file, words, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${file} failed: ${stderr}`);
}

/** From values to objects, the chart being loaded and rendered before. */
function warmAllMs(): number {
  const chart = loadChart(folder);
  const given = mergeValueSources({ files: [{ name: "values.yaml", text: valuesText(0, count) }] });
  const times = Array.from({ length: 2 * runs }, () => cpuMs(() => renderChart(chart, given)));
  return median(times.slice(runs));
}

/** One rendering of many, each with values of its own. */
function oneByOneMs(): { warmOne: number; coldOne: number } {
  const texts = Array.from({ length: count }, (_, index) => valuesText(index, index + 1));
  const chart = loadChart(folder);
  const warm = cpuMs(() => texts.forEach((text) => renderText(chart, text)));
  const cold = cpuMs(() => texts.forEach((text) => renderText(loadChart(folder), text)));
  return { warmOne: warm / count, coldOne: cold / count };
}

function renderText(chart: Chart, text: string): void {
  renderChart(chart, mergeValueSources({ files: [{ name: "values.yaml", text }] }));
}

function cpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** One in ten has three shards, one in five a cache, and one in four environment variables of its own. */
function valuesText(from: number, to: number): string {
  const integrations = Array.from({ length: to - from }, (_, place) => {
    const index = from + place;
    const shards = index % 10 === 0 ? 3 : 1;
    return {
      name: `integration-${index}`,
      cache: index % 5 === 0,
      resources: { requests: { cpu: "100m", memory: "200Mi" }, limits: { cpu: "200m", memory: "400Mi" } },
      extraArgs: index % 3 === 0 ? "--thread-pool-size 10" : "",
      metrics: index % 2 === 0 ? {} : null,
      extraEnv: index % 4 === 0 ? [{ name: "SLACK", secretName: "slack", secretKey: "url" }] : [],
      shard_specs: Array.from({ length: shards }, (__, shard) => ({
        shards,
        shard_id: shard,
        shard_name_suffix: shards > 1 ? `-${shard}` : "",
        extra_args: "",
      })),
    };
  });
  return `${toYaml({ integrations })}\n`;
}

if (import.meta.main) {
  const charts = process.argv.slice(2);
  await (charts.length === 0 ? measureChart() : compareCharts(charts));
}
