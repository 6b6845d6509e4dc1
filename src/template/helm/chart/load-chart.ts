import { readFileSync, statSync } from "node:fs";
import { InputError } from "#base";
import { assembleChart } from "./assemble-chart.ts";
import type { Chart } from "./chart.ts";
import { readArchive } from "./read-archive.ts";
import { readFolder } from "./read-folder.ts";

/** Loads a chart from its folder or from a .tgz, with all its subcharts. Reads all of it at once, and never anything later. */
export function loadChart(path: string): Chart {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats)
    throw new InputError("there is no such chart", { where: path, next: "give the folder of a chart, or a .tgz" });
  return assembleChart(stats.isDirectory() ? readFolder(path) : readArchive(readFileSync(path), path), path);
}
