/** The digests that a proposal sets, by `repository:tag`. */
export type ProposedDigests = Readonly<Record<string, string>>;

/** The newest pull request from our branch into the base branch. */
export interface ObservedPullRequest {
  readonly number: number;
  readonly state: "open" | "closed" | "merged";
  /** What it proposes, by the marker in its text; undefined if someone removed the marker. */
  readonly digests: ProposedDigests | undefined;
  /** The forge reports that it cannot be merged as it is. */
  readonly isConflicting: boolean;
}

/** What Tenon remembers of its branch, in the status of the Propagation. Written before each push, so that a kill loses nothing. */
export interface ProposalMemory {
  /** The heads that Tenon has given the branch, or was about to, oldest first. */
  readonly heads: readonly string[];
  /** What the last of them proposes, and the base commit it was made on. */
  readonly digests: ProposedDigests | undefined;
  readonly base: string | undefined;
  /** Proposals that were closed without a merge. */
  readonly declined: readonly ProposedDigests[];
  /** The head whose pull request has its text, its labels and, if asked for, its automatic merge. */
  readonly finished: string | undefined;
  /** The pull request that Tenon closed itself, which declines nothing. */
  readonly closed: number | undefined;
}

export interface ProposalObservation {
  readonly baseHead: string;
  /** What the references on the base branch should say and do not; empty if nothing differs. */
  readonly wanted: ProposedDigests;
  readonly branchHead: string | undefined;
  readonly pullRequest: ObservedPullRequest | undefined;
  readonly memory: ProposalMemory;
  /** Follow each new commit of the base branch, and not only when the forge reports a conflict. */
  readonly rebasesAlways: boolean;
}

/** What to do next for one proposal. */
export type ProposalStep =
  /** Nothing, until something changes. */
  | { readonly kind: "none"; readonly state: "UpToDate" | "Proposed" | "Declined" }
  /** A person has taken over the branch: say so once in the pull request, and leave both alone. */
  | { readonly kind: "manual"; readonly pullRequest: number | undefined }
  /** One commit on the base, pushed while the branch is at `expectedHead`; then the pull request is opened or updated. */
  | { readonly kind: "propose"; readonly expectedHead: string | undefined; readonly update: number | undefined }
  /** The base branch has it already. */
  | { readonly kind: "close"; readonly pullRequest: number }
  | { readonly kind: "deleteBranch"; readonly expectedHead: string };

/** Decides what a proposal needs, from what the repository and the forge say now. */
export function decideProposal(observation: ProposalObservation): ProposalStep {
  const { wanted, branchHead, pullRequest, memory } = observation;
  const open = pullRequest?.state === "open" ? pullRequest.number : undefined;
  const isOurs = branchHead !== undefined && memory.heads.includes(branchHead);
  if (Object.keys(wanted).length === 0) {
    if (open !== undefined && branchHead !== undefined && !isOurs) return { kind: "manual", pullRequest: open };
    if (open !== undefined) return { kind: "close", pullRequest: open };
    return isOurs ? { kind: "deleteBranch", expectedHead: branchHead } : { kind: "none", state: "UpToDate" };
  }
  if (open === undefined && isDeclined(observation)) return { kind: "none", state: "Declined" };
  if (branchHead !== undefined && !isOurs) return { kind: "manual", pullRequest: open };
  if (open !== undefined && isCurrent(observation)) return { kind: "none", state: "Proposed" };
  return { kind: "propose", expectedHead: branchHead, update: open };
}

/** Whether the branch carries the wanted digests on a base that can still be merged into. */
function isCurrent({ wanted, branchHead, baseHead, pullRequest, memory, rebasesAlways }: ProposalObservation): boolean {
  if (branchHead === undefined || branchHead !== memory.heads.at(-1) || branchHead !== memory.finished) return false;
  if (!areSameDigests(memory.digests, wanted)) return false;
  return memory.base === baseHead || !(rebasesAlways || pullRequest?.isConflicting === true);
}

/** A closed pull request counts also if Tenon was killed before it could write that down. */
function isDeclined({ wanted, pullRequest, memory }: ProposalObservation): boolean {
  if (memory.declined.some((digests) => areSameDigests(digests, wanted))) return true;
  if (pullRequest?.state !== "closed" || pullRequest.number === memory.closed) return false;
  return areSameDigests(pullRequest.digests ?? memory.digests, wanted);
}

export function areSameDigests(a: ProposedDigests | undefined, b: ProposedDigests): boolean {
  if (a === undefined || Object.keys(a).length !== Object.keys(b).length) return false;
  return Object.entries(b).every(([image, digest]) => a[image] === digest);
}
