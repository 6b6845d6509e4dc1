import { describe, expect, test } from "vitest";
import { copiedPacPrefix, promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { isSuperseded } from "./is-superseded.ts";
import { pullRequestLabels, sampleSnapshot } from "./sample-snapshots.fixture.ts";

const at = (started: string, change: Parameters<typeof sampleSnapshot>[0] = {}) =>
  sampleSnapshot({
    labels: { ...pullRequestLabels },
    ...change,
    annotations: { [promotionAnnotations.buildStarted]: started, ...change.annotations },
  });
const older = at("1767323045000", { name: "old" });
const group = { type: "group", labels: { ...pullRequestLabels, [promotionLabels.pullRequestGroup]: "abc" } };

describe("a Snapshot of a pull request is superseded by a newer one", () => {
  test.for([
    { reason: "built later", snapshot: older, other: at("1767323046000", { name: "new" }), superseded: true },
    { reason: "built earlier", snapshot: older, other: at("1767323044000", { name: "new" }), superseded: false },
    { reason: "itself", snapshot: older, other: older, superseded: false },
    {
      reason: "the same moment, a later name",
      snapshot: older,
      other: at("1767323045000", { name: "z" }),
      superseded: true,
    },
    { reason: "in seconds", snapshot: older, other: at("1767323046", { name: "new" }), superseded: true },
    {
      reason: "of another component",
      snapshot: older,
      other: at("1767323046000", { name: "new", component: "api" }),
      superseded: false,
    },
    {
      reason: "of another pull request",
      snapshot: older,
      other: at("1767323046000", {
        name: "new",
        labels: { ...pullRequestLabels, [`${copiedPacPrefix}pull-request`]: "8" },
      }),
      superseded: false,
    },
    {
      reason: "ignored on purpose",
      snapshot: at("1767323045000", {
        name: "old",
        annotations: { [promotionAnnotations.ignoreSupersession]: "true" },
      }),
      other: at("1767323046000", { name: "new" }),
      superseded: false,
    },
    {
      reason: "a push",
      snapshot: at("1767323045000", { name: "old", labels: {} }),
      other: at("1767323046000", { name: "new", labels: {} }),
      superseded: false,
    },
    {
      reason: "a group of the same pull requests",
      snapshot: at("1767323045000", { name: "old", ...group }),
      other: at("1767323046000", { name: "new", ...group }),
      superseded: true,
    },
    {
      reason: "a group beside a component",
      snapshot: older,
      other: at("1767323046000", { name: "new", ...group }),
      superseded: false,
    },
  ])("$reason: $superseded", ({ snapshot, other, superseded }) => {
    expect(isSuperseded(snapshot, [snapshot, other])).toBe(superseded);
  });
});
