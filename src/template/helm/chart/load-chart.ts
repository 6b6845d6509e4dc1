import { readFileSync, statSync } from "node:fs";
import { posix } from "node:path";
import { InputError } from "#base";
import { compareStrings, fromBytes, type GoObject, newMap } from "#golang";
import type { Chart, ChartFile, ChartMetadata } from "./chart.ts";
import { checkMetadata, readMetadata } from "./read-metadata.ts";
import { readArchive } from "./read-archive.ts";
import { readFolder } from "./read-folder.ts";
import { readValueTable } from "../values/value-table.ts";

/** Loads a chart from its folder or a .tgz, with all its subcharts. Rendering reads no further files. */
export function loadChart(path: string): Chart {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new InputError("chart not found", { where: path, next: "pass a chart folder or a .tgz" });
  return assembleChart(stats.isDirectory() ? readFolder(path) : readArchive(readFileSync(path), path), path);
}

/** Builds a chart, and the charts in its `charts/`, from files. `origin` is their source, for messages. */
export function assembleChart(files: readonly ChartFile[], origin: string): Chart {
  const chartFile = files.find(({ name }) => name === "Chart.yaml");
  if (!chartFile) {
    throw new InputError("Chart.yaml not found", { where: origin, next: "pass the folder that contains Chart.yaml" });
  }
  const found = readMetadata(chartFile);
  let metadata: ChartMetadata = { ...found, apiVersion: found.apiVersion || "v1" };
  const kept: ChartFile[] = [];
  const templates: ChartFile[] = [];
  const subcharts = new Map<string, ChartFile[]>();
  let valuesFile: ChartFile | undefined;
  let schema: ChartFile | undefined;
  for (const file of files) {
    const { name } = file;
    if (name === "Chart.yaml") continue;
    if (name === "values.yaml") valuesFile = file;
    else if (name === "values.schema.json") schema = file;
    else if (name === "Chart.lock") readTable(file);
    else if (name === "requirements.yaml" || name === "requirements.lock") {
      if (name === "requirements.yaml") metadata = readMetadata(file, metadata);
      else readTable(file);
      if (metadata.apiVersion === "v1") kept.push(file);
    } else if (name.startsWith("templates/")) templates.push(file);
    else if (name.startsWith("charts/") && posix.extname(name) !== ".prov") {
      const path = name.slice("charts/".length);
      const [folder = ""] = path.split("/");
      const siblings = subcharts.get(folder) ?? [];
      siblings.push({ ...file, name: path });
      subcharts.set(folder, siblings);
    } else kept.push(file);
  }
  const values = valuesFile ? readTable(valuesFile) : newMap();
  checkMetadata(metadata, chartFile.origin);
  const names = [...subcharts.keys()].filter((name) => !/^[_.]/.test(name)).toSorted(compareStrings);
  const dependencies = names.map((name) => assembleSubchart(name, subcharts.get(name) ?? [], origin));
  return { metadata, templates, files: kept, values, valuesFile, schema, dependencies, origin };
}

function assembleSubchart(name: string, files: readonly ChartFile[], origin: string): Chart {
  const [first] = files;
  if (posix.extname(name) === ".tgz" && first) {
    if (first.name !== name)
      throw new InputError("expected a .tgz archive, got a folder", { where: `${origin}/charts/${name}` });
    return assembleChart(readArchive(first.data, first.origin), first.origin);
  }
  const inside = files.flatMap((file) => {
    const slash = file.name.indexOf("/");
    return slash < 0 ? [] : [{ ...file, name: file.name.slice(slash + 1) }];
  });
  return assembleChart(inside, `${origin}/charts/${name}`);
}

function readTable({ data, origin }: ChartFile): GoObject {
  return readValueTable(fromBytes(data), origin);
}
