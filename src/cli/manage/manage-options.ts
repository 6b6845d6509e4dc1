import { Option } from "commander";
import type { ClusterChoice } from "../cluster-options.ts";
import { CompletedOption } from "../completed-option.ts";
import { tokenFileOption } from "../data-query.ts";
import { schemasOption } from "../data-validate.ts";
import { integerOption } from "../integer-option.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { repeated } from "../repeated-option.ts";

/** Which data, and which part of it. */
export interface DataChoice {
  readonly config?: string;
  readonly data?: string;
  readonly schemas?: string;
  readonly tokenFile?: string;
  readonly environment?: string;
  readonly upstream?: string;
  readonly integration: readonly string[];
  readonly cluster: readonly string[];
}

export interface RenderingChoice {
  readonly chart?: string;
  readonly image?: string;
  readonly imageTagFromRef: readonly string[];
}

/** How the clusters of the data are reached. */
export interface ReachChoice extends ClusterChoice {
  readonly clusterContext: readonly string[];
  readonly internal?: true;
  readonly external?: true;
  readonly tokenStore?: string;
  readonly namespace?: string;
  readonly stateFile?: string;
}

/** What may be changed. */
export interface LimitChoice {
  readonly takeOverFrom?: readonly string[];
  readonly managedKinds?: readonly string[];
  readonly maxDeletions?: number;
  readonly confirmDeletions?: boolean;
}

export function dataOptions(command: LazyCommand): LazyCommand {
  return command
    .addOption(
      new CompletedOption("--data <source>", "directory, bundle file, REPOSITORY#REF or the URL of a server", "files"),
    )
    .addOption(schemasOption())
    .addOption(tokenFileOption("sent to a server"))
    .option("--environment <name>", "only what runs in this environment; default: $ENVIRONMENT_NAME, else all")
    .option("--upstream <url>", "only integrations of this upstream; default: $INTEGRATIONS_MANAGER_UPSTREAM, else all")
    .addOption(repeated(new Option("--integration <name>", "only this integration; may be repeated")))
    .addOption(repeated(new Option("--cluster <name>", "only on this cluster of the data; may be repeated")));
}

export function renderingOptions(command: LazyCommand): LazyCommand {
  return command
    .addOption(
      new CompletedOption("--chart <path>", "folder or .tgz of a Helm chart; default: the one of Tenon", "files"),
    )
    .option("--image <name>", "image of the integrations; default: $INTEGRATIONS_MANAGER_IMAGE")
    .addOption(
      repeated(
        new Option(
          "--image-tag-from-ref <environment=ref>",
          "in this environment, the image of this branch or tag of the upstream",
        ),
      ),
    );
}

/** Beside `--context` and `--kubeconfig`. */
export function reachOptions(command: LazyCommand): LazyCommand {
  return command
    .addOption(
      repeated(new Option("--cluster-context <name=context>", "reach this cluster of the data by this context")),
    )
    .addOption(new Option("--internal", "only clusters that are internal").conflicts("external"))
    .addOption(new Option("--external", "only clusters that are not internal").conflicts("internal"))
    .option(
      "--token-store <store>",
      "where tokens of clusters are: file:DIRECTORY, environment, kubernetes:NAMESPACE, vault:URL (with $VAULT_TOKEN, or $VAULT_ROLE_ID and $VAULT_SECRET_ID)",
    )
    .addOption(
      new CompletedOption("--state-file <file>", "remember managed namespaces here, and not in a ConfigMap", "files"),
    );
}

export function limitOptions(command: LazyCommand): LazyCommand {
  return command
    .addOption(repeated(new Option("--take-over-from <owner>", "take objects over from this owner; may be repeated")))
    .addOption(repeated(new Option("--managed-kinds <kind>", "look after these kinds and no others; may be repeated")))
    .addOption(
      integerOption("--max-deletions <number>", "hold back more deletions than this; default 50", 0, 1_000_000),
    )
    .option("--confirm-deletions", "the deletions are meant, however they look", false);
}
