import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { nextStep, podProblem, podRun } from "./pod-state.ts";

const annotations = { "integration.rock8s.com/apparatus-spec": "h" };
const pod = (status: object, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "x", uid: "u", annotations, ...metadata },
  status,
});
const waiting = (reason: string, message?: string) => ({ name: "main", state: { waiting: { reason, message } } });

test.for([
  { pod: undefined, step: "create", reason: "there is none" },
  { pod: pod({ phase: "Pending" }), step: "ask whether it is ready", reason: "it starts" },
  { pod: pod({ phase: "Running" }), step: "ask whether it is ready", reason: "it runs" },
  { pod: pod({ phase: "Failed" }), step: "replace", reason: "it has failed" },
  { pod: pod({ phase: "Succeeded" }), step: "replace", reason: "it is over" },
  { pod: pod({ phase: "Running" }, { annotations: {} }), step: "replace", reason: "it is of another spec" },
  { pod: pod({ phase: "Failed" }, { deletionTimestamp: "now" }), step: "wait for its end", reason: "it goes" },
])("the next step: $step, because $reason", ({ pod: found, step }) => {
  expect(nextStep(found, "h")).toBe(step);
});

describe("H86: the problem of an apparatus pod is named by its container and reason", () => {
  test.for([
    { status: { phase: "Pending" }, says: undefined, reason: "nothing" },
    { status: { containerStatuses: [waiting("ContainerCreating")] }, says: undefined, reason: "it is on its way" },
    {
      status: { containerStatuses: [waiting("ErrImagePull", "not\nfound")] },
      says: "container main: ErrImagePull: not found",
      reason: "an image that is not there",
    },
    {
      status: { initContainerStatuses: [waiting("ImagePullBackOff")] },
      says: "container main: ImagePullBackOff",
      reason: "one of an init container",
    },
    {
      status: {
        containerStatuses: [
          { ...waiting("CrashLoopBackOff", "back-off"), lastState: { terminated: { exitCode: 3, reason: "Error" } } },
        ],
      },
      says: "container main: CrashLoopBackOff, ended with exit code 3",
      reason: "a crash loop",
    },
    {
      status: { containerStatuses: [{ name: "main", state: { terminated: { exitCode: 137, reason: "OOMKilled" } } }] },
      says: "container main: ended with exit code 137 (OOMKilled)",
      reason: "out of memory",
    },
    {
      status: {
        conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes" }],
      },
      says: "Unschedulable: 0/1 nodes",
      reason: "no place",
    },
    { status: { phase: "Failed", reason: "Evicted", message: "disk" }, says: "Evicted: disk", reason: "evicted" },
  ])("$reason", ({ status, says }) => {
    expect(podProblem(pod(status))).toBe(says);
  });
});

const run = (restartCount: number) => podRun(pod({ containerStatuses: [{ name: "main", restartCount }] }));

test("a restarted container changes the run of its pod", () => {
  expect(run(0)).toBe(run(0));
  expect(run(1)).not.toBe(run(0));
});
