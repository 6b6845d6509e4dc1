import { parseDuration } from "#base";
import type { PullRequest } from "#forge";
import { pushBranch, readRemoteHead } from "#git";
import type { ProposalState, ProposalStatus } from "../kinds/propagation.ts";
import {
  areSameDigests,
  decideProposal,
  type ObservedPullRequest,
  type ProposalMemory,
  type ProposedDigests,
} from "./decide-proposal.ts";
import { findRival } from "./find-rival.ts";
import {
  branchOf,
  commitToBase,
  keptDigests,
  makeProposal,
  type ObservedBranch,
  type ProposalDeps,
  type ProposalScope,
  withoutFields,
} from "./make-proposal.ts";
import { referenceScope } from "./plan-propagation.ts";
import type { PropagationMetrics } from "./propagation-metrics.ts";
import { readMarker } from "./proposal-text.ts";
import { toTimestamp } from "./stage-target.ts";
import { type SurveyedReferences, surveyReferences } from "./survey-references.ts";

export interface SettledProposal {
  readonly status: ProposalStatus;
  readonly baseHead: string;
  /** What the base branch has. */
  readonly present: ProposedDigests;
  readonly isReferenced: boolean;
  readonly problems: readonly string[];
  /** The pull request that brought `present`, if it is ours. */
  readonly merged: PullRequest | undefined;
  /** When to look again because a limit ends, in milliseconds since 1970. */
  readonly dueAt?: number;
}

const mostRounds = 6;
const defaultMaxOpen = 10;
const takenOverLabel = "promotion/manual";

/** Brings the branch and its pull request to what they should be, one step at a time, each decided from what is there now. */
export async function settleProposal(
  scope: ProposalScope,
  before: ProposalStatus | undefined,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<SettledProposal> {
  let memory: ProposalStatus = before ?? { branch: scope.branch, state: "Waiting", heads: [] };
  for (let round = 0; round < mostRounds; round++) {
    // The base is read after the pull request: one that is merged already is then in the base too.
    const observed = await observe(scope, memory, deps, signal);
    const { stage, images } = scope;
    await using survey = await surveyReferences(referenceScope(stage, deps.access.remote), images, deps.cache, signal);
    const settle = (state: ProposalState, message?: string, dueAt?: number) =>
      settled({ state, message, dueAt }, memory, observed.pullRequest, survey);
    const { wanted } = survey;
    // Without a forge, a branch that is gone was declined only if the base does not have what it proposed.
    const isMerged = deps.access.forge === undefined && Object.keys(wanted).length === 0;
    memory = isMerged ? withoutFields(memory, ["finished"]) : noteDeclined(memory, observed.pullRequest, deps.metrics);
    if (stage.forge.commitToBase) {
      if (Object.keys(wanted).length === 0) return settle("UpToDate");
      if (scope.hold !== undefined) return settle("Held", scope.hold);
      memory = await commitToBase(scope, memory, survey, deps, signal);
      continue;
    }
    const step = decideProposal({
      baseHead: survey.commit.hash,
      wanted,
      branchHead: observed.branchHead,
      pullRequest: observed.pullRequest && observedPullRequest(observed.pullRequest),
      memory: memoryOf(memory),
      rebasesAlways: stage.rebase === "Always",
    });
    switch (step.kind) {
      case "none":
        return settle(step.state, messageOf(step.state, scope, memory, observed.pullRequest));
      case "manual":
        memory = await yieldBranch(memory, observed, step.pullRequest, deps, signal);
        return settle("Manual", takenOverMessage(scope.branch, step.pullRequest));
      case "close": {
        memory = await closeOwn(scope, memory, step.pullRequest, deps, signal);
        break;
      }
      case "deleteBranch":
        await pushBranch(survey.directory, branchOf(scope, deps), undefined, step.expectedHead, signal);
        break;
      case "propose": {
        if (scope.hold !== undefined) return settle("Held", scope.hold);
        const limit = await findLimit(scope, memory, step.update, wanted, deps, signal);
        if (limit) return settle(limit.state, limit.message, limit.dueAt);
        const proposed = await makeProposal(scope, memory, { ...observed, survey, update: step.update }, deps, signal);
        memory = proposed.memory;
        if (proposed.kind === "moved") break;
        const { dueAt } = proposed;
        const shown = proposed.pullRequest ?? observed.pullRequest;
        return settled(
          { state: "Proposed", message: messageOf("Proposed", scope, memory, shown), dueAt },
          memory,
          shown,
          survey,
        );
      }
    }
  }
  throw new Error(`the branches of ${scope.stage.repository} keep moving`);
}

async function observe(
  scope: ProposalScope,
  memory: ProposalStatus,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<ObservedBranch> {
  if (scope.stage.forge.commitToBase) return { branchHead: undefined, pullRequest: undefined };
  const { forge } = deps.access;
  const branches = { head: scope.branch, base: scope.stage.branch };
  const pullRequest = await forge?.findPullRequest(branches, signal);
  const branchHead = await readRemoteHead(deps.cache, branchOf(scope, deps), signal);
  return { branchHead, pullRequest: forge ? pullRequest : plainPullRequest(memory, branchHead) };
}

const noPullRequest = { number: 0, url: "", title: "", body: "", labels: [], mergeability: "unknown" } as const;

/** Without a forge, a branch of ours that is there counts as an open pull request, and one that a person deleted as a closed one. */
function plainPullRequest(memory: ProposalStatus, branchHead: string | undefined): PullRequest | undefined {
  if (memory.finished === undefined) return undefined;
  const state = branchHead === undefined ? "closed" : "open";
  return { ...noPullRequest, state, head: memory.finished };
}

function observedPullRequest({ number, state, body, mergeability }: PullRequest): ObservedPullRequest {
  return { number, state, digests: readMarker(body), isConflicting: mergeability === "conflicting" };
}

function memoryOf({ heads, digests, base, declined = [], finished, closed }: ProposalStatus): ProposalMemory {
  return { heads, digests, base, declined, finished, closed };
}

/** Remembers what was closed without a merge, for as long as its pull request can be found and after. */
function noteDeclined(
  memory: ProposalStatus,
  pullRequest: PullRequest | undefined,
  metrics: PropagationMetrics,
): ProposalStatus {
  if (pullRequest?.state !== "closed" || pullRequest.number === memory.closed) return memory;
  const digests = readMarker(pullRequest.body) ?? memory.digests;
  const { declined = [] } = memory;
  if (!digests || declined.some((one) => areSameDigests(one, digests))) return memory;
  metrics.ended("declined");
  return { ...memory, declined: [...declined, digests].slice(-keptDigests) };
}

function settled(
  { state, message, dueAt }: { state: ProposalState; message?: string | undefined; dueAt?: number | undefined },
  memory: ProposalStatus,
  pullRequest: PullRequest | undefined,
  { commit, present, files }: SurveyedReferences,
): SettledProposal {
  const shown = pullRequest && pullRequest.number > 0 ? pullRequest : undefined;
  return {
    status: {
      ...withoutFields(memory, ["message", "pullRequest"]),
      state,
      ...(message === undefined ? {} : { message }),
      ...(shown ? { pullRequest: { number: shown.number, url: shown.url, state: shown.state } } : {}),
    },
    baseHead: commit.hash,
    present,
    isReferenced: files.some(({ references }) => references.length > 0),
    problems: files.flatMap(({ path, problems }) =>
      problems.map(({ line, reason }) => `${path}${line === undefined ? "" : `:${line}`}: ${reason}`),
    ),
    merged: shown?.state === "merged" ? shown : undefined,
    ...(dueAt === undefined ? {} : { dueAt }),
  };
}

function messageOf(
  state: ProposalState,
  { branch, stage }: ProposalScope,
  { unmerged, finished }: ProposalStatus,
  pullRequest: PullRequest | undefined,
): string | undefined {
  const isPullRequest = pullRequest !== undefined && pullRequest.number > 0;
  const which = isPullRequest ? `pull request ${pullRequest.number}` : `branch ${branch}`;
  if (state === "Proposed") {
    const advice = isPullRequest ? `merge ${which}, or close it to decline` : `merge ${which}, or delete it to decline`;
    if (stage.forge.autoMerge === undefined || !isPullRequest) return advice;
    if (unmerged !== undefined) return `${advice}: it does not merge by itself, because ${unmerged}`;
    if (finished === undefined) return `the forge still checks whether ${which} can be merged`;
    return `the forge merges ${which} when its rules allow it`;
  }
  const ended = isPullRequest ? "closed" : "deleted";
  return state === "Declined" ? `${which} was ${ended} without a merge; the next digest is proposed again` : undefined;
}

function takenOverMessage(branch: string, pullRequest: number | undefined): string {
  return pullRequest === undefined
    ? `branch ${branch} exists, and its last commit is not Tenon's; delete the branch, or choose another branchPrefix`
    : `someone else pushed to branch ${branch}, so that Tenon leaves it alone; merge or close pull request ${pullRequest}`;
}

/** Says once in the pull request that a person has it now. */
async function yieldBranch(
  memory: ProposalStatus,
  { branchHead }: ObservedBranch,
  number: number | undefined,
  { access: { forge }, metrics, log }: ProposalDeps,
  signal: AbortSignal,
): Promise<ProposalStatus> {
  if (!forge || number === undefined || branchHead === undefined || memory.takenOver !== undefined) return memory;
  const text =
    "Someone else has pushed to this branch, so that Tenon does not change it any more. Merge or close this pull request; afterwards Tenon proposes newer digests again.";
  await forge.keepComment(number, "tenon.dev/taken-over", text, signal);
  await forge.addLabels(number, [takenOverLabel], signal);
  metrics.ended("manual");
  log.info("someone else pushed to the branch; leaving it alone", { branch: memory.branch, pullRequest: number });
  return { ...memory, takenOver: branchHead };
}

async function closeOwn(
  { stage, branch }: ProposalScope,
  memory: ProposalStatus,
  number: number,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<ProposalStatus> {
  const { forge } = deps.access;
  // The base has what the branch proposed, so that it is neither open nor declined any more.
  if (!forge) return withoutFields(memory, ["finished"]);
  // It may have been merged since it was looked at.
  const now = await forge.findPullRequest({ head: branch, base: stage.branch }, signal);
  if (now?.number !== number || now.state !== "open") return memory;
  const closing = { ...memory, closed: number };
  await deps.remember(closing);
  const text = `Branch \`${stage.branch}\` has these digests already, so that there is nothing left to merge.`;
  await forge.keepComment(number, "tenon.dev/superseded", text, signal);
  await forge.closePullRequest(number, signal);
  deps.metrics.ended("closed");
  deps.log.info("closed the pull request: the base has its digests", { branch, pullRequest: number });
  return closing;
}

interface Limit {
  readonly state: "Limited" | "ProposedElsewhere";
  readonly message: string;
  readonly dueAt?: number;
}

async function findLimit(
  { stage, branch, isRollback }: ProposalScope,
  memory: ProposalStatus,
  update: number | undefined,
  wanted: ProposedDigests,
  { access: { forge }, clock }: ProposalDeps,
  signal: AbortSignal,
): Promise<Limit | undefined> {
  const { minInterval, maxOpen = defaultMaxOpen } = stage;
  const isSame = areSameDigests(memory.digests, wanted) && memory.finished !== memory.heads.at(-1);
  const dueAt = Date.parse(memory.pushedAt ?? "") + (parseDuration(minInterval ?? "0s") ?? 0);
  if (!isSame && !isRollback && dueAt > clock.now()) {
    const until = toTimestamp(dueAt);
    return { state: "Limited", message: `minInterval: the next proposal waits until ${until}`, dueAt };
  }
  if (!forge || update !== undefined) return undefined;
  const open = await forge.listOpen(signal);
  const rival = findRival(open, { head: branch, base: stage.branch }, wanted);
  if (rival) {
    const message = `pull request ${rival.number} proposes the same digests: ${rival.url}`;
    return { state: "ProposedElsewhere", message };
  }
  const prefix = stage.branchPrefix ?? defaultBranchPrefix;
  const count = open.filter(({ branches }) => branches.head.startsWith(prefix)).length;
  if (count < maxOpen) return undefined;
  return { state: "Limited", message: `maxOpen: ${count} pull requests from ${prefix} are open; merge or close some` };
}

export const defaultBranchPrefix = "promotion/";
