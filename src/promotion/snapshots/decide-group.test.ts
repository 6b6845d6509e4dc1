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
