import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import {
  claimsAutomation,
  conditionState,
  isReleaseFinished,
  isReleaseRefused,
  readAttempts,
  readProcessing,
  releaseStatus,
  specOf,
} from "./release-state.ts";

function releaseWith(status: unknown, labels: Readonly<Record<string, string>> = {}): KubeObject {
  const { apiVersion, kind } = Release;
  return { apiVersion, kind, metadata: { namespace: "shop", name: "r1", labels }, status };
}

/** By condition, its status and reason: `True/Succeeded`. */
function releaseIn(conditions: Readonly<Record<string, string>>): KubeObject {
  return releaseWith({
    conditions: Object.entries(conditions).map(([type, text]) => {
      const [status, reason] = text.split("/");
      return { type, status, reason };
    }),
  });
}

describe("P36: how far a condition of a Release is", () => {
  test.for([
    { reason: "it is not there", conditions: {}, state: "absent" },
    { reason: "only another one is there", conditions: { Validated: "True/Succeeded" }, state: "absent" },
    { reason: "it runs", conditions: { Released: "False/Progressing" }, state: "progressing" },
    { reason: "it ended well", conditions: { Released: "True/Succeeded" }, state: "succeeded" },
    { reason: "skipped is True", conditions: { Released: "True/Skipped" }, state: "skipped" },
    { reason: "it ended otherwise", conditions: { Released: "False/Failed" }, state: "failed" },
    { reason: "False is finished unless it runs", conditions: { Released: "False/Other" }, state: "failed" },
    { reason: "True is finished whatever it says", conditions: { Released: "True/Progressing" }, state: "succeeded" },
  ] as const)("$state: $reason", ({ conditions, state }) => {
    expect(conditionState(releaseIn(conditions), "Released")).toBe(state);
  });

  test.for([undefined, "text", { conditions: "none" }, { conditions: [null, "text"] }])("absent in %j", (status) => {
    expect(conditionState(releaseWith(status), "Released")).toBe("absent");
  });
});

describe("P36: whether a Release is finished", () => {
  const [done, failed, running, skipped] = ["True/Succeeded", "False/Failed", "False/Progressing", "True/Skipped"];
  test.for([
    { reason: "nothing happened yet", conditions: {}, isFinished: false, isRefused: false },
    {
      reason: "it runs",
      conditions: { Validated: done, Released: running, FinalPipelineProcessed: running },
      isFinished: false,
      isRefused: false,
    },
    {
      reason: "all of it succeeded",
      conditions: { Validated: done, Released: done, FinalPipelineProcessed: done },
      isFinished: true,
      isRefused: false,
    },
    {
      reason: "there was no final pipeline",
      conditions: { Validated: done, Released: done, FinalPipelineProcessed: skipped },
      isFinished: true,
      isRefused: false,
    },
    {
      reason: "it failed, but its final pipeline has yet to start",
      conditions: { Validated: done, Released: failed, TenantPipelineProcessed: failed },
      isFinished: false,
      isRefused: false,
    },
    {
      reason: "it failed, but its final pipeline still runs",
      conditions: { Validated: done, Released: failed, FinalPipelineProcessed: running },
      isFinished: false,
      isRefused: false,
    },
    {
      reason: "it failed, and its final pipeline succeeded",
      conditions: { Validated: done, Released: failed, FinalPipelineProcessed: done },
      isFinished: true,
      isRefused: false,
    },
    {
      reason: "its final pipeline failed",
      conditions: { Validated: done, Released: failed, FinalPipelineProcessed: failed },
      isFinished: true,
      isRefused: false,
    },
    {
      reason: "the final pipeline is done, but the outcome is not noted yet",
      conditions: { Validated: done, Released: running, FinalPipelineProcessed: done },
      isFinished: false,
      isRefused: false,
    },
    {
      reason: "it was not valid before anything ran, and nothing will",
      conditions: { Validated: failed, Released: failed },
      isFinished: true,
      isRefused: true,
    },
    {
      reason: "it was not valid any more after it had started, and its final pipeline will still run",
      conditions: { Validated: failed, Released: failed, TenantCollectorsPipelineProcessed: skipped },
      isFinished: false,
      isRefused: false,
    },
  ])("$isFinished: $reason", ({ conditions, isFinished, isRefused }) => {
    const given = Object.entries(conditions).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const release = releaseIn(Object.fromEntries(given));
    expect([isReleaseFinished(release), isReleaseRefused(release)]).toEqual([isFinished, isRefused]);
  });
});

describe("the status of a Release is read without trusting it", () => {
  const run = {
    pipelineRun: "shop/tenant-1",
    roleBindings: { tenantRoleBinding: "shop/b" },
    startTime: "2026-01-02T03:04:05Z",
    completionTime: "2026-01-02T03:05:05Z",
  };
  test.for([
    { reason: "each phase has its own", status: { tenantProcessing: run, managedProcessing: {} }, expected: run },
    { reason: "none is there", status: { finalProcessing: run }, expected: {} },
    { reason: "it is not an object", status: { tenantProcessing: "run" }, expected: {} },
    {
      reason: "fields of another type are left out",
      status: {
        tenantProcessing: {
          ...run,
          pipelineRun: 1,
          roleBindings: { tenantRoleBinding: "shop/b", managedRoleBinding: 2 },
        },
      },
      expected: { roleBindings: run.roleBindings, startTime: run.startTime, completionTime: run.completionTime },
    },
    {
      reason: "nothing has its type",
      status: { tenantProcessing: { pipelineRun: {}, roleBindings: [], startTime: 1, completionTime: null } },
      expected: {},
    },
  ])("the run of a phase: $reason", ({ status, expected }) => {
    expect(readProcessing(releaseWith(status), "tenant")).toEqual(expected);
  });

  test.for([
    { reason: "none yet", status: {}, expected: [] },
    { reason: "no list", status: { managedPipelineAttempts: {} }, expected: [] },
    {
      reason: "in their order",
      status: { managedPipelineAttempts: [{ status: "Failed" }, { status: "Progressing" }] },
      expected: [{ status: "Failed" }, { status: "Progressing" }],
    },
  ])("P37: attempts: $reason", ({ status, expected }) => {
    expect(readAttempts(releaseWith(status))).toEqual(expected);
  });

  test("a Release without spec and status has nothing in them", () => {
    const release = releaseWith(undefined);
    expect([specOf(release), releaseStatus(release)]).toEqual([{}, {}]);
  });

  test.for([
    { reason: "the label is true", labels: { [promotionLabels.automated]: "true" }, isAutomated: true },
    { reason: "the label is false", labels: { [promotionLabels.automated]: "false" }, isAutomated: false },
    { reason: "there is no label", labels: {}, isAutomated: false },
  ])("it was made by a controller: $isAutomated, because $reason", ({ labels, isAutomated }) => {
    expect(claimsAutomation(releaseWith({}, labels))).toBe(isAutomated);
  });
});
