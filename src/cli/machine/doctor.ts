import { Option } from "commander";
import {
  clusterOptions,
  examples,
  formerNamespaceOption,
  namesOption,
  outputOption,
  repeated,
  tenonNamespaceOption,
} from "../shared-options.ts";
import { promotePartsOption } from "../promote/promote-commands.ts";
import type { RightsChoice } from "./print-rights.ts";
import type { LazyCommand } from "../lazy-command.ts";
import type { Shell } from "../shell.ts";

interface DoctorChoice extends RightsChoice {
  readonly rbac: boolean;
  readonly promotion: boolean;
}

/** `tenon doctor` */
export function doctorCommand(command: LazyCommand, shell: Shell): void {
  command
    .description(
      "Check this machine and say how to fix what is missing; with --rbac, check Tenon's rights on a cluster; with --promotion, what would make releases fail. Changes nothing. Exits with 1 when a check fails.",
    )
    .option("--rbac", "compare the rights that the jobs need with those that the cluster grants", false)
    .addOption(
      new Option("--promotion", "judge the ReleasePlans of a cluster, with your rights, before they release")
        .default(false)
        .conflicts("rbac"),
    )
    .addOption(
      namesOption(
        "--only <jobs>",
        "rbac: only these jobs, separated by commas, or dra-driver; default: couple,manage,promote",
        ["couple", "manage", "promote", "dra-driver"],
      ),
    )
    .addOption(promotePartsOption("rbac: the rights of these parts of promote, separated by commas"))
    .option("--as <user>", "rbac: the rights of this user, such as system:serviceaccount:tenon:tenon; default: yours")
    .addOption(tenonNamespaceOption("the Leases and the state of Tenon, for --rbac"))
    .addOption(formerNamespaceOption())
    .addOption(repeated(new Option("--managed-namespace <name>", "rbac: a namespace with integrations; repeatable")))
    .option("--namespaces <names>", "rbac: as given to `tenon run --only couple`; promotion: only plans of these")
    .option("--lease <name>", "rbac: as given to `tenon run --only couple`");
  clusterOptions(command, shell);
  outputOption(command);
  command.action(async (choice: DoctorChoice) => {
    if (choice.promotion) await (await import("./print-promotion-checks.ts")).printPromotionChecks(choice, shell);
    else if (choice.rbac) await (await import("./print-rights.ts")).printRights(choice, shell);
    else await (await import("./print-machine-checks.ts")).printMachineChecks(choice.output, shell);
  });
  examples(command, [
    ["tenon doctor", "before the first start, or after a failure"],
    ["tenon doctor -o markdown", "for a bug report"],
    [
      "tenon doctor --rbac --only couple --tenon-namespace tenon --as system:serviceaccount:tenon:tenon",
      "check that an installation has the rights it needs, and no others",
    ],
    ["tenon doctor --promotion --namespaces shop", "what would make releases of a namespace fail"],
  ]);
}
