import { type Clock, type Logger, parseDuration } from "#base";
import type { PullRequest } from "#forge";
import { commitFiles, pushBranch, readRemoteHead } from "#git";
import type { KubeObject } from "#kube";
import type { Propagation, PropagationStage, ProposalState, ProposalStatus } from "../kinds/propagation.ts";
import { type AdvertisedImage, imageComponent, imageName } from "./advertised-image.ts";
import {
  areSameDigests,
  decideProposal,
  type ObservedPullRequest,
  type ProposalMemory,
  type ProposedDigests,
} from "./decide-proposal.ts";
import { findRival } from "./find-rival.ts";
import { referenceScope } from "./plan-propagation.ts";
import type { PropagationMetrics } from "./propagation-metrics.ts";
import { originsOf, snapshotsToRead, testsOf } from "./image-origin.ts";
import { type ProposalContent, readMarker, writeCommitMessage, writePullRequest } from "./proposal-text.ts";
import { type AdvertisedRelease, releasesOf } from "./released-images.ts";
import type { StageAccess } from "./stage-access.ts";
import { toTimestamp } from "./stage-target.ts";
import { type SurveyedReferences, surveyReferences } from "./survey-references.ts";

/** One branch, and the images that it proposes. */
export interface ProposalScope {
  readonly propagation: Propagation;
  readonly stage: PropagationStage;
  readonly branch: string;
  readonly images: readonly AdvertisedImage[];
  readonly isRollback: boolean;
  /** What the source knows of releases, the last one first. */
  readonly releases: readonly AdvertisedRelease[];
  /** When the images became what the stage should have, in milliseconds; the time of the commit. */
  readonly since: number;
  /** Why nothing new may be proposed now. */
  readonly hold: string | undefined;
}

export interface ProposalDeps {
  readonly access: StageAccess;
  /** A directory for copies of git repositories. */
  readonly cache: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly metrics: PropagationMetrics;
  /** Those of these Snapshots that are there and may be read, by name. */
  readSnapshots(names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, KubeObject>>;
  /** Writes the memory into the status; rejects if this process may not act any more. */
  remember(memory: ProposalStatus): Promise<void>;
}

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
const keptHeads = 20;
const keptDigests = 20;
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
        const proposed = await propose(scope, memory, { ...observed, survey, update: step.update }, deps, signal);
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

interface Observed {
  readonly branchHead: string | undefined;
  readonly pullRequest: PullRequest | undefined;
}

async function observe(
  scope: ProposalScope,
  memory: ProposalStatus,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<Observed> {
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

function branchOf({ branch }: ProposalScope, { access }: ProposalDeps) {
  return { ...access.remote, branch };
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
  { branchHead }: Observed,
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

function withoutFields(
  memory: ProposalStatus,
  fields: readonly ("message" | "pullRequest" | "finished" | "takenOver" | "unmerged")[],
): ProposalStatus {
  const kept = { ...memory };
  for (const field of fields) delete kept[field];
  return kept;
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

interface ProposeFacts extends Observed {
  readonly survey: SurveyedReferences;
  readonly update: number | undefined;
}

type Proposed =
  | { readonly kind: "moved"; readonly memory: ProposalStatus }
  | {
      readonly kind: "proposed";
      readonly memory: ProposalStatus;
      readonly pullRequest: PullRequest | undefined;
      /** When to ask again for the merge. */
      readonly dueAt?: number;
    };

async function propose(
  scope: ProposalScope,
  before: ProposalStatus,
  { survey, branchHead, pullRequest, update }: ProposeFacts,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<Proposed> {
  const { access, log, metrics, clock } = deps;
  const superseded = supersededBy(before, update, survey.wanted);
  const content = await readContent(scope, survey, superseded, deps, signal);
  const commit = await makeCommit(scope, survey, content, deps, signal);
  let memory = before;
  if (commit !== branchHead) {
    memory = {
      ...withoutFields(before, ["takenOver", "finished", "unmerged"]),
      heads: [...before.heads.filter((head) => head !== commit), commit].slice(-keptHeads),
      digests: survey.wanted,
      base: survey.commit.hash,
      pushedAt: toTimestamp(clock.now()),
      superseded: [...superseded],
    };
    await deps.remember(memory);
    const outcome = await pushBranch(survey.directory, branchOf(scope, deps), commit, branchHead, signal);
    if (outcome === "moved") return { kind: "moved", memory };
    log.info("pushed a proposal", { stage: scope.stage.name, branch: scope.branch, commit, digests: survey.wanted });
  }
  const finished = { ...withoutFields(memory, ["unmerged"]), finished: commit };
  const { forge } = access;
  if (!forge) return { kind: "proposed", memory: finished, pullRequest };
  const { labels = [], autoMerge } = scope.stage.forge;
  const text = writePullRequest(content);
  const branches = { head: scope.branch, base: scope.stage.branch };
  const open = update === undefined ? await forge.openPullRequest(branches, { ...text, labels }, signal) : pullRequest;
  if (!open) throw new Error(`pull request ${update} of branch ${scope.branch} is gone`);
  if (open.title !== text.title || open.body !== text.body) await forge.updatePullRequest(open.number, text, signal);
  const missing = labels.filter((label) => !open.labels.includes(label));
  if (missing.length > 0) await forge.addLabels(open.number, missing, signal);
  if (update === undefined) metrics.opened(clock.now() - scope.since);
  else if (commit !== branchHead) metrics.ended("updated");
  log.info("proposed", { stage: scope.stage.name, pullRequest: open.number, url: open.url });
  const shown: PullRequest = { ...open, ...text, head: commit };
  const merge = autoMerge && (await forge.requestMerge(shown, autoMerge, signal));
  if (merge?.kind === "checking") {
    const dueAt = nextMergeRequest(memory, clock.now());
    return { kind: "proposed", memory, pullRequest: shown, ...(dueAt === undefined ? {} : { dueAt }) };
  }
  const unmerged = merge?.kind === "refused" ? { unmerged: merge.reason } : {};
  return { kind: "proposed", memory: { ...finished, ...unmerged }, pullRequest: shown };
}

const mergeRequestMs = 5_000;
const mergeRequestsUntilMs = 5 * 60_000;

/** A forge finds out in seconds whether it can merge. One that takes longer is asked with each look. */
function nextMergeRequest({ pushedAt }: ProposalStatus, now: number): number | undefined {
  const pushedMs = Date.parse(pushedAt ?? "");
  return now - pushedMs < mergeRequestsUntilMs ? now + mergeRequestMs : undefined;
}

/** What the same pull request proposed before; a new one begins anew. */
function supersededBy(
  { digests, superseded = [] }: ProposalStatus,
  update: number | undefined,
  wanted: ProposedDigests,
): readonly ProposedDigests[] {
  if (update === undefined) return [];
  const all = digests && !areSameDigests(digests, wanted) ? [...superseded, digests] : superseded;
  return all.slice(-keptDigests);
}

async function readContent(
  { propagation, stage, isRollback, images, releases }: ProposalScope,
  { wanted, present, files, unreferenced }: SurveyedReferences,
  superseded: readonly ProposedDigests[],
  deps: Pick<ProposalDeps, "readSnapshots">,
  signal: AbortSignal,
): Promise<ProposalContent> {
  const snapshots = await deps.readSnapshots(snapshotsToRead([wanted, present], releases), signal);
  return {
    propagation: `${propagation.metadata.namespace}/${propagation.metadata.name}`,
    stage: stage.name,
    digests: wanted,
    components: Object.fromEntries(images.map((image) => [imageName(image), imageComponent(image)])),
    releases: releasesOf(wanted, releases).map(({ name, snapshot }) => {
      const found = snapshots.get(snapshot);
      return { name, snapshot, tests: found && testsOf(found) };
    }),
    origins: originsOf(wanted, present, releases, snapshots),
    files,
    unreferenced: unreferenced.map(imageName),
    superseded,
    isRollback,
  };
}

async function makeCommit(
  { propagation, since }: ProposalScope,
  survey: SurveyedReferences,
  content: ProposalContent,
  { access: { signingKeyFile } }: ProposalDeps,
  signal: AbortSignal,
): Promise<string> {
  const { name = "Tenon", email = "tenon@localhost" } = propagation.spec.identity ?? {};
  const files = survey.files.flatMap(({ path, content: bytes }) => (bytes ? [[path, bytes] as const] : []));
  return commitFiles(
    survey.directory,
    {
      parent: survey.commit.hash,
      files: new Map(files),
      message: writeCommitMessage(content),
      author: { name, email },
      timestamp: Math.floor(since / 1_000),
      ...(signingKeyFile === undefined ? {} : { signingKeyFile }),
    },
    signal,
  );
}

/** Pushed only while the base is at the commit that was read; otherwise the next round reads it again. */
async function commitToBase(
  scope: ProposalScope,
  memory: ProposalStatus,
  survey: SurveyedReferences,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<ProposalStatus> {
  const content = await readContent(scope, survey, [], deps, signal);
  const commit = await makeCommit(scope, survey, content, deps, signal);
  const remote = { ...deps.access.remote, branch: scope.stage.branch };
  const outcome = await pushBranch(survey.directory, remote, commit, survey.commit.hash, signal);
  if (outcome === "pushed") {
    deps.log.info("committed to the base", { stage: scope.stage.name, commit, digests: survey.wanted });
    deps.metrics.ended("committed");
  }
  return memory;
}

export const defaultBranchPrefix = "promotion/";
