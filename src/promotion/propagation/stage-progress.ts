import type { PullRequest } from "#forge";
import {
  proposalStates,
  type ProposalState,
  type PropagationStage,
  type RecordedDigests,
  type RollbackImage,
  type StageStatus,
} from "../kinds/propagation.ts";
import { areSameDigests, type ProposedDigests } from "./decide-proposal.ts";
import type { JudgedHealth } from "./judge-health.ts";
import { shortDigest } from "./proposal-text.ts";
import type { SettledProposal } from "./settle-proposal.ts";
import { activeRollback, digestsOf, type StageTarget, toTimestamp } from "./stage-target.ts";

const keptHistory = 10;
const settledStates: ReadonlySet<ProposalState> = new Set(["UpToDate", "Declined"]);

/** The record as it was if the digests are the same; else a new one, from now on. */
export function recordDigests(
  before: RecordedDigests | undefined,
  digests: ProposedDigests,
  now: number,
  commit?: string,
): RecordedDigests {
  if (before && areSameDigests(before.digests, digests)) return before;
  return { digests: { ...digests }, since: toTimestamp(now), ...(commit === undefined ? {} : { commit }) };
}

/** Whether the repository and the forge must be asked, although no one says that something changed there. */
export function needsLook(
  { health }: PropagationStage,
  before: StageStatus | undefined,
  target: RecordedDigests,
): boolean {
  if (!before || before.target !== target || before.state === "Failed" || before.proposals.length === 0) return true;
  if (before.proposals.some(({ state }) => !settledStates.has(state))) return true;
  return health !== undefined && !runsMerged(before);
}

/** Whether the stage runs what it has merged, as far as that was once seen. */
export function runsMerged({ merged, running }: Pick<StageStatus, "merged" | "running">): boolean {
  return merged === undefined || areSameDigests(running?.digests, merged.digests);
}

/** What a look at the base branch says of `merged` and of what was there before. */
export function trackMerged(
  before: StageStatus | undefined,
  settled: readonly SettledProposal[],
  rollback: StageStatus["rollback"],
  now: number,
): Pick<StageStatus, "merged" | "history"> {
  const present: ProposedDigests = Object.assign({}, ...settled.map((each) => each.present));
  const { merged, history } = before ?? {};
  const kept = { ...(merged ? { merged } : {}), ...(history ? { history } : {}) };
  if (Object.keys(present).length === 0 || areSameDigests(merged?.digests, present)) return kept;
  const own = settled.map((each) => each.merged).find((pullRequest) => pullRequest !== undefined);
  const brought = before?.proposals.some(({ pullRequest }) => pullRequest?.number === own?.number) ? own : undefined;
  const isLeft = activeRollback(rollback, present).some(({ image, to }) => merged?.digests[image] !== to);
  const left = merged && (isLeft ? { ...merged, rolledBack: true } : merged);
  const earlier = left ? [left, ...(history ?? [])].slice(0, keptHistory) : history;
  return {
    merged: {
      digests: present,
      commit: brought?.mergeCommit ?? settled.at(-1)?.baseHead ?? "",
      since: mergeTime(brought) ?? toTimestamp(now),
    },
    ...(earlier ? { history: earlier } : {}),
  };
}

function mergeTime(pullRequest: PullRequest | undefined): string | undefined {
  const time = Date.parse(pullRequest?.mergedAt ?? "");
  return Number.isNaN(time) ? undefined : toTimestamp(time);
}

/** What the objects of a stage say, and since when; what runs stays known while they are red. */
export function trackHealth(
  before: StageStatus | undefined,
  merged: RecordedDigests | undefined,
  { state, message }: JudgedHealth,
  now: number,
): Pick<StageStatus, "health" | "running"> {
  const since = before?.health?.state === state ? before.health.since : toTimestamp(now);
  const running = state === "Healthy" && merged ? recordDigests(before?.running, merged.digests, now) : before?.running;
  return { health: { state, since, ...(message === undefined ? {} : { message }) }, ...(running ? { running } : {}) };
}

function rankOf(state: ProposalState): number {
  return proposalStates.indexOf(state);
}

/** The state of a stage that most needs a look, with what the stage before it means for it. */
export function summariseStage(
  proposals: StageStatus["proposals"],
  { gate, images, rollback }: StageTarget,
): Pick<StageStatus, "state" | "message"> {
  const [worst] = proposals.toSorted((one, other) => rankOf(other.state) - rankOf(one.state));
  const isGated = gate.kind !== "open" && (!worst || worst.state === "UpToDate");
  const parts = [
    worst?.message,
    describeRollback(activeRollback(rollback, images && digestsOf(images))),
    gate.kind === "open" ? undefined : gate.message,
  ].filter((part) => part !== undefined);
  const message = [...new Set(parts)].join("; ");
  const gated = gate.kind === "held" ? "Held" : "Waiting";
  return { state: isGated ? gated : (worst?.state ?? "Waiting"), ...(message === "" ? {} : { message }) };
}

function describeRollback(images: readonly RollbackImage[]): string | undefined {
  if (images.length === 0) return undefined;
  const [from, to] = [images.map((each) => each.from), images.map((each) => each.to)].map((digests) =>
    [...new Set(digests.map(shortDigest))].join(", "),
  );
  return `rolled back from ${from} to ${to} until a newer image is released`;
}

/** Keeps the time of a state that did not change. */
export function stampStage(
  next: Omit<StageStatus, "since">,
  before: StageStatus | undefined,
  now: number,
): StageStatus {
  const since = before && before.state === next.state ? before.since : toTimestamp(now);
  return { ...next, since };
}
