import { describe, expect, test } from "vitest";
import { valueAt } from "#base";
import type { KubeObject } from "#kube";
import { copiedPacPrefix } from "../../kinds/promotion-names.ts";
import { Release } from "../../kinds/release.ts";
import { ReleasePlan } from "../../kinds/release-plan.ts";
import { ReleasePlanAdmission } from "../../kinds/release-plan-admission.ts";
import { Snapshot } from "../../kinds/snapshot.ts";
import { readPipeline } from "../../releases/phase-pipeline.ts";
import { type PhaseRequest, type ReleasePhase, releasePhases } from "../../releases/phase-runner.ts";
import { releasePipelineRun, releaseRunName } from "./release-pipeline-run.ts";

interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

function objectOf({ apiVersion, kind }: ObjectKind, namespace: string, name: string, spec: object = {}): KubeObject {
  return { apiVersion, kind, metadata: { namespace, name, uid: `uid-${name}` }, spec };
}

const release: KubeObject = {
  ...objectOf(Release, "shop", "r1"),
  metadata: {
    namespace: "shop",
    name: "r1",
    uid: "0b5a4a3e-8b3c-4f9e-9a51-3a1d5d3c9f10",
    annotations: {
      [`${copiedPacPrefix}sha`]: "c0ffee",
      "tekton.dev/pipelinerunSpanContext": "{}",
      "example.com/other": "no",
    },
  },
};
const commit = "0123456789abcdef0123456789abcdef01234567";
const gitParams = [
  { name: "url", value: "https://git.example/acme/pipelines" },
  { name: "revision", value: "main" },
  { name: "pathInRepo", value: "push.yaml" },
];

function requestOf(phase: ReleasePhase, pipeline: object = {}, change: Partial<PhaseRequest> = {}): PhaseRequest {
  const read = readPipeline({ pipelineRef: { resolver: "git", params: gitParams }, ...pipeline });
  if (!read) throw new Error("expected a pipeline");
  return {
    phase,
    namespace: phase === "managed" ? "managed" : "shop",
    pipeline: read,
    release,
    plan: objectOf(ReleasePlan, "shop", "p1"),
    snapshot: objectOf(Snapshot, "shop", "s1", { application: "shop-app" }),
    admission: objectOf(ReleasePlanAdmission, "managed", "a1"),
    data: {},
    timeouts: {},
    attempt: 0,
    known: undefined,
    ...change,
  };
}

const settings = {
  usesEmptyDir: false,
  commit,
  config: "tenon/release-service-config",
  policy: objectOf({ apiVersion: "appstudio.redhat.com/v1alpha1", kind: "EnterpriseContractPolicy" }, "managed", "ec", {
    sources: [{ policy: ["oci::x"] }],
  }),
  verification: { verify_ec_task_bundle: "quay.io/ec@sha256:1", verify_ec_task_git_revision: "v1", other: "no" },
} as const;

function paramsOf(request: PhaseRequest, given: Parameters<typeof releasePipelineRun>[1] = settings): unknown {
  return valueAt(releasePipelineRun(request, given), ["spec", "params"]);
}

describe("the PipelineRun of a phase has the labels by which others find it", () => {
  const common = {
    "appstudio.openshift.io/service": "release",
    "release.appstudio.openshift.io/name": "r1",
    "release.appstudio.openshift.io/namespace": "shop",
    "appstudio.openshift.io/snapshot": "s1",
    "appstudio.openshift.io/application": "shop-app",
  };
  test.for([
    { reason: "of the tenant", phase: "tenant", attempt: 0, namespace: "shop", more: {} },
    {
      reason: "managed, in the namespace of the admission, with its attempt",
      phase: "managed",
      attempt: 0,
      namespace: "managed",
      more: { "release.appstudio.openshift.io/attempt": "0" },
    },
    {
      reason: "managed, repeated",
      phase: "managed",
      attempt: 2,
      namespace: "managed",
      more: { "release.appstudio.openshift.io/attempt": "2" },
    },
    { reason: "the final one", phase: "final", attempt: 0, namespace: "shop", more: {} },
  ] as const)("$reason", ({ phase, attempt, namespace, more }) => {
    const { metadata, ...rest } = releasePipelineRun(requestOf(phase, {}, { attempt }), settings);
    expect(rest).toMatchObject({ apiVersion: "tekton.dev/v1", kind: "PipelineRun" });
    expect(metadata.labels).toEqual({ ...common, "pipelines.appstudio.openshift.io/type": phase, ...more });
    expect(metadata).toMatchObject({
      namespace,
      name: releaseRunName(release, phase, attempt),
      generateName: `${phase}-`,
      finalizers: ["appstudio.redhat.com/release-finalizer"],
    });
    expect(metadata.annotations).toEqual({
      [`${copiedPacPrefix}sha`]: "c0ffee",
      "tekton.dev/pipelinerunSpanContext": "{}",
      "operator-sdk/primary-resource": "shop/r1",
      "operator-sdk/primary-resource-type": "Release.appstudio.redhat.com",
    });
  });

  test.for([
    {
      reason: "a ComponentGroup",
      spec: { componentGroup: "group" },
      label: { "appstudio.openshift.io/component-group": "group" },
    },
    { reason: "nothing", spec: {}, label: {} },
  ])("of a Snapshot of $reason", ({ spec, label }) => {
    const request = requestOf("tenant", {}, { snapshot: objectOf(Snapshot, "shop", "s1", spec) });
    const { "appstudio.openshift.io/application": _, ...others } = common;
    expect(releasePipelineRun(request, settings).metadata.labels).toEqual({
      ...others,
      "pipelines.appstudio.openshift.io/type": "tenant",
      ...label,
    });
  });

  test("a Release cannot say that its run belongs to another one", () => {
    const forged = {
      ...release,
      metadata: { ...release.metadata, annotations: { "operator-sdk/primary-resource": "other/r2" } },
    };
    const { metadata } = releasePipelineRun(requestOf("tenant", {}, { release: forged }), settings);
    expect(metadata.annotations).toMatchObject({ "operator-sdk/primary-resource": "shop/r1" });
  });
});

describe("the PipelineRun of a phase gets its parameters", () => {
  const objects = [
    { name: "release", value: "shop/r1" },
    { name: "releasePlan", value: "shop/p1" },
    { name: "snapshot", value: "shop/s1" },
  ];
  const git = [
    { name: "taskGitUrl", value: "https://git.example/acme/pipelines" },
    { name: "taskGitRevision", value: commit },
  ];
  const own = { name: "own", value: "1" };

  test.for(["tenant", "final"] as const)("%s: the objects of the tenant, and the parameters of the plan", (phase) => {
    expect(paramsOf(requestOf(phase, { params: [own] }))).toEqual([...objects, ...git, own]);
  });

  test("managed: also the admission, the config, and where and by which policy it is verified", () => {
    const pipelineRef = { resolver: "git", params: gitParams, ociStorage: "quay.io/acme/storage" };
    expect(paramsOf(requestOf("managed", { pipelineRef }))).toEqual([
      ...objects,
      { name: "releasePlanAdmission", value: "managed/a1" },
      { name: "releaseServiceConfig", value: "tenon/release-service-config" },
      { name: "enterpriseContractPolicy", value: '{"sources":[{"policy":["oci::x"]}]}' },
      { name: "verify_ec_task_bundle", value: "quay.io/ec@sha256:1" },
      { name: "verify_ec_task_git_revision", value: "v1" },
      { name: "ociStorage", value: "quay.io/acme/storage" },
      ...git,
    ]);
  });

  test("managed: what there is not is not passed", () => {
    expect(paramsOf(requestOf("managed", {}, { admission: undefined }), { usesEmptyDir: false })).toEqual([
      ...objects,
      git[0],
    ]);
  });

  test("a pipeline that is not from git has no commit", () => {
    const pipelineRef = { resolver: "bundles", params: [{ name: "url", value: "quay.io/x" }] };
    expect(paramsOf(requestOf("tenant", { pipelineRef }), { usesEmptyDir: false })).toEqual(objects);
  });

  test("a parameter of the plan does not replace one that says what is released", () => {
    const params = [{ name: "snapshot", value: "shop/forged" }, { name: "taskGitRevision", value: "forged" }, own];
    expect(paramsOf(requestOf("tenant", { params }))).toEqual([...objects, ...git, own]);
  });
});

describe("the spec of the PipelineRun of a phase", () => {
  test.for(releasePhases)("%s: as little as possible", (phase) => {
    const { spec } = releasePipelineRun(requestOf(phase), settings);
    expect(spec).toEqual({ pipelineRef: { resolver: "git", params: gitParams }, params: expect.any(Array) });
  });

  const workspace = { name: "release-workspace", size: "2Gi" };
  test.for([
    {
      reason: "a volume of its own",
      usesEmptyDir: false,
      expected: {
        name: "release-workspace",
        volumeClaimTemplate: {
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
        },
      },
    },
    { reason: "an emptyDir", usesEmptyDir: true, expected: { name: "release-workspace", emptyDir: {} } },
  ])("the workspace is $reason", ({ usesEmptyDir, expected }) => {
    const run = releasePipelineRun(requestOf("managed"), { ...settings, workspace, usesEmptyDir });
    expect(valueAt(run, ["spec", "workspaces"])).toEqual([expected]);
  });

  test("timeouts, the service account and settings by task are those of the pipeline", () => {
    const taskRunSpecs = [{ pipelineTaskName: "push", timeout: "50m0s" }];
    const request = requestOf(
      "managed",
      { serviceAccountName: "pusher", taskRunSpecs },
      { timeouts: { pipeline: 3_600_000_000_000n, tasks: 3_000_000_000_000n, finally: 600_000_000_000n } },
    );
    expect(releasePipelineRun(request, settings)["spec"]).toMatchObject({
      taskRunTemplate: { serviceAccountName: "pusher" },
      taskRunSpecs,
      timeouts: { pipeline: "1h0m0s", tasks: "50m0s", finally: "10m0s" },
    });
  });
});

describe("the name of a run", () => {
  test("is the same after a kill and with another version of Tenon, whatever else changed on the Release", () => {
    const changed = { ...release, metadata: { ...release.metadata, resourceVersion: "7", labels: { a: "b" } } };
    expect([release, changed].map((given) => releaseRunName(given, "managed", 0))).toEqual([
      "managed-5ny4iots",
      "managed-5ny4iots",
    ]);
  });

  test("is another one for each Release, phase and attempt", () => {
    const other = { ...release, metadata: { ...release.metadata, uid: "another" } };
    const names = [release, other].flatMap((given) =>
      releasePhases.flatMap((phase) => [0, 1].map((attempt) => releaseRunName(given, phase, attempt))),
    );
    expect(new Set(names.map((name) => name.slice(name.indexOf("-") + 1))).size).toBe(12);
    for (const name of names) expect(name).toMatch(/^(?:tenant|managed|final)-[0-9a-z]{8}$/);
  });
});
