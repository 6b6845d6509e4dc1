import { namespaceOptions } from "../couple/couple-commands.ts";
import type { GetCoupledChoice } from "../couple/get-coupled.ts";
import type { LazyCommand } from "../lazy-command.ts";
import {
  clusterOptions,
  CompletedArgument,
  CompletedOption,
  examples,
  outputOption,
  type TypedOptions,
} from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { PromoteReleaseChoice } from "./promote-release.ts";
import type { ReleasedKind } from "./released-names.ts";

/** For completion. */
export async function listReleased(kind: ReleasedKind, typed: TypedOptions, shell: Shell): Promise<readonly string[]> {
  return (await import("./released-names.ts")).releasedNames(kind, typed, shell);
}

/** `tenon get releases` */
export function declareGetReleases(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)), (typed) => listReleased("release", typed, shell))
    .description("List Releases: plan, state, and what to do. What failed comes first, then the newest.")
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-releases.ts")).getReleases(name, choice, shell),
    );
  examples(command, [
    ["tenon get releases -A", "of all namespaces"],
    ["tenon get releases -n shop -o json", "for programs"],
  ]);
}

/** `tenon get releaseplans` */
export function declareGetReleasePlans(command: LazyCommand, shell: Shell): void {
  namespaceOptions(outputOption(clusterOptions(command, shell)), (typed) => listReleased("plan", typed, shell))
    .description(
      "List ReleasePlans: whether each releases by itself, its last Release, and what would make the next one fail. Those with a problem come first.",
    )
    .action(async (name: string | undefined, choice: GetCoupledChoice) =>
      (await import("./get-release-plans.ts")).getReleasePlans(name, choice, shell),
    );
  examples(command, [
    ["tenon get releaseplans -A", "of all namespaces"],
    ["tenon get releaseplans shop/shop-released -o json", "one, for programs"],
  ]);
}

/** `tenon promote release` */
export function declarePromoteRelease(command: LazyCommand, shell: Shell): void {
  clusterOptions(command, shell)
    .description(
      "Release a Snapshot by a plan, whether its tests passed or not. Shows the images, how the tests went and what would make the Release fail; then asks, and creates it with your rights: you answer for it.",
    )
    .addArgument(
      new CompletedArgument("<snapshot>", "NAMESPACE/NAME, or NAME in the namespace of the context", (typed) =>
        listReleased("snapshot", typed, shell),
      ),
    )
    .addOption(
      new CompletedOption("--plan <name>", "a ReleasePlan of the same namespace", async (typed) =>
        (await listReleased("plan", typed, shell)).map((key) => key.replace(/^.*\//, "")),
      ).makeOptionMandatory(),
    )
    .option("-n, --namespace <name>", "namespace of a Snapshot given without one; default: the context's")
    .option("--dry-run", "only show it", false)
    .option("-y, --yes", "do not ask", false)
    .action(async (snapshot: string, choice: PromoteReleaseChoice) =>
      (await import("./promote-release.ts")).promoteRelease(snapshot, choice, shell),
    );
  examples(command, [
    ["tenon promote release shop/shop-20260102-030405-678 --plan shop-released", "show it, and ask"],
    ["tenon promote release shop/shop-20260102-030405-678 --plan shop-released --dry-run", "would it work?"],
  ]);
}
