import { createHash } from "node:crypto";
import { pacNames, pacPrefix } from "../kinds/promotion-names.ts";
import { type BuildRun, pacFact } from "./build-run.ts";

type Event = Pick<BuildRun, "labels" | "annotations">;

const branchPrefix = "refs/heads/";
/** GitHub's merge queue pushes to `gh-readonly-queue/main/pr-12-<sha>`, a branch that is thrown away. */
const mergeQueue = "gh-readonly-queue/";

/** Whether the build is of a commit on a branch, and not of a pull request. A build that nothing says of is of a commit. */
export function isPushEvent(event: Event): boolean {
  if (sourceBranch(event).startsWith(mergeQueue)) return false;
  const type = event.labels[`${pacPrefix}${pacNames.eventType}`];
  return pullRequestLabel(event) === undefined || type === "push" || type === "Push";
}

/** The number of the pull request, if the build is of one, or of its merge. */
export function pullRequestOf(event: Event): string | undefined {
  const branch = sourceBranch(event);
  return pullRequestLabel(event) ?? (branch.startsWith(mergeQueue) ? /\/pr-(\d+)-/.exec(branch)?.[1] : undefined);
}

export interface PullRequestGroup {
  readonly name: string;
  /** For a label. */
  readonly hash: string;
}

/**
 * Pull requests of one branch name in several repositories belong together. The default branches of forks do not, so those
 * have the name of the fork's organization too.
 */
export function pullRequestGroup(event: Event): PullRequestGroup | undefined {
  if (isPushEvent(event)) return undefined;
  const [branch = ""] = (pacFact(event, pacNames.sourceBranch) ?? "").split("@");
  if (branch === "") return undefined;
  const organization = pacFact(event, pacNames.organization);
  const isDefault = branch === "main" || branch === "master";
  const name = isDefault && organization !== undefined ? `${branch}-${organization}` : branch;
  return { name, hash: createHash("sha256").update(name).digest("hex").slice(0, 62) };
}

function pullRequestLabel({ labels }: Event): string | undefined {
  return labels[`${pacPrefix}${pacNames.pullRequest}`];
}

function sourceBranch(event: Event): string {
  const branch = pacFact(event, pacNames.sourceBranch) ?? "";
  return branch.startsWith(branchPrefix) ? branch.slice(branchPrefix.length) : branch;
}
