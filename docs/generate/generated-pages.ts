import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chartEnvironmentRole, chartKinds, chartPolicies, chartRights } from "./chart-files.ts";
import { chartReference } from "./chart-reference.ts";
import { cliReference } from "./cli-reference.ts";
import { configurationReference } from "./configuration-reference.ts";
import { conformanceReference } from "./conformance-reference.ts";
import { consoleReference } from "./console-reference.ts";
import { kindsReference } from "./kinds-reference.ts";
import { metricsReference } from "./metrics-reference.ts";
import { seedsReference } from "./seeds/seeds-reference.ts";
import { templatesReference } from "./templates-reference.ts";

export const checkout = join(import.meta.dirname, "..", "..");

/** What `npm run docs` writes; paths are those in the checkout. */
export const generatedPages: readonly { readonly path: string; readonly generate: () => Promise<string> }[] = [
  { path: "charts/tenon/templates/_rights.tpl", generate: chartRights },
  { path: "charts/tenon/templates/kinds.yaml", generate: chartKinds },
  { path: "charts/tenon/templates/policies.yaml", generate: chartPolicies },
  { path: "charts/tenon/templates/environment-role.yaml", generate: chartEnvironmentRole },
  { path: "docs/reference/chart.md", generate: () => chartReference(checkout) },
  { path: "docs/reference/cli.md", generate: cliReference },
  { path: "docs/reference/configuration.md", generate: configurationReference },
  { path: "docs/contributing/conformance.md", generate: () => conformanceReference(checkout) },
  { path: "docs/reference/console-api.md", generate: consoleReference },
  { path: "docs/reference/kinds.md", generate: kindsReference },
  { path: "docs/reference/metrics.md", generate: metricsReference },
  { path: "docs/reference/seeds.md", generate: seedsReference },
  { path: "docs/reference/templates.md", generate: templatesReference },
  {
    path: "docs/how-to/write-a-controller.md",
    generate: () => withCode("docs/how-to/write-a-controller.md", "examples/controller/copy-config-maps.ts"),
  },
  {
    path: "docs/how-to/build-an-integration.md",
    generate: () => withCode("docs/how-to/build-an-integration.md", "examples/inventory/keep-namespace.ts"),
  },
];

/**
 * The page with the file as it is now in the code block below the comment that names it; rooms go by their names in the
 * package. The rest is written by hand.
 */
async function withCode(path: string, file: string): Promise<string> {
  const [text, source] = await Promise.all([path, file].map((each) => readFile(join(checkout, each), "utf8")));
  const mark = `<!-- ${file}, by \`npm run docs\` -->\n`;
  const [before, after = ""] = (text ?? "").split(mark);
  const rest = /^```ts\n[^]*?\n```\n([^]*)$/.exec(after)?.[1];
  if (rest === undefined) throw new Error(`${path} has no code block below ${mark.trim()}`);
  const published = (source ?? "").replaceAll(/ from "#(\w+)";/g, ' from "tenon/$1";');
  return `${before}${mark}\`\`\`ts\n${published}\`\`\`\n${rest}`;
}
