import { Option } from "commander";
import type { LazyCommand } from "../lazy-command.ts";
import {
  clusterOptions,
  CompletedArgument,
  CompletedOption,
  examples,
  outputOption,
  repeated,
  type TypedOptions,
  type ValueSource,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { CheckApparatusChoice } from "./check-apparatus.ts";
import type { GraphChoice } from "./draw-graph.ts";
import type { GetCoupledChoice } from "./get-coupled.ts";
import type { CoupledKind } from "./coupled-names.ts";
import type { CouplingPlanChoice } from "./print-coupling-plan.ts";
import type { ReleaseChoice } from "./release-object.ts";
import type { RetryChoice } from "./retry-plugs.ts";

/** For completion. */
export async function listCoupled(kind: CoupledKind, typed: TypedOptions, shell: Shell): Promise<readonly string[]> {
  return (await import("./coupled-names.ts")).coupledNames(kind, typed, shell);
}

/** As `plug/NAMESPACE/NAME` and `socket/NAMESPACE/NAME`, for completion. */
async function listBoth(typed: TypedOptions, shell: Shell): Promise<readonly string[]> {
  const kinds = ["plug", "socket"] as const;
  const names = kinds.map(async (kind) => (await listCoupled(kind, typed, shell)).map((name) => `${kind}/${name}`));
  return (await Promise.all(names)).flat();
}

/** `tenon couple` */
export function coupleCommand(command: LazyCommand, shell: Shell): void {
  command.description(
    "Plan plugs and sockets, retry a plug, release one that is stuck in its deletion, or check an apparatus. `tenon run --only couple` couples them, `tenon get plugs` shows their state.",
  );
  examples(command, [
    ["tenon couple plan -f plug.yaml", "what applying this file would do"],
    ["tenon couple retry shop/db", "retry a plug now"],
    ["tenon couple release plug/shop/db", "release a plug that is stuck in its deletion"],
    ["tenon couple check-apparatus http://localhost:8080/socket", "check that my apparatus works with Tenon"],
  ]);
  declarePlan(command.command("plan"), shell);
  declareRetry(command.command("retry"), shell);
  declareRelease(command.command("release"), shell);
  declareCheckApparatus(command.command("check-apparatus"), shell);
}

function declarePlan(command: LazyCommand, shell: Shell): void {
  outputOption(clusterOptions(command, shell))
    .description(
      "Show what would happen if these plugs and sockets were applied: which socket admits which plug, where each value comes from, which objects would be created and deleted. Changes nothing, reads as the service accounts of both sides, and prints no secrets.",
    )
    .addOption(
      new CompletedOption("-f, --file <file>", "manifests; - for standard input", "files").makeOptionMandatory(),
    )
    .option("-n, --namespace <name>", "namespace of objects that have none; default: the context's")
    .option("--allow-cluster-scoped", "plan as if `tenon run` had --allow-cluster-scoped", false)
    .action(async (choice: CouplingPlanChoice) =>
      (await import("./print-coupling-plan.ts")).printCouplingPlan(choice, shell),
    );
  examples(command, [
    ["tenon couple plan -f plug.yaml", "together with what is in the cluster"],
    ["tenon couple plan -f examples/coupling/postgres.yaml", "plugs and sockets from one file"],
    ["tenon couple plan -f plug.yaml -o json", "for programs"],
  ]);
}

function declareRetry(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description("Retry plugs and sockets now, instead of at the end of their backoff.")
    .addArgument(
      new CompletedArgument(
        "<name...>",
        "a plug as NAMESPACE/NAME or NAME, or socket/NAMESPACE/NAME",
        async (typed) => [
          ...(await listCoupled("plug", typed, shell)),
          ...(await listCoupled("socket", typed, shell)).map((name) => `socket/${name}`),
        ],
      ),
    )
    .option("-n, --namespace <name>", "namespace of plugs given without one; default: the context's")
    .action(async (names: string[], choice: RetryChoice) =>
      (await import("./retry-plugs.ts")).retryPlugs(names, choice, shell),
    );
  examples(command, [
    ["tenon couple retry shop/db", "one plug"],
    ["tenon couple retry -n shop db mail", "two plugs of one namespace"],
    ["tenon couple retry socket/data/postgres", "a socket whose stage created failed"],
  ]);
}

function declareRelease(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Release a plug or socket that is stuck in its deletion: removes its finalizer, and objects it created may stay behind. Lists them, and asks first.",
    )
    .addArgument(
      new CompletedArgument("<object>", "plug/NAMESPACE/NAME or socket/NAMESPACE/NAME", (typed) =>
        listBoth(typed, shell),
      ),
    )
    .option("-n, --namespace <name>", "namespace, if the name has none; default: the context's")
    .option("-y, --yes", "do not ask", false)
    .action(async (name: string, choice: ReleaseChoice) =>
      (await import("./release-object.ts")).releaseObject(name, choice, shell),
    );
  examples(command, [
    ["tenon couple release plug/shop/db", "list what stays behind, and ask"],
    ["tenon couple release socket/data/postgres --yes", "a socket, in a script"],
  ]);
}

function declareCheckApparatus(command: LazyCommand, shell: Shell): void {
  outputOption(command)
    .description(
      "Check that an apparatus, in any language, does what Tenon expects: calls it as Tenon would, for a plug named tenon-check. The calls have real effects, so it asks first. Exits with 1 when a check fails.",
    )
    .argument("<url>", "its address, with the prefix of the side, such as http://localhost:8080/socket")
    .addOption(
      new Option(
        "--side <side>",
        "the side that the apparatus belongs to; default: from the end of the URL, else socket",
      ).choices(["plug", "socket"]),
    )
    .addOption(
      new CompletedOption(
        "--config <file>",
        "values for the calls: YAML with plugConfig, socketConfig, plugData, socketData, vars",
        "files",
      ),
    )
    .addOption(
      new CompletedOption(
        "--token-file <file>",
        "file with a token, for an apparatus that verifies its callers",
        "files",
      ),
    )
    .option("--timeout <duration>", "how long a response may take", "60s")
    .option("-y, --yes", "do not ask", false)
    .action(async (url: string, choice: CheckApparatusChoice) =>
      (await import("./check-apparatus.ts")).checkApparatus(url, choice, shell),
    );
  examples(command, [
    ["tenon couple check-apparatus http://localhost:8080/socket", "list the calls, and ask"],
    ["tenon couple check-apparatus http://localhost:8080/plug --config values.yaml --yes", "in a script"],
    ["tenon couple check-apparatus http://localhost:8080/socket --yes -o json", "for programs"],
  ]);
}

const graphFormats = ["tree", "dot", "mermaid", "json", "yaml"] as const;
export type GraphFormat = (typeof graphFormats)[number];

/** `tenon graph` */
export function graphCommand(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description("Show which plugs are coupled to which sockets, and what the others wait for.")
    .option("-n, --namespace <name>", "only this namespace, and what it is connected to")
    .addOption(new Option("-A, --all-namespaces", "the default").hideHelp().conflicts("namespace"))
    .option("--unhealthy", "only plugs that are not coupled, with the reason, and the sockets they name", false)
    .addOption(new Option("-o, --output <format>", "output format").choices(graphFormats).default(graphFormats[0]))
    .action(async (choice: GraphChoice) => (await import("./draw-graph.ts")).printGraph(choice, shell));
  examples(command, [
    ["tenon graph", "the whole cluster, as a tree"],
    ["tenon graph --unhealthy", "what is not coupled, and why"],
    ["tenon graph -n shop", "what the applications of one namespace depend on"],
    ["tenon graph -o dot | dot -Tsvg", "a picture, by Graphviz"],
    ["tenon graph -o mermaid", "for a page on GitHub or GitLab"],
  ]);
}

/** `tenon get plugs` */
export function declareGetPlugs(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)), (typed) => listCoupled("plug", typed, shell))
    .description("List plugs: state, since when, what each waits for and what to do about it.")
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-coupled.ts")).getPlugs(name, choice, shell),
    );
  examples(command, [
    ["tenon get plugs -A", "of all namespaces"],
    ["tenon get plugs shop/db -o json", "one, for programs"],
  ]);
}

/** `tenon get sockets` */
export function declareGetSockets(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)), (typed) => listCoupled("socket", typed, shell))
    .description("List sockets: number of plugs, limit, state, and problems.")
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-coupled.ts")).getSockets(name, choice, shell),
    );
  examples(command, [
    ["tenon get sockets -A", "of all namespaces"],
    ["tenon get sockets data/postgres", "one"],
  ]);
}

/** `tenon get deferredresources` */
export function declareGetDeferred(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)))
    .description("List DeferredResources: what each creates, and what it waits for.")
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-deferred.ts")).getDeferredResources(name, choice, shell),
    );
  examples(command, [
    ["tenon get deferredresources -A", "of all namespaces"],
    ["tenon get deferredresources shop/migrate -o json", "one, for programs"],
  ]);
}

export function namespaceOptions(command: LazyCommand, names: ValueSource = async () => []): LazyCommand {
  return command
    .addArgument(new CompletedArgument("[name]", "only this one: NAMESPACE/NAME, or NAME in the namespace", names))
    .option("-n, --namespace <name>", "namespace; default: the context's")
    .option("-A, --all-namespaces", "all namespaces", false);
}

/** Adds the options of `tenon run --only couple` that other jobs do not have. */
export function couplingJobOptions(command: LazyCommand): void {
  command
    .option("--install-crds", "couple, promote: install or upgrade the CRDs of these jobs on start", false)
    .option(
      "--namespaces <names>",
      "couple: only in these namespaces, separated by commas; default: $WATCH_NAMESPACE, else all",
    )
    .addOption(
      new Option(
        "--namespace-selector <labels>",
        "couple: only in namespaces with these labels, such as team=shop, also in those that get them later",
      ).conflicts("namespaces"),
    )
    .option(
      "--lease <name>",
      "couple: Lease of the leader election; operators that share --tenon-namespace need different ones; default: that of integration-operator",
    )
    .option("--allow-cluster-scoped", "couple: plugs and sockets may create cluster-scoped objects", false)
    .addOption(
      repeated(
        new Option(
          "--apparatus-endpoint-allow <host>",
          "couple: allow an apparatus at this HOST, HOST:PORT or *.DOMAIN, besides Services in its own namespace; repeatable",
        ),
      ),
    )
    .option(
      "--apparatus-token-account <name>",
      "couple: send apparatuses tokens of this service account, NAMESPACE/NAME; default: Tenon's own in a cluster, else none",
    )
    .option("--cluster-domain <domain>", "couple: DNS domain of the cluster", "cluster.local")
    .option("--dev", "couple: call every apparatus at $DEBUG_PLUG_ENDPOINT or $DEBUG_SOCKET_ENDPOINT, if set", false);
}
