import { Option } from "commander";
import { CompletedOption } from "./completed-option.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import { outputOption } from "./output-option.ts";
import { repeated } from "./repeated-option.ts";
import type { Shell } from "./shell.ts";

/** What `tenon chart render` was told. */
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

/** `tenon chart render` */
export function declareRender(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Print what a chart renders, byte for byte as `helm template` does. Needs no cluster, and never talks to one.",
    )
    .argument("<chart>", "the folder of a chart, or a .tgz")
    .option("--name <release>", "name of the release", "release-name")
    .option("-n, --namespace <name>", "namespace of the release", "default")
    .addOption(
      repeated(new CompletedOption("-f, --values <file>", "values from a YAML file, or - for standard input", "files")),
    )
    .addOption(repeated(new Option("--set <a.b=c>", "a value; numbers, true, false and null are what they look like")))
    .addOption(repeated(new Option("--set-string <a.b=c>", "a value that is always text")))
    .addOption(repeated(new Option("--set-json <a.b=json>", "a value in JSON")))
    .addOption(repeated(new CompletedOption("--set-file <a.b=path>", "a value that is the text of a file", "files")))
    .addOption(repeated(new Option("--set-literal <a.b=text>", "a value that is all that follows, commas included")))
    .addOption(
      repeated(
        new Option("--param <NAME=value>", "fill in a parameter of the OpenShift templates that the chart renders"),
      ),
    )
    .option("--kube-version <version>", "version of Kubernetes that the chart is to see")
    .addOption(
      repeated(new Option("-a, --api-versions <versions>", "API versions beside the usual ones, with commas between")),
    )
    .addOption(repeated(new Option("-s, --show-only <template>", "print only what these templates render")))
    .option("--include-crds", "print the chart's crds/ too", false)
    .option("--no-hooks", "leave out hooks")
    .option("--skip-tests", "leave out hooks that are tests", false)
    .option("--skip-schema-validation", "do not check the values against the chart's schema", false)
    .option("--is-upgrade", "render as for an upgrade, not an installation", false)
    .addOption(new Option("--renderer <which>", "who renders").choices(["tenon", "helm"]).default("tenon"));
  outputOption(command, ["yaml", "json"]);
  command.action(async (chart: string, choice: RenderChoice) =>
    (await import("./chart-render-run.ts")).printChart(chart, choice, shell),
  );
  examples(command, [
    ["tenon chart render ./my-chart", "with the chart's own values"],
    ["tenon chart render my-chart-1.2.0.tgz -f prod.yaml --set replicas=3", "a packed chart, with others"],
    ["tenon chart render ./my-chart -s templates/deployment.yaml", "only one of its templates"],
    ["tenon chart render ./my-chart --param IMAGE_TAG=abc123 -o json", "process the OpenShift templates in it"],
    ["tenon chart render ./my-chart --renderer helm", "by the helm that is installed, to compare"],
  ]);
}
