import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { sampleScenario, sampleSnapshot } from "../../scenarios/sample-snapshots.fixture.ts";
import { readResolution, resolutionKind, resolutionRequest } from "./resolution-request.ts";

const created = "2026-01-02T03:04:05Z";
const [asked, unanswered] = [
  Date.parse(created),
  /no resolver of the cluster answers to "oracle": correct spec\.resolverRef\.resolver of the scenario, or install it$/,
];

function resolution(status?: object): KubeObject {
  const labels = { "resolution.tekton.dev/type": "oracle" };
  return {
    ...resolutionKind,
    metadata: { name: "e2e-abc", creationTimestamp: created, labels },
    ...(status ? { status } : {}),
  };
}

function ended(status: "True" | "False", message: string, data?: string): KubeObject {
  const conditions = [{ type: "Succeeded", status, reason: "Said", message }];
  return resolution({ conditions, ...(data === undefined ? {} : { data: Buffer.from(data).toString("base64") }) });
}

test("a request for a whole PipelineRun names the resolver, its parameters and the Snapshot", () => {
  const scenario = sampleScenario("e2e");
  const request = resolutionRequest({ name: "e2e-abc", snapshot: sampleSnapshot(), scenario, timeouts: {} });
  expect(request).toMatchObject({
    kind: "ResolutionRequest",
    metadata: {
      name: "e2e-abc",
      labels: { "resolution.tekton.dev/type": "cluster" },
      ownerReferences: [{ kind: "Snapshot", name: "shop-1" }],
    },
    spec: { params: [{ name: "name", value: "e2e" }] },
  });
});

test.each([
  {
    reason: "Tekton has resolved it",
    request: ended("True", "", "kind: PipelineRun"),
    expected: { kind: "resolved", text: "kind: PipelineRun" },
  },
  { reason: "Tekton has only just been asked", request: resolution(), expected: { kind: "waiting" } },
  {
    reason: "Tekton is at it until the deadline",
    request: resolution(),
    afterMs: 120_000,
    expected: { kind: "waiting" },
  },
  {
    reason: "Tekton says nothing for longer than the deadline",
    request: resolution(),
    afterMs: 120_001,
    expected: { kind: "refused", message: expect.stringMatching(unanswered) },
  },
  {
    reason: "Tekton itself gave up waiting for a resolver",
    request: ended("False", "resolution took longer than global timeout of 1m0s"),
    expected: { kind: "refused", message: expect.stringMatching(unanswered) },
  },
  {
    reason: "the resolver has no such file",
    request: ended("False", "file does not exist"),
    expected: {
      kind: "refused",
      message: "Tekton cannot resolve the PipelineRun: file does not exist; correct spec.resolverRef of the scenario",
    },
  },
])("a resolution is $expected.kind when $reason", ({ request, afterMs = 0, expected }) => {
  expect(readResolution(request, asked + afterMs)).toMatchObject(expected);
});
