import { expect, test } from "vitest";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { pullRequestLabels, sampleSnapshotObject } from "../scenarios/sample-snapshots.fixture.ts";
import { decideGroup } from "./decide-group.ts";

function ofGroup(component: string) {
  return sampleSnapshotObject({
    name: `of-${component}`,
    component,
    labels: { ...pullRequestLabels, [promotionLabels.pullRequestGroup]: "hash" },
    annotations: { [promotionAnnotations.pullRequestGroup]: "feat-x" },
  });
}

test("P12: whichever Snapshot of a group is looked at, the members have one order, so that they make one group Snapshot", () => {
  const all = ["web", "api", "db"].map(ofGroup);
  const orders = [all, all.toReversed()].flatMap((snapshots) =>
    all.map((trigger) => {
      const decision = decideGroup({ trigger, snapshots, components: [], runs: [] });
      return decision.kind === "members" ? decision.members.map(({ row }) => row.name) : [];
    }),
  );
  expect(orders).toEqual(orders.map(() => ["api", "db", "web"]));
});

test.each([
  { reason: "of all of them", members: ["web", "api", "db"], trigger: "web", kind: "done" },
  { reason: "without one that was closed", members: ["web", "api"], trigger: "api", kind: "done" },
  { reason: "before this one was built", members: ["web", "api"], trigger: "db", kind: "members" },
  { reason: "of an older build of another one", members: ["web", "older"], trigger: "web", kind: "members" },
])("P12: a group Snapshot that was made $reason is $kind for the one of $trigger", ({ members, trigger, kind }) => {
  const made = sampleSnapshotObject({
    name: "group",
    labels: { [promotionLabels.snapshotType]: "group", [promotionLabels.pullRequestGroup]: "hash" },
    annotations: {
      [promotionAnnotations.groupMembers]: JSON.stringify(members.map((name) => ({ snapshot: `of-${name}` }))),
    },
  });
  const snapshots = [...["web", "api", "db"].map(ofGroup), made];
  expect(decideGroup({ trigger: ofGroup(trigger), snapshots, components: [], runs: [] }).kind).toBe(kind);
});
