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
import { printRows, printDocument } from "../terminal/print-rows.ts";
import { openData, desireOptions } from "./manage-settings.ts";
import type { DataChoice, RenderingChoice } from "./manage-commands.ts";
import { printErrors, printNotices } from "./print-plan.ts";

export interface ExplainIntegrationChoice extends DataChoice, RenderingChoice {
  readonly config?: string;
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
  const explained = await explainIntegration(data, name, { ...desire, ...locate }, shell.signal);
  printNotices(explained.warnings, shell);
  if (options.output === "json" || options.output === "yaml") await printDocument(explained, options.output, shell);
  else await printTargets(explained, options.output, shell);
  printErrors(explained.errors, shell);
}

async function printTargets({ places }: ExplainedIntegration, format: OutputFormat, shell: Shell): Promise<void> {
  if (places.length === 0) shell.stderr.write("it runs in none of the selected namespaces\n");
  let isFirst = true;
  for (const { cluster, namespace, environment, where, shards, suspended } of places) {
    for (const { name, fields } of shards) {
      const state = suspended === undefined ? "" : `, suspended: ${suspended}`;
      const title = `${name} in ${cluster}/${namespace} (${environment}), by ${where}${state}`;
      shell.stdout.write(`${isFirst ? "" : "\n"}${format === "markdown" ? `### ${title}\n\n` : `${title}\n`}`);
      await printRows({ rows: fields, columns, whenEmpty: "" }, format, shell);
      isFirst = false;
    }
  }
}

const columns = [
  { header: "field", value: ({ field }: ExplainedField) => field },
  { header: "value", value: ({ value }: ExplainedField) => textOf(value) },
  { header: "from", value: sourceOf },
  { header: "instead of", value: ({ overrode }: ExplainedField) => overrode.map(describeOverridden).join(", ") },
];

function sourceOf({ source, where }: SaidValue): string {
  return where === undefined ? source : `${source}: ${where}`;
}

function describeOverridden(said: SaidValue): string {
  return `${textOf(said.value)} (${sourceOf(said)})`;
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
