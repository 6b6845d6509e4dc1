import { expect, test } from "vitest";
import { troubleOf } from "./workload-trouble.ts";

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
