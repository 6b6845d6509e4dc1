import { assembleChart } from "./chart/load-chart.ts";
import type { Chart } from "./chart/chart.ts";

/** A chart of these files, for tests; `Chart.yaml` may be left out. */
export function chartOf(files: Readonly<Record<string, string>>): Chart {
  const all = { "Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", ...files };
  const entries = Object.entries(all).map(([name, text]) => ({
    name,
    data: Buffer.from(text),
    origin: `charts/c/${name}`,
  }));
  return assembleChart(entries, "charts/c");
}
