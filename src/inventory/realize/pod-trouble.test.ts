import { expect, test } from "vitest";
import { podTrouble } from "./pod-trouble.ts";

const terminated = { exitCode: 137, reason: "OOMKilled" };

test.for([
  {
    reason: "its image cannot be pulled",
    status: {
      phase: "Pending",
      containerStatuses: [{ name: "int", image: "quay.io/a:v1", state: { waiting: { reason: "ImagePullBackOff" } } }],
    },
    expected: "ImagePullBackOff: quay.io/a:v1",
  },
  {
    reason: "no node has room",
    status: {
      phase: "Pending",
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message:
            "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
        },
      ],
    },
    expected: "cannot be scheduled: 2 Insufficient cpu",
  },
  {
    reason: "it crashes",
    status: {
      phase: "Running",
      containerStatuses: [
        {
          name: "int",
          restartCount: 5,
          state: { waiting: { reason: "CrashLoopBackOff" } },
          lastState: { terminated: { exitCode: 1, reason: "Error" } },
        },
      ],
    },
    expected: "CrashLoopBackOff: exit code 1, 5 restarts",
  },
  {
    reason: "it was killed and starts again",
    status: {
      phase: "Running",
      containerStatuses: [{ restartCount: 1, ready: false, state: { running: {} }, lastState: { terminated } }],
    },
    expected: "OOMKilled (exit code 137), 1 restart",
  },
  {
    reason: "a Secret is missing",
    status: {
      phase: "Pending",
      containerStatuses: [
        { state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "x" not found' } } },
      ],
    },
    expected: 'CreateContainerConfigError: secret "x" not found',
  },
  {
    reason: "its init container failed",
    status: {
      phase: "Failed",
      initContainerStatuses: [{ name: "setup", state: { terminated: { exitCode: 2, reason: "Error" } } }],
      containerStatuses: [{ name: "int", state: { waiting: { reason: "PodInitializing" } } }],
    },
    expected: "container setup ended: exit code 2",
  },
  {
    reason: "its node evicted it",
    status: { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
    expected: "Evicted: The node was low on resource: memory.",
  },
  {
    reason: "it starts",
    status: { phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "ContainerCreating" } } }] },
    expected: undefined,
  },
  {
    reason: "it is ready, although it was restarted once",
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ restartCount: 1, ready: true, lastState: { terminated } }],
    },
    expected: undefined,
  },
  { reason: "it ended as it should", status: { phase: "Succeeded" }, expected: undefined },
])("a pod is $expected, because $reason", ({ status, expected }) => {
  expect(podTrouble({ status })).toBe(expected);
});
