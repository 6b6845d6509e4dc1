import { Option } from "commander";
import type { LazyCommand } from "../lazy-command.ts";
import {
  type ClusterChoice,
  clusterOptions,
  CompletedArgument,
  CompletedOption,
  configOption,
  examples,
  formerNamespaceOption,
  integerOption,
  outputOption,
  repeated,
  schemasOption,
  tenonNamespaceOption,
  tokenFileOption,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { withLiveLine } from "../terminal/live-line.ts";
import type { ApplyChoice } from "./apply-integrations.ts";
import type { GetIntegrationsChoice } from "./get-integrations.ts";
import type { PlanChoice } from "./plan-integrations.ts";
import type { RenderObjectsChoice } from "./render-objects.ts";
import type { ValuesChoice } from "./print-values.ts";

/** For completion. */
export async function completeIntegrations(shell: Shell): Promise<readonly string[]> {
  return (await import("./integration-names.ts")).integrationNames(shell);
}

/** Shown before the rooms that do the work are loaded. */
const starting = "reading the data";

/** `tenon plan` */
export function planCommand(command: LazyCommand, shell: Shell): void {
  command.description(
    "Show what would change on the clusters to deploy the integrations of the data. Changes nothing. Exit code 0: no changes; 2: changes; 1: errors.",
  );
  outputOption(planningOptions(command, shell));
  limitOptions(command)
    .addOption(new CompletedOption("--out <file>", "write the plan to this file, for `tenon apply`", "files"))
    .addOption(
      new CompletedOption(
        "--compare <source>",
        "plan only the namespaces whose desired state differs from this data",
        "files",
      ),
    )
    .option("--exit-zero", "exit code 0 also when there are changes", false)
    .action(async (choice: PlanChoice) => {
      using live = withLiveLine(shell, starting);
      await (await import("./plan-integrations.ts")).planIntegrations(choice, live);
    });
  examples(command, [
    ["tenon plan --data examples/data --context staging", "one context for all clusters of the data"],
    [
      "tenon plan --data . --compare .#main --exit-zero -o markdown",
      "a pull-request comment about a change of the data",
    ],
    ["tenon plan --environment stage --out plan.json", "settings from tenon.yaml; review now, apply later"],
    ["tenon plan --integration price-feed --cluster-context prod-eu=eu", "only one integration"],
  ]);
}

/** `tenon apply` */
export function applyCommand(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Show what would change on the clusters, ask, and apply it. With a file, apply exactly that plan; objects that have changed since are left alone.",
    )
    .addArgument(new CompletedArgument("[file]", "a plan from `tenon plan --out`", "files"));
  outputOption(planningOptions(command, shell));
  limitOptions(command)
    .option("-y, --yes", "do not ask", false)
    .option("--dry-run", "print the API calls, without secrets, instead of making them", false)
    .addOption(healthyWithinOption())
    .action(async (file: string | undefined, choice: ApplyChoice) => {
      using live = withLiveLine(shell, starting);
      await (await import("./apply-integrations.ts")).applyIntegrations(file, choice, live);
    });
  examples(command, [
    ["tenon apply --data examples/data --context staging", "one context for all clusters of the data"],
    ["tenon apply plan.json --yes", "a reviewed plan; settings from tenon.yaml"],
    ["tenon apply --dry-run", "print every API call, make none"],
    ["tenon apply --take-over-from my-old-deployer", "adopt objects of another owner"],
    ["tenon apply --rollout canary=stage-1,soak=5m", "one cluster first, the others if it stays healthy"],
  ]);
}

/** `tenon values` */
export function valuesCommand(command: LazyCommand, shell: Shell): void {
  command.description(
    "Print the Helm values of the integrations: one document per namespace, or one values file for `helm template`.",
  );
  outputOption(dataOptions(configOption(command), shell), ["yaml", "json"])
    .option("-n, --namespace <name>", "print only the values file of this namespace")
    .action(async (choice: ValuesChoice) => (await import("./print-values.ts")).printValues(choice, shell));
  examples(command, [
    ["tenon values --data examples/data", "all namespaces"],
    [
      "tenon values --data examples/data -n platform-stage | tenon chart render charts/integrations -f -",
      "see what is rendered",
    ],
    ["tenon values --data examples/data --integration price-feed -o json", "one integration"],
  ]);
}

/** `tenon forget` */
export function forgetCommand(command: LazyCommand, shell: Shell): void {
  command.description("Forget what the manager keeps in mind. Changes nothing on clusters.");
  examples(command, [["tenon forget cluster stage-1", "a cluster that is gone for good"]]);
  const cluster = command
    .command("cluster")
    .description(
      "Take a cluster that is gone for good off the list of managed namespaces, so that no run tries to clean it up.",
    )
    .argument("<name>", "the cluster, as the data called it");
  clusterOptions(configOption(cluster), shell)
    .addOption(tenonNamespaceOption("the list of managed namespaces"))
    .addOption(formerNamespaceOption())
    .addOption(stateFileOption())
    .option("-y, --yes", "do not ask", false)
    .action(async (name: string, choice: ForgetChoice) =>
      (await import("./forget-cluster.ts")).forgetCluster(name, choice, shell),
    );
  examples(cluster, [
    ["tenon forget cluster stage-1", "shows its namespaces, and asks; settings from tenon.yaml"],
    ["tenon forget cluster stage-1 --state-file state.json --yes", "in a script"],
  ]);
}

export interface ForgetChoice extends ClusterChoice {
  readonly config?: string;
  readonly tenonNamespace?: string;
  readonly stateFile?: string;
  readonly yes: boolean;
}

function stateFileOption(): CompletedOption {
  return new CompletedOption(
    "--state-file <file>",
    "keep the list of managed namespaces in this file, and the history beside it, instead of in ConfigMaps",
    "files",
  );
}

/** `tenon render` */
export function renderCommand(command: LazyCommand, shell: Shell): void {
  command
    .description("Print the objects that an integration should have, from the data alone: no cluster is contacted.")
    .addArgument(
      new CompletedArgument("<integration>", "integration/NAME", async () =>
        (await completeIntegrations(shell)).map((name) => `integration/${name}`),
      ),
    );
  outputOption(renderingOptions(dataOptions(configOption(command), shell, false)), ["yaml", "json"])
    .addOption(namespaceOption())
    .option("--shard <shard>", "only the objects of this shard: its number, its key or its name")
    .action(async (object: string, choice: RenderObjectsChoice) =>
      (await import("./render-objects.ts")).renderObjects(object.replace(/^integration\//, ""), choice, shell),
    );
  examples(command, [
    ["tenon render integration/price-feed --data examples/data", "everything it has, on all clusters"],
    ["tenon render integration/github-members --data examples/data --shard 1", "one shard"],
    ["tenon render integration/price-feed -n platform-stage | kubectl diff -f -", "compare by other means"],
  ]);
}

/** `tenon get integrations` */
export function declareGetIntegrations(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "List integrations, those with problems first: ready and desired pods, shards, the image that runs, the age of the last change, and the problems.",
    )
    .addArgument(new CompletedArgument("[names...]", "only these", () => completeIntegrations(shell)));
  outputOption(planningOptions(command, shell));
  command.action(async (names: readonly string[], choice: GetIntegrationsChoice) => {
    using live = withLiveLine(shell, starting);
    await (await import("./get-integrations.ts")).getIntegrations(names, choice, live);
  });
  examples(command, [
    ["tenon get integrations", "all; settings from tenon.yaml"],
    ["tenon get integrations price-feed --data examples/data --context staging", "one of them"],
    ["tenon get integrations -o json", "with every shard and its problems"],
  ]);
}

/** Adds the options of `tenon explain integration/NAME`. */
export function explainIntegrationOptions(command: LazyCommand, shell: Shell): void {
  renderingOptions(dataOptions(command, shell))
    .addOption(namespaceOption())
    .option("--shard <name>", "only this shard of an integration: its name, what the name ends with, or its key");
}

/** Adds the options of `tenon run --only manage` that other jobs do not have. */
export function manageJobOptions(command: LazyCommand, shell: Shell): void {
  renderingOptions(dataOptions(command, shell));
  limitOptions(reachOptions(command))
    .option("--once", "manage: run once and exit; also $RUN_ONCE", false)
    .option("--interval <duration>", "how often to read the data; default: $SLEEP_DURATION_SECS or 10m")
    .option("--dry-run", "log what would change; also MANAGER_DRY_RUN=--dry-run", false)
    .addOption(healthyWithinOption());
}

function healthyWithinOption(): Option {
  return new Option(
    "--healthy-within <duration>",
    "how long an integration may take to become healthy that a move, a rollout or another one waits for; default 10m",
  );
}

/** All options of a command that plans: which data, which clusters, and how to render. */
export function planningOptions(command: LazyCommand, shell: Shell): LazyCommand {
  return clusterPlanningOptions(command, shell).addOption(namespaceOption());
}

/** Where the state is, for a command that only reads it. */
export function stateOptions(command: LazyCommand): LazyCommand {
  return command.addOption(tenonNamespaceOption("the history")).addOption(stateFileOption());
}

/** The same without `--namespace`. */
export function clusterPlanningOptions(command: LazyCommand, shell: Shell): LazyCommand {
  configOption(command);
  dataOptions(command, shell);
  renderingOptions(command);
  clusterOptions(command, shell);
  reachOptions(command);
  return command.addOption(tenonNamespaceOption("the list of managed namespaces and the history"));
}

function namespaceOption(): Option {
  return new Option("-n, --namespace <name>", "only integrations in namespaces of this name");
}

/** Which data, and which part of it. */
export interface DataChoice {
  readonly config?: string;
  readonly data?: string;
  readonly schemas?: string;
  readonly tokenFile?: string;
  readonly environment?: string;
  readonly upstream?: string;
  readonly namespace?: string;
  readonly integration: readonly string[];
  readonly cluster: readonly string[];
}

export function integrationOption(meaning: string, shell: Shell): Option {
  return new CompletedOption("--integration <name>", meaning, () => completeIntegrations(shell));
}

/** Without `--integration`, where an argument names it. */
function dataOptions(command: LazyCommand, shell: Shell, hasIntegration = true): LazyCommand {
  command
    .addOption(
      new CompletedOption("--data <source>", "directory, bundle file, REPOSITORY#REF or the URL of a server", "files"),
    )
    .addOption(schemasOption())
    .addOption(tokenFileOption("to send to a server"))
    .option("--environment <name>", "only this environment; default: $ENVIRONMENT_NAME, else all")
    .option(
      "--upstream <url>",
      "only integrations of this upstream; default: $INTEGRATIONS_MANAGER_UPSTREAM, else all",
    );
  if (hasIntegration) command.addOption(repeated(integrationOption("only this integration; repeatable", shell)));
  return command.addOption(repeated(new Option("--cluster <name>", "only this cluster of the data; repeatable")));
}

export interface RenderingChoice {
  readonly chart?: string;
  readonly image?: string;
  readonly imageTagFromRef: readonly string[];
}

function renderingOptions(command: LazyCommand): LazyCommand {
  return command
    .addOption(
      new CompletedOption("--chart <path>", "directory or .tgz of a Helm chart; default: Tenon's own", "files"),
    )
    .option("--image <name>", "image of the integrations; default: $INTEGRATIONS_MANAGER_IMAGE")
    .addOption(
      repeated(
        new Option(
          "--image-tag-from-ref <environment=ref>",
          "in this environment, use the image built from this branch or tag of the upstream",
        ),
      ),
    );
}

/** Where Tenon's own state is. */
export interface StateChoice extends ClusterChoice {
  readonly tenonNamespace?: string;
  readonly stateFile?: string;
}

/** How to connect to the clusters of the data. */
export interface ReachChoice extends StateChoice {
  readonly clusterContext: readonly string[];
  readonly internal?: true;
  readonly external?: true;
  readonly tokenStore?: string;
}

/** Adds to `--context` and `--kubeconfig`. */
function reachOptions(command: LazyCommand): LazyCommand {
  return command
    .addOption(
      repeated(new Option("--cluster-context <name=context>", "connect to this cluster of the data with this context")),
    )
    .addOption(new Option("--internal", "only internal clusters").conflicts("external"))
    .addOption(new Option("--external", "only clusters that are not internal").conflicts("internal"))
    .option(
      "--token-store <store>",
      "where the clusters' tokens are: file:DIRECTORY, environment, kubernetes:NAMESPACE, vault:URL (with $VAULT_TOKEN, or $VAULT_ROLE_ID and $VAULT_SECRET_ID)",
    )
    .addOption(stateFileOption());
}

/** What a plan may change. */
export interface LimitChoice {
  readonly takeOverFrom?: readonly string[];
  readonly managedKinds?: readonly string[];
  readonly maxDeletions?: number;
  readonly confirmDeletions?: boolean;
  readonly createNamespaces?: boolean;
  readonly rollout?: string;
}

export function limitOptions(command: LazyCommand): LazyCommand {
  return command
    .addOption(repeated(new Option("--take-over-from <owner>", "take over objects of this owner; repeatable")))
    .addOption(repeated(new Option("--managed-kinds <kind>", "manage only these kinds; repeatable")))
    .addOption(
      integerOption("--max-deletions <number>", "hold back more deletions than this; default 50", 0, 1_000_000),
    )
    .option("--confirm-deletions", "delete even if it looks like an accident", false)
    .option("--create-namespaces", "create namespaces of the data that do not exist", false)
    .option(
      "--rollout <canary=name,soak=duration>",
      "change this cluster first, and the others when it was healthy for so long",
    );
}
