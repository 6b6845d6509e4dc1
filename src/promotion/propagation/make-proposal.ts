import type { Clock, Logger } from "#base";
import type { PullRequest } from "#forge";
import { commitFiles, pushBranch } from "#git";
import type { KubeObject } from "#kube";
import type { Propagation, PropagationStage, ProposalStatus } from "../kinds/propagation.ts";
import { type AdvertisedImage, imageComponent, imageName } from "./advertised-image.ts";
import { areSameDigests, type ProposedDigests } from "./decide-proposal.ts";
import { originsOf, snapshotsToRead, testsOf } from "./image-origin.ts";
import type { PropagationMetrics } from "./propagation-metrics.ts";
import { type ProposalContent, writeCommitMessage, writePullRequest } from "./proposal-text.ts";
import { type AdvertisedRelease, releasesOf } from "./released-images.ts";
import type { StageAccess } from "./stage-access.ts";
import { toTimestamp } from "./stage-target.ts";
import type { SurveyedReferences } from "./survey-references.ts";

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

const keptHeads = 20;
export const keptDigests = 20;

/** What the forge and the repository have. */
export interface ObservedBranch {
  readonly branchHead: string | undefined;
  readonly pullRequest: PullRequest | undefined;
}

export function branchOf({ branch }: ProposalScope, { access }: ProposalDeps) {
  return { ...access.remote, branch };
}

export function withoutFields(
  memory: ProposalStatus,
  fields: readonly ("message" | "pullRequest" | "finished" | "takenOver" | "unmerged")[],
): ProposalStatus {
  const kept = { ...memory };
  for (const field of fields) delete kept[field];
  return kept;
}

interface ProposeFacts extends ObservedBranch {
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

/** Commits, pushes the branch, and brings its pull request to what it should say. */
export async function makeProposal(
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
export async function commitToBase(
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
