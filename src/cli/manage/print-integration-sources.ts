import { dirname, isAbsolute } from "node:path";
import {
  type ExplainedField,
  type ExplainedIntegration,
  explainIntegration,
  fieldLocator,
  type SaidValue,
} from "#integrations";
import type { JsonValue } from "#base";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows, printDocument } from "../terminal/print-rows.ts";
import { safeText } from "../terminal/visible-text.ts";
import { openData, desireOptions } from "./manage-settings.ts";
import type { DataChoice, RenderingChoice } from "./manage-commands.ts";
import { printErrors, printNotices } from "./print-plan.ts";

export interface ExplainIntegrationChoice extends DataChoice, RenderingChoice {
  readonly config?: string;
  readonly shard?: string;
  readonly output: OutputFormat;
}

/** `tenon explain integration/NAME`: prints each setting and parameter with its source and what it overrides. */
export async function printIntegrationSources(
  name: string,
  options: ExplainIntegrationChoice,
  shell: Shell,
): Promise<void> {
  const config = await readTenonConfig(options.config);
  const data = await (await openData(options, config, shell))().load(shell.signal);
  const desire = desireOptions(options, config, shell)();
  const locate = data.find ? { locate: fieldLocator(data.find) } : {};
  const { shard, output } = options;
  const explained = await explainIntegration(data, name, { ...desire, ...locate, shard }, shell.signal);
  printNotices(explained.warnings, shell);
  if (output === "json" || output === "yaml") await printDocument(explained, output, shell);
  else await printTargets(explained, output, shell);
  printErrors(explained.errors, shell);
}

/** What all files of the data are below, if the working directory is not: a table has room for the rest of a path only. */
function folderOfFiles({ places }: ExplainedIntegration): string {
  const files = places
    .flatMap(({ where, shards }) => [where, ...shards.flatMap(({ fields }) => fields.flatMap(placesOf))])
    .filter((where) => isAbsolute(where));
  const here = `${process.cwd()}/`;
  if (files.every((file) => file.startsWith(here))) return here;
  const [first = [], ...others] = files.map((file) => dirname(file).split("/"));
  const common = first.findIndex((step, index) => others.some((steps) => steps[index] !== step));
  return `${first.slice(0, common < 0 ? first.length : common).join("/")}/`;
}

function placesOf({ where, overrode }: ExplainedField): string[] {
  return [where, ...overrode.map((said) => said.where)].filter((place) => place !== undefined);
}

async function printTargets(explained: ExplainedIntegration, format: OutputFormat, shell: Shell): Promise<void> {
  const { places } = explained;
  const folder = folderOfFiles(explained);
  const columns = columnsIn(folder);
  if (places.length > 0 && folder !== `${process.cwd()}/`) shell.stdout.write(`files are in ${safeText(folder)}\n\n`);
  if (places.length === 0) shell.stderr.write("it runs in none of the selected namespaces\n");
  let isFirst = true;
  for (const { cluster, namespace, environment, where, shards, suspended } of places) {
    for (const { name, fields } of shards) {
      const state = suspended === undefined ? "" : `, suspended: ${suspended}`;
      const title = `${name} in ${cluster}/${namespace} (${environment}), by ${within(folder, where)}${state}`;
      const line = safeText(title);
      shell.stdout.write(`${isFirst ? "" : "\n"}${format === "markdown" ? `### ${line}\n\n` : `${line}\n`}`);
      await printRows({ rows: fields, columns, whenEmpty: "" }, format, shell);
      isFirst = false;
    }
  }
}

function columnsIn(folder: string): Column<ExplainedField>[] {
  const sourceOf = ({ source, where }: SaidValue): string =>
    where === undefined ? source : `${source}: ${within(folder, where)}`;
  const describeOverridden = (said: SaidValue): string => `${textOf(said.value) || "nothing"} (${sourceOf(said)})`;
  return [
    { header: "field", value: ({ field }) => field, keep: "all" },
    { header: "value", value: ({ value }) => textOf(value) },
    { header: "from", value: sourceOf, keep: "end" },
    {
      header: "instead of",
      value: ({ overrode }) => overrode.map(describeOverridden).join(", "),
      below: ({ overrode }) => overrode.map((said) => `instead of ${describeOverridden(said)}`),
    },
  ];
}

function within(folder: string, where: string): string {
  return where.startsWith(folder) ? where.slice(folder.length) : where;
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
