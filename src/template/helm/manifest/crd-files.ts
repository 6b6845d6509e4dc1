import { posix } from "node:path";
import { isJsonObject, type JsonObject } from "#base";
import { parseYamlDocuments } from "#yaml";
import { fromBytes } from "#golang";
import type { ChartFile } from "../chart/chart.ts";
import { fullPath, type WorkingChart } from "../chart/working-chart.ts";

/** A file of `crds/`, which is never rendered. */
export interface CrdFile {
  /** `chart/crds/x.yaml` */
  readonly source: string;
  readonly text: string;
  /** Its content, parsed on first access. */
  readonly objects: readonly JsonObject[];
}

/** The files of `crds/` of a chart and its subcharts. */
export function crdFiles(chart: WorkingChart): CrdFile[] {
  const own = chart.files.filter(({ name }) => name.startsWith("crds/") && /\.(?:yaml|yml|json)$/i.test(name));
  return [
    ...own.map((file) => crdFile(file, posix.join(fullPath(chart), file.name))),
    ...chart.dependencies.flatMap(crdFiles),
  ];
}

const parsed = new WeakMap<ChartFile, readonly JsonObject[]>();

function crdFile(file: ChartFile, source: string): CrdFile {
  return {
    source,
    text: fromBytes(file.data),
    get objects() {
      const known = parsed.get(file) ?? readObjects(file);
      parsed.set(file, known);
      return known;
    },
  };
}

function readObjects({ data, origin }: ChartFile): readonly JsonObject[] {
  const documents = parseYamlDocuments(data, { file: origin, duplicateKeys: "last-wins" });
  return documents.map(({ value }) => value).filter((value) => isJsonObject(value));
}
