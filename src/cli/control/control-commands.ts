import { Option } from "commander";
import { declareGetDeferred, declareGetPlugs, declareGetSockets, listCoupled } from "../couple/couple-commands.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { declareGetIntegrations, explainIntegrationOptions, completeIntegrations } from "../manage/manage-commands.ts";
import type { ExplainIntegrationChoice } from "../manage/print-integration-sources.ts";
import {
  declareGetApplications,
  declareGetComponents,
  declareGetEnvironments,
  declareGetPropagations,
  declareGetSnapshots,
  declareGetTests,
} from "../promote/promote-commands.ts";
import { declareGetClaims, listClaims } from "../promote/environment-commands.ts";
import type { ExplainClaimChoice } from "../promote/explain-claim.ts";
import { declareGetReleasePlans, declareGetReleases, listReleased } from "../promote/release-commands.ts";
import {
  clusterOptions,
  CompletedArgument,
  configOption,
  examples,
  formerNamespaceOption,
  integerOption,
  namesOption,
  outputOption,
  tenonNamespaceOption,
  type TypedOptions,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { ExplainPropagationChoice } from "../promote/explain-propagation.ts";
import type { ExplainReleaseChoice } from "../promote/explain-release.ts";
import { jobs } from "./jobs.ts";
import type { RunChoice } from "./run-jobs.ts";

/** `tenon run` */
export function runCommand(command: LazyCommand, shell: Shell): void {
  const list = jobs.map(({ name, summary }) => `${name} ${summary}`).join("; ");
  command
    .description(
      `Reconcile clusters until interrupted. Jobs: ${list}. Serves /healthz, /readyz and /metrics. With several replicas, one is the leader.`,
    )
    .addOption(
      namesOption(
        "--only <jobs>",
        "only these jobs, separated by commas; default: all",
        jobs.map(({ name }) => name),
      ),
    )
    .addOption(
      integerOption(
        "--port <number>",
        "port of health and metrics; 0 picks a free one; default: $PROMETHEUS_PORT or 9090",
        0,
        65_535,
      ),
    )
    .option("--console", "also serve the console of this cluster, on loopback unless tenon.yaml says otherwise", false)
    .addOption(tenonNamespaceOption("the Leases and the state of Tenon"))
    .addOption(formerNamespaceOption())
    .addOption(
      new Option("--log-format <format>", "text is for people; default: text on a terminal, else json").choices([
        "text",
        "json",
      ]),
    )
    // The default is explicit: commander looks for the positive option before this command is declared.
    .option("--no-leader-election", "lead at once; only for a single replica", true);
  configOption(command);
  clusterOptions(command, shell);
  for (const job of jobs) job.addOptions(command, shell);
  command.action(async (choice: RunChoice) => (await import("./run-jobs.ts")).runJobs(choice, shell));
  examples(command, [
    ["tenon run --only manage --data examples/data --context staging", "one context for all clusters of the data"],
    ["tenon run --only manage --once", "run once and exit; settings from tenon.yaml"],
    [
      "ENVIRONMENT_NAME=prod tenon run --only manage --data https://data.example.com/graphql",
      "in place of qontract-reconcile",
    ],
    ["tenon run --only couple --install-crds", "plugs and sockets, in place of integration-operator"],
    ["tenon run --only couple --console", "and the console beside it; prints a link that logs you in"],
    ["tenon run --only couple --namespaces shop,blog", "in two namespaces, beside an operator for the others"],
    ["tenon run --only promote --install-crds", "released images as pull requests"],
    ["tenon run --only promote --promote builds,tests --install-crds", "builds as Snapshots, and their tests"],
  ]);
}

/** `tenon get` */
export function getCommand(command: LazyCommand, shell: Shell): void {
  command.description("List what runs, what should run, and any problems.");
  examples(command, [
    ["tenon get integrations --data examples/data --context staging", "the integrations of the data"],
    ["tenon get plugs --all-namespaces", "the plugs of a cluster, and what they wait for"],
  ]);
  declareGetIntegrations(command.command("integrations"), shell);
  declareGetPlugs(command.command("plugs"), shell);
  declareGetSockets(command.command("sockets"), shell);
  declareGetPropagations(command.command("propagations"), shell);
  declareGetEnvironments(command.command("environments"), shell);
  declareGetDeferred(command.command("deferredresources"), shell);
  declareGetApplications(command.command("applications"), shell);
  declareGetComponents(command.command("components"), shell);
  declareGetSnapshots(command.command("snapshots"), shell);
  declareGetTests(command.command("tests"), shell);
  declareGetReleases(command.command("releases"), shell);
  declareGetReleasePlans(command.command("releaseplans"), shell);
  declareGetClaims(command.command("claims"), shell);
  // As kubectl: `get plug` and `get plugs`.
  for (const list of command.commands) list.alias(list.name().slice(0, -1));
}

interface ExplainedKind {
  /** The form of the name after the kind: `NAME`, or `NAMESPACE/NAME`. */
  readonly form: string;
  /** Adds the options of this kind to `tenon explain`. */
  addOptions?(command: LazyCommand, shell: Shell): void;
  /** `name` is everything after the first slash; `options` are all options of `tenon explain`. */
  explain(name: string, options: unknown, shell: Shell): Promise<void>;
  /** For completion. */
  list?(typed: TypedOptions, shell: Shell): Promise<readonly string[]>;
}

/** What `tenon explain` explains, by the singular before the slash. */
const explainedKinds: Readonly<Record<string, ExplainedKind>> = {
  integration: {
    form: "NAME",
    addOptions: explainIntegrationOptions,
    async explain(name, options: ExplainIntegrationChoice, shell) {
      await (await import("../manage/print-integration-sources.ts")).printIntegrationSources(name, options, shell);
    },
    list: (_, shell) => completeIntegrations(shell),
  },
  plug: {
    form: "NAMESPACE/NAME",
    async explain(name, options, shell) {
      await (await import("../couple/print-plug-sources.ts")).printPlugSources(name, options, shell);
    },
    list: (typed, shell) => listCoupled("plug", typed, shell),
  },
  snapshot: {
    form: "NAMESPACE/NAME",
    async explain(name, options, shell) {
      await (await import("../promote/print-snapshot.ts")).printSnapshot(name, options, shell);
    },
  },
  release: {
    form: "NAMESPACE/NAME",
    async explain(name, options: ExplainReleaseChoice, shell) {
      await (await import("../promote/explain-release.ts")).explainRelease(name, options, shell);
    },
    list: (typed, shell) => listReleased("release", typed, shell),
  },
  claim: {
    form: "NAMESPACE/NAME",
    async explain(name, options: ExplainClaimChoice, shell) {
      await (await import("../promote/explain-claim.ts")).explainClaim(name, options, shell);
    },
    list: (typed, shell) => listClaims(typed, shell),
  },
  propagation: {
    form: "NAMESPACE/NAME",
    async explain(name, options: ExplainPropagationChoice, shell) {
      await (await import("../promote/explain-propagation.ts")).explainPropagation(name, options, shell);
    },
  },
};

/** `tenon explain` */
export function explainCommand(command: LazyCommand, shell: Shell): void {
  const kinds = Object.entries(explainedKinds);
  const forms = kinds.map(([kind, { form }]) => `${kind}/${form}`);
  command
    .description(
      "Show for each value where it comes from and what it overrides; of a Propagation, how far its images have come, stage by stage; of a Release, the way from commit to pull request; of a claim, its environment and when it ends.",
    )
    .addArgument(
      new CompletedArgument("<object>", forms.join(", "), async (typed) => {
        const lists = kinds.map(async ([kind, explained]) => {
          // Without the data, there are still the plugs.
          const names = (await explained.list?.(typed, shell).catch(() => [])) ?? [];
          return names.map((name) => `${kind}/${name}`);
        });
        return (await Promise.all(lists)).flat();
      }),
    );
  outputOption(command);
  configOption(command);
  clusterOptions(command, shell);
  for (const [, kind] of kinds) kind.addOptions?.(command, shell);
  command.action(async (object: string, options: unknown) => {
    const [, kind = object, name = ""] = /^([^/]*)\/(.+)$/.exec(object) ?? [];
    const explained = Object.hasOwn(explainedKinds, kind) ? explainedKinds[kind] : undefined;
    if (!explained || name === "") command.error(`expected ${forms.join(" or ")}, got '${object}'`);
    else await explained.explain(name, options, shell);
  });
  examples(command, [
    ["tenon explain integration/price-feed --data examples/data", "every setting and parameter of an integration"],
    ["tenon explain integration/github-members --data examples/data --shard 1", "one of its shards"],
    ["tenon explain integration/price-feed --data examples/data -o json", "the same for programs"],
    ["tenon explain plug/shop/db", "every value that a plug and its socket exchange"],
    ["tenon explain snapshot/shop/shop-20260102-030405-678", "what it is made of, and how each test went"],
    ["tenon explain release/shop/shop-20260102-030405-678-1a2b3c4d", "from the commit to the pull requests"],
    ["tenon explain propagation/shop/shop", "what each stage gets, has merged and runs, and what it waits for"],
  ]);
}
