import { describe, expect, test } from "vitest";
import { valueAt } from "#base";
import { copiedPacPrefix, promotionAnnotations, promotionLabels } from "../../kinds/promotion-names.ts";
import { pullRequestLabels, sampleScenario, sampleSnapshot } from "../../scenarios/sample-snapshots.fixture.ts";
import { testRunName } from "../../scenarios/test-run-metadata.ts";
import { readPipelineRun, readTaskRun, resolvedPipelineRun, testPipelineRun } from "./test-pipeline-run.ts";

const scenario = sampleScenario(
  "e2e",
  { params: [{ name: "text", value: "x" }, { name: "list", values: ["a"] }, { name: "none" }] },
  {
    labels: { [promotionLabels.optional]: "true" },
    annotations: { "test.appstudio.openshift.io/kind": "e2e", other: "no" },
  },
);
const snapshot = sampleSnapshot({
  labels: {
    ...pullRequestLabels,
    [promotionLabels.rerun]: "all",
    "custom.appstudio.openshift.io/team": "shop",
    team: "no",
  },
  annotations: {
    [promotionAnnotations.testStatus]: "[]",
    [promotionAnnotations.reportStatus]: "{}",
    [promotionAnnotations.groupMembers]: "[]",
    "build.appstudio.redhat.com/commit": "abc",
    [`${copiedPacPrefix}log-url`]: "https://console.example/the-build",
  },
});
const request = { name: "e2e-abc", snapshot, scenario, timeouts: {} };

describe("P20: the PipelineRun of a test", () => {
  test("has the labels and annotations by which others find it, and none that grow", () => {
    const { metadata } = testPipelineRun(request);
    expect(metadata.labels).toEqual({
      "pipelines.appstudio.openshift.io/type": "test",
      "test.appstudio.openshift.io/scenario": "e2e",
      "test.appstudio.openshift.io/type": "component",
      "test.appstudio.openshift.io/optional": "true",
      "appstudio.openshift.io/snapshot": "shop-1",
      "appstudio.openshift.io/application": "shop",
      "appstudio.openshift.io/component": "web",
      "custom.appstudio.openshift.io/team": "shop",
      ...pullRequestLabels,
    });
    expect(metadata.annotations).toEqual({
      "build.appstudio.redhat.com/commit": "abc",
      "test.appstudio.openshift.io/kind": "e2e",
    });
    expect(metadata.ownerReferences).toMatchObject([{ kind: "Snapshot", name: "shop-1", controller: true }]);
    expect(metadata.finalizers).toEqual(["test.appstudio.openshift.io/pipelinerun"]);
  });

  test("names its own page, and never that of the build", () => {
    const logUrl = "https://console.example/t1/e2e-abc";
    const { metadata } = testPipelineRun({ ...request, logUrl });
    expect(metadata.annotations).toHaveProperty([`${copiedPacPrefix}log-url`], logUrl);
  });

  test("passes the Snapshot and the scenario's parameters, each with its type", () => {
    const { spec } = testPipelineRun({ ...request, timeouts: { tasks: 60_000_000_000n } });
    expect(spec).toEqual({
      pipelineRef: { resolver: "cluster", params: [{ name: "name", value: "e2e" }] },
      params: [
        { name: "SNAPSHOT", value: JSON.stringify(snapshot.object["spec"]) },
        { name: "text", value: "x" },
        { name: "list", value: ["a"] },
        { name: "none", value: {} },
      ],
      taskRunTemplate: { serviceAccountName: "konflux-integration-runner" },
      timeouts: { tasks: "1m0s" },
    });
  });

  test("passes the Snapshot by its name if the scenario asks for that, or if the Snapshot is large", () => {
    const asName = sampleScenario("e2e", {}, { annotations: { [promotionAnnotations.snapshotAsName]: "true" } });
    const value = (given: typeof request) => valueAt(testPipelineRun(given), ["spec", "params", 0, "value"]);
    expect(value({ ...request, scenario: asName })).toBe("shop-1");
    const components = Array.from({ length: 1_000 }, (_, index) => ({
      name: `c${index}`,
      containerImage: "x".repeat(90),
    }));
    const large = { ...snapshot, object: { ...snapshot.object, spec: { application: "shop", components } } };
    expect(value({ ...request, snapshot: large })).toBe("shop-1");
  });

  test("has a name that is the same after a kill, and another one when the test runs again", () => {
    const first = testRunName(snapshot, "e2e", undefined);
    expect(first).toMatch(/^e2e-[0-9a-z]{8}$/);
    expect(testRunName(snapshot, "e2e", undefined)).toBe(first);
    expect(testRunName(snapshot, "e2e", first)).not.toBe(first);
    expect(testRunName(snapshot, "scan", undefined)).not.toContain(first.slice(4));
    expect(testRunName(snapshot, `a${"b-".repeat(31)}`, undefined).length).toBeLessThanOrEqual(63);
  });
});

describe("a PipelineRun that was resolved whole", () => {
  const text = `
apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: {name: mine, namespace: other, labels: {a: b, appstudio.openshift.io/snapshot: forged}}
spec:
  params: [{name: SNAPSHOT, value: forged}, {name: extra, value: y}]
  timeouts: {pipeline: 1h}
  taskRunTemplate: {serviceAccountName: custom}
  pipelineSpec:
    tasks:
      - name: t
        taskRef: {resolver: git, params: [{name: url, value: "https://git.example/acme/web"}, {name: revision, value: main}]}
`;
  test("keeps its own settings, but neither its name and place nor what says which test it is", () => {
    const run = resolvedPipelineRun(text, { ...request, timeouts: { tasks: 60_000_000_000n } });
    expect(run.metadata).toMatchObject({
      name: "e2e-abc",
      namespace: "t1",
      labels: { a: "b", [promotionLabels.snapshot]: "shop-1" },
    });
    expect(run["spec"]).toMatchObject({
      taskRunTemplate: { serviceAccountName: "custom" },
      timeouts: { pipeline: "1h", tasks: "1m0s" },
    });
    const names = valueAt(run, ["spec", "params"]);
    expect(names).toMatchObject([
      { name: "SNAPSHOT" },
      { name: "text" },
      { name: "list" },
      { name: "none" },
      { name: "extra" },
    ]);
  });

  test("P21: its tasks follow the pull request", () => {
    const annotations = {
      [`${copiedPacPrefix}repo-url`]: "https://git.example/acme/web",
      [`${copiedPacPrefix}branch`]: "main",
      [`${copiedPacPrefix}sha`]: "c0ffee",
    };
    const own = sampleSnapshot({ labels: pullRequestLabels, annotations });
    const run = resolvedPipelineRun(text, { ...request, snapshot: own });
    expect(valueAt(run, ["spec", "pipelineSpec", "tasks", 0, "taskRef", "params"])).toEqual([
      { name: "url", value: "https://git.example/acme/web.git" },
      { name: "revision", value: "c0ffee" },
    ]);
  });

  test.for([
    { given: "kind: Pipeline", message: "expected a PipelineRun" },
    { given: "apiVersion: tekton.dev/v1beta1\nkind: PipelineRun", message: "expected tekton.dev/v1" },
    { given: "{", message: "the PipelineRun of scenario e2e" },
  ])("$given is refused: $message", ({ given, message }) => {
    expect(() => resolvedPipelineRun(given, request)).toThrow(message);
  });
});

test("only TaskRuns count as children of a run", () => {
  const status = {
    conditions: [{ type: "Succeeded", status: "True" }],
    childReferences: [{ kind: "TaskRun" }, { kind: "CustomRun" }, { kind: "TaskRun" }],
  };
  const run = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", metadata: { name: "r" }, status };
  expect(readPipelineRun(run)).toMatchObject({ progress: "succeeded", expectedTasks: 2 });
});

test.each([
  {
    reason: "CouldntGetPipeline",
    message: "resolution took longer than global timeout of 1m0s",
    next: 'no resolver of the cluster answers to "oracle": correct spec.resolverRef.resolver of the scenario, or install it',
  },
  {
    reason: "CouldntGetPipeline",
    message: 'pipelines.tekton.dev "nowhere" not found',
    next: "correct spec.resolverRef of the scenario",
  },
  { reason: "Failed", message: "Tasks Completed: 1 (Failed: 1)", next: undefined },
])("a run that ended with $reason, $message, says what to do: $next", ({ reason, message, next }) => {
  const status = { conditions: [{ type: "Succeeded", status: "False", reason, message }] };
  const spec = { pipelineRef: { resolver: "oracle" } };
  const run = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", metadata: { name: "r" }, spec, status };
  const expected = next === undefined ? message : `${message}; ${next}`;
  expect(readPipelineRun(run)).toMatchObject({ progress: "failed", message: expected });
});

test("the result of a TaskRun is found under its old name too", () => {
  const status = { results: [{ name: "HACBS_TEST_OUTPUT", value: "x\n" }] };
  const run = { apiVersion: "tekton.dev/v1", kind: "TaskRun", metadata: { name: "r" }, status };
  expect(readTaskRun(run)).toEqual({ name: "r", output: "x" });
});
