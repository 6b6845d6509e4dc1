import type { Secret } from "#base";

/** A repository on a forge. */
export interface ForgeRepository {
  /** Where the forge is, such as `https://gitea.example`; without a slash at its end. */
  readonly server: string;
  /** `owner/name`; GitLab also has groups in groups. */
  readonly name: string;
}

export interface PullRequest {
  readonly number: number;
  /** Its page, for people. */
  readonly url: string;
  readonly state: "open" | "closed" | "merged";
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  /** The commit at the head of its branch. */
  readonly head: string;
  /** The commit that it became on the base branch. */
  readonly mergeCommit?: string;
  /** In RFC 3339. */
  readonly mergedAt?: string;
  /** `unknown` also while the forge is still computing it. */
  readonly mergeability: "mergeable" | "conflicting" | "unknown";
}

/** An open pull request, of anyone. */
export interface OpenPullRequest extends PullRequestText {
  readonly number: number;
  readonly url: string;
  /** Also if the branch is in a fork. */
  readonly branches: PullRequestBranches;
}

/** How git signs in to the forge over https. */
export interface GitLogin {
  readonly username: string;
  readonly token: Secret;
}

export interface PullRequestBranches {
  readonly head: string;
  readonly base: string;
}

export interface PullRequestText {
  readonly title: string;
  readonly body: string;
}

/** A pull request to open. */
export interface NewPullRequest extends PullRequestText {
  readonly labels?: readonly string[];
}

export type MergeMethod = "merge" | "squash" | "rebase";

export type CommitState = "pending" | "running" | "success" | "warning" | "failure" | "error" | "canceled" | "skipped";

/** What a program says of a commit. */
export interface CommitStatus {
  /** Its name, of which a commit has one each. */
  readonly context: string;
  readonly state: CommitState;
  readonly description: string;
  readonly url?: string;
  /** What a check run of GitHub shows more than a status. */
  readonly check?: CheckDetails;
}

export interface CheckDetails {
  /** Instead of a word for the state. */
  readonly title: string;
  /** In Markdown. */
  readonly text: string;
  /** Ours, by which others find it again. */
  readonly id: string;
}

/** What Tenon needs of a forge. Each call is one thing that can be done again after a failure. */
export interface Forge {
  readonly kind: "github" | "gitlab" | "gitea";
  /** The newest pull request between these branches of the repository itself. */
  findPullRequest(branches: PullRequestBranches, signal: AbortSignal): Promise<PullRequest | undefined>;
  readPullRequest(number: number, signal: AbortSignal): Promise<PullRequest>;
  /**
   * If one is open already, it is returned and stays as it is. Labels that the answer does not have are for `addLabels`: GitHub
   * sets none here, and one that the token may not make does not keep the pull request from being opened.
   */
  openPullRequest(branches: PullRequestBranches, content: NewPullRequest, signal: AbortSignal): Promise<PullRequest>;
  updatePullRequest(number: number, text: PullRequestText, signal: AbortSignal): Promise<void>;
  closePullRequest(number: number, signal: AbortSignal): Promise<void>;
  addLabels(number: number, labels: readonly string[], signal: AbortSignal): Promise<void>;
  /** Keeps one comment of that marker: writes it, or changes it if its text differs. */
  keepComment(number: number, marker: string, text: string, signal: AbortSignal): Promise<void>;
  /**
   * Lets the forge merge when its own rules allow it, while the head is this commit. A forge that cannot says why. Gitea merges
   * the head that the branch has when the checks pass, so that a later push of someone else is merged too.
   */
  requestMerge(pullRequest: PullRequest, method: MergeMethod, signal: AbortSignal): Promise<MergeRequestOutcome>;
  /** Sends nothing if the newest status of that context is the same. */
  setCommitStatus(commit: string, status: CommitStatus, signal: AbortSignal): Promise<void>;
  /** All open pull requests of the repository; of a busy one, the newest thousand or two. */
  listOpen(signal: AbortSignal): Promise<OpenPullRequest[]>;
  gitLogin(signal: AbortSignal): Promise<GitLogin>;
}

export type MergeRequestOutcome =
  | { readonly kind: "requested" }
  /** The forge has not found out yet whether it can be merged: ask again soon. */
  | { readonly kind: "checking" }
  | { readonly kind: "refused"; readonly reason: string };

/** A comment's marker, which no reader sees. */
export function commentMarker(marker: string): string {
  return `<!-- ${marker.replaceAll("--", "")} -->`;
}
