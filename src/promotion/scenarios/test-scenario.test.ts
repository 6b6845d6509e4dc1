import { describe, expect, test } from "vitest";
import { copiedPacPrefix } from "../kinds/promotion-names.ts";
import { pullRequestLabels, sampleScenario, sampleSnapshot } from "./sample-snapshots.fixture.ts";
import { appliesTo } from "./test-scenario.ts";

const pac = (name: string) => `${copiedPacPrefix}${name}`;
const snapshots = {
  push: sampleSnapshot({ labels: { [pac("event-type")]: "push" } }),
  pullRequest: sampleSnapshot({ labels: pullRequestLabels }),
  group: sampleSnapshot({ type: "group", labels: { [pac("event-type")]: "pull_request" } }),
  override: sampleSnapshot({ type: "override" }),
  mergeQueue: sampleSnapshot({
    labels: { [pac("event-type")]: "push" },
    annotations: { [pac("source-branch")]: "refs/heads/gh-readonly-queue/main/pr-12-abc" },
  }),
} as const;
type Sample = keyof typeof snapshots;

const all: readonly Sample[] = ["push", "pullRequest", "group", "override", "mergeQueue"];
const ofPullRequests: readonly Sample[] = ["pullRequest", "group", "mergeQueue"];
const ofComponents: readonly Sample[] = ["push", "pullRequest", "mergeQueue"];

describe("P18: contexts", () => {
  test.for<{ contexts: string[]; matched: readonly Sample[]; reason: string }>([
    { contexts: [], matched: all, reason: "no contexts mean every Snapshot" },
    { contexts: ["application"], matched: all, reason: "the whole application" },
    { contexts: ["all"], matched: all, reason: "the other word for it" },
    { contexts: ["component"], matched: ofComponents, reason: "one component was built" },
    { contexts: ["component_web"], matched: ofComponents, reason: "pushed or not" },
    { contexts: ["component_api"], matched: [], reason: "another component" },
    { contexts: ["push"], matched: ["push", "override"], reason: "a person's Snapshot counts as pushed" },
    { contexts: ["pull_request"], matched: ofPullRequests, reason: "groups and merge queues come from pull requests" },
    { contexts: ["group"], matched: ["group"], reason: "several pull requests" },
    { contexts: ["override"], matched: ["override"], reason: "made by a person" },
    { contexts: ["disabled"], matched: [], reason: "only when asked for" },
    { contexts: ["Push", "nightly"], matched: [], reason: "unknown words match nothing" },
    { contexts: ["push", "group"], matched: ["push", "group", "override"], reason: "any of them is enough" },
    { contexts: ["disabled", "push"], matched: ["push", "override"], reason: "disabled does not veto" },
  ])("$contexts matches $matched: $reason", ({ contexts, matched }) => {
    const scenario = sampleScenario("e2e", { contexts: contexts.map((name) => ({ name })) });
    const applied = all.filter((sample) => appliesTo(scenario, snapshots[sample]));
    expect(applied).toEqual(all.filter((sample) => matched.includes(sample)));
  });

  test.for<{ labels: Record<string, string>; isPush: boolean; reason: string }>([
    { labels: {}, isPush: true, reason: "made by hand" },
    { labels: { [pac("event-type")]: "Push" }, isPush: true, reason: "GitLab's word" },
    { labels: { [pac("event-type")]: "push", [pac("pull-request")]: "7" }, isPush: true, reason: "a merged one" },
    { labels: { [pac("event-type")]: "pull_request" }, isPush: true, reason: "without a number" },
    { labels: pullRequestLabels, isPush: false, reason: "a pull request" },
  ])("$labels is a push: $isPush ($reason)", ({ labels, isPush }) => {
    expect(sampleSnapshot({ labels }).isPush).toBe(isPush);
  });

  test("a scenario whose fields have wrong types is read as if they were absent", () => {
    const scenario = sampleScenario("e2e", { contexts: [{ name: 1 }, "push"], params: [{}], resolverRef: "git" });
    expect(scenario).toMatchObject({ contexts: [], resolver: "", resolverParameters: [], parameters: [] });
  });
});
