import { spawnSync } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureHelm } from "#oracle";
import { loadChart, mergeValueSources, renderChart } from "#template";
import { mean, median, processorMs } from "./measure.ts";

const root = join(import.meta.dirname, "..");
const tenon = join(root, "bin", "tenon");
const chart = join(root, "test", "charts", "integrations");
const count = 500;
const runs = 10;

/** The processor time of rendering 500 integrations, and one, against that of a whole `helm template`. */
export async function measureChart(): Promise<void> {
  const helm = await ensureHelm(new AbortController().signal);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-chart-"));
  const [many, one] = await Promise.all([writeValues(directory.path, count), writeValues(directory.path, 1)]);
  const byHelm = mean(times(runs, () => processorMs([helm, "template", chart, "-f", many])));
  spawnSync(tenon, ["chart", "render", chart, "-f", many]); // fills the compile cache
  const cold = mean(times(runs, () => processorMs([tenon, "chart", "render", chart, "-f", many])));
  const small = mean(times(runs, () => processorMs([tenon, "chart", "render", chart, "-f", one])));
  const warm = warmMs(valuesText(count));
  console.log(`helm template, ${count} integrations: ${byHelm.toFixed(0)} ms of processor time (mean of ${runs})`);
  console.log(
    `tenon, warm, to objects:       ${warm.toFixed(0)} ms, ${(byHelm / warm).toFixed(1)} times less (bar: 5)`,
  );
  console.log(
    `tenon, cold, whole process:    ${cold.toFixed(0)} ms, ${(byHelm / cold).toFixed(1)} times less (bar: 2)`,
  );
  console.log(`tenon, cold, one integration:  ${small.toFixed(0)} ms (bar: 200 ms)\n`);
}

/** From a values file to objects, the chart being loaded and rendered before. */
function warmMs(text: string): number {
  const loaded = loadChart(chart);
  const render = () => renderChart(loaded, { ...mergeValueSources({ files: [{ name: "values.yaml", text }] }) });
  times(3, render);
  return median(
    times(runs, () => {
      const before = process.cpuUsage();
      render();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );
}

function times<Result>(number: number, act: () => Result): Result[] {
  return Array.from({ length: number }, act);
}

async function writeValues(directory: string, integrations: number): Promise<string> {
  const path = join(directory, `values-${integrations}.yaml`);
  await writeFile(path, valuesText(integrations));
  return path;
}

/** One in ten has three shards, one in five a cache, and one in four environment variables of its own. */
function valuesText(integrations: number): string {
  const entries = times(integrations, () => 0).map((_, index) => {
    const shards = index % 10 === 0 ? 3 : 1;
    return {
      name: `integration-${index}`,
      cache: index % 5 === 0,
      resources: { requests: { cpu: "100m", memory: "200Mi" }, limits: { cpu: "200m", memory: "400Mi" } },
      extraArgs: index % 3 === 0 ? "--thread-pool-size 10" : "",
      metrics: index % 2 === 0 ? {} : null,
      extraEnv:
        index % 4 === 0
          ? [
              { name: "SLACK", secretName: "slack", secretKey: "url" },
              { name: "A", value: "b" },
            ]
          : [],
      shard_specs: times(shards, () => 0).map((__, shard) => ({
        shards,
        shard_id: shard,
        shard_name_suffix: shards > 1 ? `-${shard}` : "",
        extra_args: "",
      })),
    };
  });
  return JSON.stringify({ integrations: entries });
}

if (import.meta.main) await measureChart();
