import { InvalidArgumentError, Option } from "commander";
import { clusterOptions } from "./cluster-options.ts";
import type { RightsChoice } from "./doctor/examine-rights.ts";
import { examples } from "./examples.ts";
import type { LazyCommand } from "./lazy-command.ts";
import { outputOption } from "./output-option.ts";
import { repeated } from "./repeated-option.ts";
import type { Shell } from "./shell.ts";

const jobs = ["couple", "manage"];

interface DoctorChoice extends RightsChoice {
  readonly rbac: boolean;
}

/** `tenon doctor` */
export function declare(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Check what this machine lacks and say how to get it; with --rbac, check what a cluster lets Tenon do. Changes nothing. Exits with 1 when a check fails.",
    )
    .option("--rbac", "compare the rights that jobs need with those that a cluster grants", false)
    .addOption(
      new Option("--only <jobs>", "rbac: these jobs, with commas between; default: all of them").argParser(readJobs),
    )
    .option("--as <user>", "rbac: the rights of this user, like system:serviceaccount:tenon:tenon; default: yours")
    .option("-n, --namespace <name>", "rbac: Tenon's own namespace; default: $POD_NAMESPACE, else the context's")
    .addOption(
      repeated(new Option("--managed-namespace <name>", "rbac: a namespace that integrations run in; repeatable")),
    );
  clusterOptions(command, shell);
  outputOption(command);
  command.action(async (choice: DoctorChoice) => {
    if (choice.rbac) await (await import("./doctor/examine-rights.ts")).examineRights(choice, shell);
    else await (await import("./examine-machine.ts")).examineMachine(choice.output, shell);
  });
  examples(command, [
    ["tenon doctor", "before the first start, or when something does not work"],
    ["tenon doctor -o markdown", "for a bug report"],
    [
      "tenon doctor --rbac --only couple -n tenon --as system:serviceaccount:tenon:tenon",
      "whether an installation has the rights it needs, and no others",
    ],
  ]);
}

function readJobs(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => jobs.includes(name))) return names;
  throw new InvalidArgumentError(`Choose from ${jobs.join(", ")}.`);
}
