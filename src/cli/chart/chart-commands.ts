import { Option } from "commander";
import type { LazyCommand } from "../lazy-command.ts";
import { CompletedOption, examples, outputOption, repeated } from "../shared-options.ts";
import type { Shell } from "../shell.ts";

/** The options of `tenon chart render`. */
export interface RenderChoice {
  readonly name: string;
  readonly namespace: string;
  readonly values: readonly string[];
  readonly set: readonly string[];
  readonly setString: readonly string[];
  readonly setJson: readonly string[];
  readonly setFile: readonly string[];
  readonly setLiteral: readonly string[];
  readonly param: readonly string[];
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  readonly showOnly: readonly string[];
  readonly includeCrds: boolean;
  readonly hooks: boolean;
  readonly skipTests: boolean;
  readonly skipSchemaValidation: boolean;
  readonly isUpgrade: boolean;
  readonly renderer: "tenon" | "helm";
  readonly output: "yaml" | "json";
}

/** `tenon chart` */
export function chartCommand(command: LazyCommand, shell: Shell): void {
  command.description("Render Helm charts without Helm: the same output, in a fraction of the time.");
  examples(command, [["tenon chart render ./my-chart -f prod.yaml", "render a chart with these values"]]);
  declareRender(command.command("render"), shell);
}

function declareRender(command: LazyCommand, shell: Shell): void {
  command
    .description("Render a chart, byte for byte like `helm template`. Needs no cluster and never connects to one.")
    .argument("<chart>", "chart directory or .tgz")
    .option("--name <release>", "release name", "release-name")
    .option("-n, --namespace <name>", "release namespace", "default")
    .addOption(repeated(new CompletedOption("-f, --values <file>", "values file; - for standard input", "files")))
    .addOption(repeated(new Option("--set <a.b=c>", "set a value; numbers, true, false and null get their type")))
    .addOption(repeated(new Option("--set-string <a.b=c>", "set a string")))
    .addOption(repeated(new Option("--set-json <a.b=json>", "set a JSON value")))
    .addOption(repeated(new CompletedOption("--set-file <a.b=path>", "set a value to the content of a file", "files")))
    .addOption(repeated(new Option("--set-literal <a.b=text>", "set a string that may contain commas")))
    .addOption(
      repeated(new Option("--param <NAME=value>", "set a parameter of the OpenShift templates that the chart renders")),
    )
    .option("--kube-version <version>", "Kubernetes version for Capabilities.KubeVersion")
    .addOption(
      repeated(new Option("-a, --api-versions <versions>", "additional Capabilities.APIVersions, separated by commas")),
    )
    .addOption(repeated(new Option("-s, --show-only <template>", "print only the output of this template")))
    .option("--include-crds", "also print the chart's crds/", false)
    .option("--no-hooks", "leave out hooks")
    .option("--skip-tests", "leave out test hooks", false)
    .option("--skip-schema-validation", "do not validate the values against the chart's schema", false)
    .option("--is-upgrade", "set .Release.IsUpgrade instead of .Release.IsInstall", false)
    .addOption(new Option("--renderer <name>", "renderer to use").choices(["tenon", "helm"]).default("tenon"));
  outputOption(command, ["yaml", "json"]);
  command.action(async (chart: string, choice: RenderChoice) =>
    (await import("./print-chart.ts")).printChart(chart, choice, shell),
  );
  examples(command, [
    ["tenon chart render ./my-chart", "with the chart's own values"],
    ["tenon chart render my-chart-1.2.0.tgz -f prod.yaml --set replicas=3", "a packed chart with other values"],
    ["tenon chart render ./my-chart -s templates/deployment.yaml", "only one template"],
    ["tenon chart render ./my-chart --param IMAGE_TAG=abc123 -o json", "process its OpenShift templates"],
    ["tenon chart render ./my-chart --renderer helm", "with the installed helm, to compare"],
  ]);
}
