import { expect, test } from "vitest";
import { sumUpTrouble, troubleOf } from "./workload-trouble.ts";

const stuck = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "has timed out" };
const refused = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "exceeded quota" };
const fine = { type: "Available", status: "False", message: "not yet" };

test.for([
  {
    kind: "Deployment",
    body: { spec: { replicas: 2 }, status: { readyReplicas: 2 } },
    expected: [],
    reason: "all are ready",
  },
  { kind: "Deployment", body: { spec: { replicas: 0 } }, expected: [], reason: "none are desired" },
  { kind: "Deployment", body: { spec: {} }, expected: ["0 of 1 ready"], reason: "one is the default" },
  {
    kind: "Deployment",
    body: { spec: { replicas: 2 }, status: { readyReplicas: 1, conditions: [fine, stuck, refused] } },
    expected: ["1 of 2 ready", "has timed out", "exceeded quota"],
    reason: "its conditions say why",
  },
  { kind: "StatefulSet", body: { spec: { replicas: 1 } }, expected: ["0 of 1 ready"], reason: "it has no conditions" },
  { kind: "CronJob", body: { spec: { suspend: true } }, expected: ["suspended"], reason: "it will not run" },
  { kind: "CronJob", body: { spec: {} }, expected: [], reason: "it waits for its schedule" },
])("$kind: $expected, because $reason", ({ kind, body, expected }) => {
  expect(troubleOf(kind, body)).toEqual(expected);
});

const spec = { replicas: 1, selector: { matchLabels: { app: "a" } } };

function pod(app: string, reason: string, more: object = {}) {
  const containerStatuses = [{ name: "int", image: "img:v1", state: { waiting: { reason } } }];
  return { metadata: { labels: { app }, ...more }, status: { phase: "Pending", containerStatuses } };
}

test("a Deployment that is not ready says what its own pods say", () => {
  const pods = [
    pod("a", "ImagePullBackOff"),
    pod("b", "ErrImagePull"),
    pod("a", "InvalidImageName", { deletionTimestamp: "2026-01-01T00:00:00Z" }),
  ];
  const status = { conditions: [stuck, refused] };
  expect(troubleOf("Deployment", { spec, status }, pods)).toEqual([
    "0 of 1 ready: ImagePullBackOff: img:v1",
    "exceeded quota",
  ]);
});

test("pods with the same trouble are counted", () => {
  const body = { spec: { ...spec, replicas: 3 }, status: { readyReplicas: 1 } };
  const pods = [pod("a", "ImagePullBackOff"), pod("a", "ImagePullBackOff")];
  expect(troubleOf("Deployment", body, pods)).toEqual(["1 of 3 ready: 2 pods ImagePullBackOff: img:v1"]);
});

test("a CronJob says how its last run ended, and nothing about the runs before", () => {
  const body = { spec: { jobTemplate: { spec: { template: { metadata: { labels: { app: "a" } } } } } } };
  const failed = {
    metadata: { labels: { app: "a" }, creationTimestamp: "2026-01-01T00:00:00Z" },
    status: {
      phase: "Failed",
      containerStatuses: [{ name: "int", state: { terminated: { exitCode: 3, reason: "Error" } } }],
    },
  };
  const succeeded = {
    metadata: { labels: { app: "a" }, creationTimestamp: "2026-01-01T00:05:00Z" },
    status: { phase: "Succeeded" },
  };
  expect(troubleOf("CronJob", body, [failed])).toEqual(["last run: container int ended: exit code 3"]);
  expect(troubleOf("CronJob", body, [failed, succeeded])).toEqual([]);
});

test.for([
  {
    reason: "an integration with one shard needs no name",
    shards: [{ name: "a", trouble: ["0 of 1 ready"] }],
    expected: ["0 of 1 ready"],
  },
  {
    reason: "the unready shard is named",
    shards: [
      { name: "a-0", trouble: [] },
      { name: "a-1", trouble: ["0 of 1 ready"] },
    ],
    expected: ["a-1: 0 of 1 ready"],
  },
  {
    reason: "what all shards have is said once",
    shards: [
      { name: "a-0", trouble: ["x"] },
      { name: "a-1", trouble: ["x"] },
    ],
    expected: ["2 of 2 shards (all): x"],
  },
  {
    reason: "many shards are counted",
    shards: [0, 1, 2, 3, 4, 5].map((id) => ({ name: `a-${id}`, trouble: id < 5 ? ["x"] : ["y"] })),
    expected: ["5 of 6 shards (a-0, a-1, a-2 and 2 more): x", "a-5: y"],
  },
])("shards are summed up: $reason", ({ shards, expected }) => {
  expect(sumUpTrouble(shards)).toEqual(expected);
});
