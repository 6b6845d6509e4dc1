import { InvalidArgumentError, Option } from "commander";
import { clusterOptions } from "../cluster-options.ts";
import { examples } from "../examples.ts";
import { integerOption } from "../integer-option.ts";
import type { LazyCommand } from "../lazy-command.ts";
import type { Shell } from "../shell.ts";
import { configOption } from "./config-option.ts";
import { jobs } from "./jobs.ts";
import type { RunChoice } from "./run-jobs.ts";

/** `tenon run` */
export function declare(command: LazyCommand, shell: Shell): void {
  const list = jobs.map(({ name, summary }) => `${name} ${summary}`).join("; ");
  command
    .description(
      `Keep clusters as they should be until interrupted. Jobs: ${list}. Serves /healthz, /readyz and /metrics; of several replicas one leads.`,
    )
    .addOption(new Option("--only <jobs>", "these jobs, with commas between; default: all of them").argParser(readJobs))
    .addOption(
      integerOption(
        "--port <number>",
        "port of health and metrics; 0 picks a free one; default: $PROMETHEUS_PORT or 9090",
        0,
        65_535,
      ),
    )
    .option(
      "-n, --namespace <name>",
      "namespace of Tenon's own Leases and memory; default: $POD_NAMESPACE, else the context's",
    )
    // Spelled out: commander looks for such options before this command is declared.
    .option("--no-leader-election", "lead at once, for when there is only one", true);
  configOption(command);
  clusterOptions(command, shell);
  for (const job of jobs) job.declare(command, shell);
  command.action(async (choice: RunChoice) => (await import("./run-jobs.ts")).runJobs(choice, shell));
  examples(command, [
    ["tenon run --only manage --data examples/data --context staging", "all clusters of the data are one"],
    ["tenon run --only manage --once", "one run, then end; settings from tenon.yaml"],
    [
      "ENVIRONMENT_NAME=prod tenon run --only manage --data https://data.example.com/graphql",
      "in place of qontract-reconcile",
    ],
    ["tenon run --only couple --install-crds", "plugs and sockets, in place of integration-operator"],
  ]);
}

function readJobs(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !jobs.some((job) => job.name === name));
  if (unknown.length === 0) return names;
  throw new InvalidArgumentError(`Choose from ${jobs.map(({ name }) => name).join(", ")}.`);
}
