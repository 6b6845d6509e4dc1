import { describe, expect, test } from "vitest";
import {
  copiedPacPrefix,
  promotionAnnotations,
  promotionLabels,
  snapshotConditions,
} from "../kinds/promotion-names.ts";
import { decideSweep } from "./decide-sweep.ts";

const now = Date.parse("2026-02-01T00:00:00Z");
const limits = { pullRequests: 3, others: 4, perComponent: 2 };

interface Sample {
  readonly isPullRequest?: boolean;
  readonly component?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isCanceled?: boolean;
}

/** Snapshot `s<age>` was created so many hours ago. */
function sample(
  age: number,
  { isPullRequest = false, component = "web", annotations = {}, isCanceled = false }: Sample = {},
) {
  return {
    apiVersion: "v1",
    kind: "Snapshot",
    metadata: {
      name: `s${age}`,
      namespace: "t1",
      creationTimestamp: new Date(now - age * 3_600_000).toISOString(),
      labels: {
        [promotionLabels.snapshotType]: "component",
        [promotionLabels.component]: component,
        ...(isPullRequest
          ? { [`${copiedPacPrefix}event-type`]: "pull_request", [`${copiedPacPrefix}pull-request`]: "7" }
          : {}),
      },
      annotations,
    },
    ...(isCanceled
      ? { status: { conditions: [{ type: snapshotConditions.integration, status: "True", reason: "Canceled" }] } }
      : {}),
  };
}

const deleted = (snapshots: readonly ReturnType<typeof sample>[], released: readonly string[] = []) =>
  decideSweep({ snapshots, released: new Set(released), limits, now }).map(({ metadata }) => metadata.name);

describe("which Snapshots are deleted", () => {
  test("P58: the oldest beyond the limit of pushed ones", () => {
    expect(deleted([1, 2, 3, 4, 5, 6].map((age) => sample(age)))).toEqual(["s5", "s6"]);
  });

  test("a Snapshot that a Release refers to stays, and counts", () => {
    expect(
      deleted(
        [1, 2, 3, 4, 5, 6].map((age) => sample(age)),
        ["s6"],
      ),
    ).toEqual(["s4", "s5"]);
  });

  test("P58: the newest of each component stay, beyond the limit too", () => {
    const others = [1, 2, 3, 4].map((age) => sample(age));
    expect(deleted([...others, sample(50, { component: "db" }), sample(51, { component: "db" })])).toEqual([
      "s3",
      "s4",
    ]);
  });

  test.each([
    { reason: "true", keep: "true", isKept: true },
    { reason: "a time that has not passed", keep: "200h", isKept: true },
    { reason: "a time that has passed", keep: "10h", isKept: false },
    { reason: "a time that cannot be read", keep: "long", isKept: false },
  ])("keep-snapshot is $reason", ({ keep, isKept }) => {
    const old = sample(100, { annotations: { [promotionAnnotations.keepSnapshot]: keep } });
    const gone = deleted([...[1, 2, 3, 4, 5].map((age) => sample(age)), old]);
    expect(gone.includes("s100")).toBe(!isKept);
  });

  test("P58: superseded and merged pull requests go, the newest others stay", () => {
    const pullRequests = [
      sample(1, { isPullRequest: true, isCanceled: true }),
      sample(2, { isPullRequest: true, annotations: { [promotionAnnotations.pullRequestStatus]: "merged" } }),
      ...[3, 4, 5, 6].map((age) => sample(age, { isPullRequest: true })),
    ];
    expect(deleted(pullRequests)).toEqual(["s1", "s2", "s6"]);
  });

  test("a pull request that waits for its group stays for a day", () => {
    const annotations = { [promotionAnnotations.groupState]: "waiting" };
    const waiting = [1, 2, 3, 4, 30].map((age) => sample(age, { isPullRequest: true, annotations }));
    expect(deleted(waiting)).toEqual(["s30"]);
  });
});
