import { describe, expect, test } from "vitest";
import {
  decideProposal,
  type ObservedPullRequest,
  type ProposalMemory,
  type ProposalObservation,
} from "./decide-proposal.ts";

const first = { "reg/web:released": "sha256:1" };
const second = { "reg/web:released": "sha256:2" };
const nothing: ProposalMemory = {
  heads: [],
  digests: undefined,
  base: undefined,
  declined: [],
  finished: undefined,
  closed: undefined,
};
const pushed: ProposalMemory = { ...nothing, heads: ["h1"], digests: first, base: "b1", finished: "h1" };

function pull(state: ObservedPullRequest["state"], given: Partial<ObservedPullRequest> = {}): ObservedPullRequest {
  return { number: 7, state, digests: first, isConflicting: false, ...given };
}

function decide(given: Partial<ProposalObservation>) {
  return decideProposal({
    baseHead: "b1",
    wanted: first,
    branchHead: undefined,
    pullRequest: undefined,
    memory: nothing,
    rebasesAlways: false,
    ...given,
  });
}

describe("decideProposal", () => {
  test.each([
    {
      reason: "nothing differs and nothing is there",
      given: { wanted: {} },
      step: { kind: "none", state: "UpToDate" },
    },
    {
      reason: "references differ for the first time",
      given: {},
      step: { kind: "propose", expectedHead: undefined, update: undefined },
    },
    {
      reason: "Tenon was killed between push and pull request",
      given: { branchHead: "h1", memory: { ...pushed, finished: undefined } },
      step: { kind: "propose", expectedHead: "h1", update: undefined },
    },
    {
      reason: "Tenon was killed between the pull request and its labels",
      given: { branchHead: "h1", memory: { ...pushed, finished: undefined }, pullRequest: pull("open") },
      step: { kind: "propose", expectedHead: "h1", update: 7 },
    },
    {
      reason: "the pull request carries the digests (P47)",
      given: { branchHead: "h1", memory: pushed, pullRequest: pull("open") },
      step: { kind: "none", state: "Proposed" },
    },
    {
      reason: "a newer release replaces the proposal in the same pull request (P47)",
      given: { wanted: second, branchHead: "h1", memory: pushed, pullRequest: pull("open") },
      step: { kind: "propose", expectedHead: "h1", update: 7 },
    },
    {
      reason: "Tenon was killed between the note of the new head and its push",
      given: {
        wanted: second,
        branchHead: "h1",
        memory: { ...pushed, heads: ["h1", "h2"], digests: second },
        pullRequest: pull("open"),
      },
      step: { kind: "propose", expectedHead: "h1", update: 7 },
    },
    {
      reason: "the base moved without a conflict",
      given: { baseHead: "b2", branchHead: "h1", memory: pushed, pullRequest: pull("open") },
      step: { kind: "none", state: "Proposed" },
    },
    {
      reason: "the base moved and the forge reports a conflict",
      given: { baseHead: "b2", branchHead: "h1", memory: pushed, pullRequest: pull("open", { isConflicting: true }) },
      step: { kind: "propose", expectedHead: "h1", update: 7 },
    },
    {
      reason: "a conflict that a new commit on the same base cannot solve",
      given: { branchHead: "h1", memory: pushed, pullRequest: pull("open", { isConflicting: true }) },
      step: { kind: "none", state: "Proposed" },
    },
    {
      reason: "the base moved and every base is to be followed",
      given: { baseHead: "b2", branchHead: "h1", memory: pushed, pullRequest: pull("open"), rebasesAlways: true },
      step: { kind: "propose", expectedHead: "h1", update: 7 },
    },
    {
      reason: "a person pushed to the branch (P48)",
      given: { wanted: second, branchHead: "theirs", memory: pushed, pullRequest: pull("open") },
      step: { kind: "manual", pullRequest: 7 },
    },
    {
      reason: "a branch of that name existed before Tenon",
      given: { branchHead: "theirs" },
      step: { kind: "manual", pullRequest: undefined },
    },
    {
      reason: "the pull request was closed without a merge (P49)",
      given: { branchHead: "h1", memory: pushed, pullRequest: pull("closed") },
      step: { kind: "none", state: "Declined" },
    },
    {
      reason: "it was closed, its text was changed and its branch deleted (P49)",
      given: { memory: pushed, pullRequest: pull("closed", { digests: undefined }) },
      step: { kind: "none", state: "Declined" },
    },
    {
      reason: "a digest that was declined earlier is advertised again (P49)",
      given: { memory: { ...nothing, declined: [first] }, pullRequest: pull("merged", { digests: second }) },
      step: { kind: "none", state: "Declined" },
    },
    {
      reason: "the next digest after a declined one (P49)",
      given: { wanted: second, branchHead: "h1", memory: pushed, pullRequest: pull("closed") },
      step: { kind: "propose", expectedHead: "h1", update: undefined },
    },
    {
      reason: "a person opened the declined pull request again",
      given: { branchHead: "h1", memory: { ...pushed, declined: [first] }, pullRequest: pull("open") },
      step: { kind: "none", state: "Proposed" },
    },
    {
      reason: "the pull request was merged (P49)",
      given: { wanted: {}, branchHead: "h1", memory: pushed, pullRequest: pull("merged") },
      step: { kind: "deleteBranch", expectedHead: "h1" },
    },
    {
      reason: "the pull request was merged and its branch deleted (P49)",
      given: { wanted: {}, memory: pushed, pullRequest: pull("merged") },
      step: { kind: "none", state: "UpToDate" },
    },
    {
      reason: "a merge was reverted on the base branch",
      given: { memory: pushed, pullRequest: pull("merged") },
      step: { kind: "propose", expectedHead: undefined, update: undefined },
    },
    {
      reason: "another pull request brought the digest to the base (P49, P52)",
      given: { wanted: {}, branchHead: "h1", memory: pushed, pullRequest: pull("open") },
      step: { kind: "close", pullRequest: 7 },
    },
    {
      reason: "the base has the digest, and a person works on the pull request (P48)",
      given: { wanted: {}, branchHead: "theirs", memory: pushed, pullRequest: pull("open") },
      step: { kind: "manual", pullRequest: 7 },
    },
    {
      reason: "the base lost the digest for which Tenon had closed its own pull request",
      given: { memory: { ...pushed, closed: 7 }, pullRequest: pull("closed") },
      step: { kind: "propose", expectedHead: undefined, update: undefined },
    },
    {
      reason: "the base has the digest, and the branch is a person's",
      given: { wanted: {}, branchHead: "theirs", memory: pushed },
      step: { kind: "none", state: "UpToDate" },
    },
  ] as const)("$reason", ({ given, step }) => {
    expect(decide(given)).toEqual(step);
  });
});
