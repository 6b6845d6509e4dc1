import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "#base";
import { loadChart, renderChart } from "#template";
import { code, generatedFrom, page, paragraphs, prose, table } from "./markdown.ts";

const Property = z.object({
  description: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  $ref: z.string().optional(),
  items: z.object({ $ref: z.string().optional() }).optional(),
});

const Definition = Property.extend({
  properties: z.record(z.string(), z.union([z.literal(false), Property])).optional(),
  required: z.array(z.string()).optional(),
});

const Schema = z.object({ definitions: z.record(z.string(), Definition) });

const Template = z.object({
  parameters: z.array(z.object({ name: z.string(), description: z.string(), value: z.string() })),
});

type Definitions = z.infer<typeof Schema>["definitions"];

/** What a definition of the schema is called on the page, in the order of the page. */
const titles: ReadonlyMap<string, string> = new Map([
  ["integration", "Settings of an integration"],
  ["logs", "Logs"],
  ["variable", "Variables"],
  ["resources", "Resources"],
  ["quantities", "Quantities"],
  ["probe", "Probe"],
  ["podSecurityContext", "Security context"],
  ["shard", "Shards"],
  ["overrides", "Overrides of a shard"],
]);

/** What stands before the settings of a definition. */
const remarks: Readonly<Record<string, string>> = {
  integration: [
    "\n",
    "What runs on a schedule has no use for `cache`, `storage`, `storageClassName`, `sleepDurationSecs` and the probes.",
    "What does not has none for `concurrencyPolicy`, `restartPolicy` and the two limits of jobs.",
    "`logs.govSlack` is accepted, and has no effect.",
  ].join("\n"),
};

/** The page of our chart: what it renders, every setting from the schema of its values, every parameter of its Template. */
export async function chartReference(checkout: string): Promise<string> {
  const folder = join(checkout, "charts", "integrations");
  const text = await readFile(join(folder, "values.schema.json"), "utf8");
  const { definitions } = Schema.parse(JSON.parse(text));
  const { parameters } = Template.parse(renderChart(loadChart(folder)).manifests[0]?.object);
  return page(
    generatedFrom("`charts/integrations/`"),
    "# The chart of integrations",
    [
      "The manager renders this chart for each namespace unless `--chart` names another one.",
      "Its values are two lists, `integrations` and `cronjobs`; the manager makes them from the data, and `tenon values` prints them.",
      "What `spec` of a data file says is a setting here under the same name, whether the schemas of the data know it or not.",
      "A setting that is not on this page is refused by its name.",
      "[0032](../decisions/0032-our-chart.md) says what is different from the chart of qontract-reconcile.",
    ].join("\n"),
    "## What it renders",
    [
      "An OpenShift Template with one object for each shard, and one Service for all of them, `integrations`.",
      "An object is called `<integration><suffix of the shard>`; names are not cut.",
    ].join("\n"),
    table(
      ["Object", "If", "Disabled shard"],
      [
        ["CronJob", "`cron`", "is suspended"],
        ["StatefulSet", "`state` or `cache`", "has no replicas"],
        ["Deployment", "else", "has no replicas"],
      ],
    ),
    [
      "A pod has the labels `app`, which is the integration, and `tenon.dev/shard`, which is the suffix of the shard without its dash, empty if there is one shard; both select it.",
      "It runs as the restricted standard of Kubernetes asks, and can write to `/tmp`, its volume and nothing else.",
      "What runs all the time serves metrics at port 9090 under `/metrics`; the Service has them at port 80.",
      "`/config` is the Secret `QONTRACT_RECONCILE_TOML_SECRET_NAME`, or empty.",
    ].join("\n"),
    ...[...titles].map(([name, title]) =>
      paragraphs(`## ${title}${remarks[name] ?? ""}`, settingsTable(definitions, name)),
    ),
    "## Parameters",
    [
      "An environment gives parameters other values by `parameters` in its data file.",
      "A text `${NAME}` in any setting becomes the value of that parameter; if there is no such parameter, it stays as it is.",
      "Beside these, each integration has parameters for its resources, `<INTEGRATION>_CPU_REQUEST`, `_CPU_LIMIT`, `_MEMORY_REQUEST`, `_MEMORY_LIMIT`, the same with `_FLUENTD` before them, and `<INTEGRATION>_SLEEP_DURATION_SECS`, as far as its settings have these.",
      "`<INTEGRATION>` is its name in capital letters, with `_` for `-`.",
    ].join("\n"),
    table(
      ["Parameter", "If not given", "What it is"],
      parameters.map(({ name, description, value }) => [code(name), value && code(value), sentence(description)]),
    ),
  );
}

function settingsTable(definitions: Definitions, name: string): string {
  const { properties = {}, required = [] } = definitions[name] ?? {};
  const rows = Object.entries(properties).flatMap(([key, property]) => {
    if (property === false) return [];
    if (property.description === undefined) {
      throw new InputError(`${name}.${key} has no description`, { where: "charts/integrations/values.schema.json" });
    }
    const isRequired = required.includes(key) ? "yes" : "";
    return [[code(key), typeOf(property, definitions), isRequired, sentence(property.description)]];
  });
  return table(["Setting", "Type", "Required", "Meaning"], rows);
}

function typeOf(property: z.infer<typeof Property>, definitions: Definitions): string {
  const name = (property.$ref ?? property.items?.$ref)?.replace("#/definitions/", "");
  const title = titles.get(name ?? "");
  const link = title && `[${title.toLowerCase()}](#${title.toLowerCase().replaceAll(" ", "-")})`;
  if (property.items) return link ? `list of ${link}` : "list";
  if (property.enum) return property.enum.map(code).join(", ");
  const type = (name && definitions[name]?.type) ?? property.type ?? "";
  const words = [type].flat().join(" or ").replace("array", "list of strings");
  return link && type !== "object" ? words.replace("object", link) : (link ?? words);
}

function sentence(description: string): string {
  return prose(`${description.slice(0, 1).toUpperCase()}${description.slice(1)}.`);
}
