import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { InputError, type JsonValue } from "#base";
import { parseYaml } from "#yaml";
import type { Oracle } from "#oracle";
import { ChartError, type ChartFile, mergeValueSources, renderChart } from "#template";
import { assembleChart } from "../../src/template/helm/chart/load-chart.ts";

const SchemaCase = z.strictObject({ name: z.string(), schema: z.json(), values: z.array(z.string()) });

/** A schema with several values to hold against it. */
export type SchemaCase = z.infer<typeof SchemaCase>;

/** What Helm says to each of the values: empty if it accepts them. */
export type SchemaGoldens = Readonly<Record<string, readonly string[]>>;

const folder = import.meta.dirname;
export const schemaGoldens = join(folder, "goldens", "schemas.json");

export async function readSchemaCases(): Promise<readonly SchemaCase[]> {
  const file = join(folder, "schemas.yaml");
  return z.array(SchemaCase).parse(parseYaml(await readFile(file, "utf8"), { file }));
}

function filesOf(schema: JsonValue): Record<string, string> {
  return { "Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "values.schema.json": JSON.stringify(schema) };
}

export async function askSchema(oracle: Oracle, { schema, values }: SchemaCase): Promise<readonly string[]> {
  const texts = Object.entries(filesOf(schema));
  const files = Object.fromEntries(texts.map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
  const answers = values.map((text) => oracle.ask({ op: "chart", files, values: [text] }));
  return (await Promise.all(answers)).map(({ error = "" }) => error);
}

/** Our answers in the form of Helm's; `refused` where the schema itself is at fault. */
export function validateOurs({ schema, values }: SchemaCase): readonly string[] {
  const files = Object.entries(filesOf(schema)).map(([name, text]): ChartFile => {
    return { name, data: Buffer.from(text), origin: name };
  });
  return values.map((text) => {
    try {
      const chart = assembleChart(files, "c");
      renderChart(chart, { ...mergeValueSources({ files: [{ name: "values.yaml", text }] }) });
      return "";
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return error instanceof ChartError ? error.helmMessage : "refused";
    }
  });
}
