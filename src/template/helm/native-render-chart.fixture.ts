import { createRequire } from "node:module";
import type { renderChart } from "./render-chart.ts";

/**
 * `renderChart` as Node itself loads it, for charts that use up the stack. Modules of the test runner read their imports through
 * getters; at the end of the stack such a getter swallows the error and gives undefined, which is then called.
 */
export const renderChartNatively: typeof renderChart = createRequire(import.meta.url)("./render-chart.ts").renderChart;
