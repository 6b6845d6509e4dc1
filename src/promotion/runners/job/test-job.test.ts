import { describe, expect, test } from "vitest";
import { valueAt } from "#base";
import { sampleScenario, sampleSnapshot } from "../../scenarios/sample-snapshots.fixture.ts";
import { readJob, readJobPods, jobTemplateRef, testJob } from "./test-job.ts";

const params = (...given: readonly [string, string][]) => given.map(([name, value]) => ({ name, value }));
const scenarioWith = (...given: readonly [string, string][]) =>
  sampleScenario("smoke", {
    resolverRef: { resolver: "builtin", params: params(...given) },
    params: [
      { name: "DEPTH", value: "2" },
      { name: "HOSTS", values: ["a", "b"] },
    ],
  });
const request = {
  name: "smoke-1",
  snapshot: sampleSnapshot(),
  scenario: scenarioWith(["name", "job"], ["configMap", "smoke"]),
  timeouts: { pipeline: 60_000_000_000n },
};
const ref = { configMap: "smoke", key: "job.yaml" };
const job = (pod: object) => JSON.stringify({ apiVersion: "batch/v1", kind: "Job", spec: { template: { spec: pod } } });
const container = {
  name: "test",
  image: "busybox",
  env: [
    { name: "SNAPSHOT", value: "forged" },
    { name: "A", value: "b" },
  ],
};

describe("a test as a Job", () => {
  test("gets SNAPSHOT and its parameters, the account of test runs, and one attempt", () => {
    const made = testJob(
      job({ containers: [container], serviceAccountName: "konflux-integration-runner" }),
      ref,
      request,
    );
    expect(made.metadata).toMatchObject({ name: "smoke-1", namespace: "t1" });
    expect(made["spec"]).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 60 });
    const pod = valueAt(made, ["spec", "template", "spec"]);
    expect(pod).toMatchObject({ serviceAccountName: "konflux-integration-runner", restartPolicy: "Never" });
    const env = valueAt(pod, ["containers", 0, "env"]);
    expect(env).toEqual([
      { name: "SNAPSHOT", value: JSON.stringify(request.snapshot.object["spec"]) },
      { name: "DEPTH", value: "2" },
      { name: "HOSTS", value: '["a","b"]' },
      { name: "A", value: "b" },
    ]);
  });

  test.for<{ pod: object; field: string }>([
    { pod: { hostNetwork: true }, field: "hostNetwork" },
    { pod: { hostPID: true }, field: "hostPID" },
    { pod: { serviceAccountName: "admin" }, field: "serviceAccountName" },
    { pod: { serviceAccount: "admin" }, field: "serviceAccount" },
    { pod: { nodeName: "control-plane" }, field: "nodeName" },
    {
      pod: {
        volumes: [
          { name: "a", emptyDir: {} },
          { name: "b", hostPath: { path: "/" } },
        ],
      },
      field: "volumes[1].hostPath",
    },
    {
      pod: { initContainers: [{ name: "i", securityContext: { privileged: true } }] },
      field: "initContainers[0].securityContext.privileged",
    },
    {
      pod: { containers: [{ ...container, securityContext: { capabilities: { add: ["SYS_ADMIN"] } } }] },
      field: "containers[0].securityContext.capabilities.add",
    },
    { pod: { containers: [{ ...container, ports: [{ hostPort: 80 }] }] }, field: "containers[0].ports.hostPort" },
    { pod: { securityContext: { sysctls: [{ name: "kernel.msgmax" }] } }, field: "securityContext.sysctls" },
    {
      pod: { securityContext: { seccompProfile: { type: "Unconfined" } } },
      field: "securityContext.seccompProfile.type",
    },
    ...(
      [
        [{ appArmorProfile: { type: "Unconfined" } }, "appArmorProfile.type"],
        [{ procMount: "Unmasked" }, "procMount"],
        [{ seLinuxOptions: { type: "spc_t" } }, "seLinuxOptions.type"],
        [{ seLinuxOptions: { user: "system_u" } }, "seLinuxOptions.user"],
        [{ seLinuxOptions: { role: "system_r" } }, "seLinuxOptions.role"],
        [{ windowsOptions: { hostProcess: true } }, "windowsOptions.hostProcess"],
      ] as const
    ).map(([securityContext, field]) => ({
      pod: { containers: [{ ...container, securityContext }] },
      field: `containers[0].securityContext.${field}`,
    })),
    {
      pod: { containers: [{ ...container, lifecycle: { preStop: { httpGet: { host: "169.254.169.254" } } } }] },
      field: "containers[0].lifecycle.preStop.httpGet.host",
    },
    {
      pod: { containers: [{ ...container, livenessProbe: { tcpSocket: { host: "10.0.0.1" } } }] },
      field: "containers[0].livenessProbe.tcpSocket.host",
    },
  ])("is refused with $field", ({ pod, field }) => {
    expect(() => testJob(job({ containers: [container], ...pod }), ref, request)).toThrow(
      `ConfigMap smoke, job.yaml: spec.template.spec.${field} is not allowed in a test; remove it`,
    );
  });

  test("is refused with an AppArmor profile that is switched off by annotation", () => {
    const annotations = { "container.apparmor.security.beta.kubernetes.io/test": "unconfined" };
    const template = { metadata: { annotations }, spec: { containers: [container] } };
    const text = JSON.stringify({ apiVersion: "batch/v1", kind: "Job", spec: { template } });
    expect(() => testJob(text, ref, request)).toThrow("spec.template.metadata.annotations");
  });

  test("may be confined more than by default", () => {
    const securityContext = {
      seccompProfile: { type: "RuntimeDefault" },
      appArmorProfile: { type: "RuntimeDefault" },
      seLinuxOptions: { type: "container_t", level: "s0:c1" },
      capabilities: { drop: ["ALL"] },
      procMount: "Default",
      sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "80" }],
    };
    const livenessProbe = { httpGet: { port: 80, path: "/" } };
    const confined = { ...container, securityContext, livenessProbe };
    expect(() => testJob(job({ containers: [confined], securityContext }), ref, request)).not.toThrow();
  });

  test.for([
    { text: "kind: Pod", message: "expected a Job of batch/v1" },
    { text: "- 1", message: "expected a Job of batch/v1" },
    { text: "{", message: "ConfigMap smoke, job.yaml" },
    { text: job({}), message: "the Job has no container" },
  ])("$text is refused: $message", ({ text, message }) => {
    expect(() => testJob(text, ref, request)).toThrow(message);
  });

  test.for([
    { given: [["name", "job"]] as [string, string][], message: "configMap is missing" },
    { given: [["name", "retag"]] as [string, string][], message: 'the resolver builtin has no "retag"' },
    {
      given: [
        ["name", "job"],
        ["image", "x"],
      ] as [string, string][],
      message: "unknown parameters image",
    },
  ])("the parameters $given are refused: $message", ({ given, message }) => {
    expect(() => jobTemplateRef({ scenario: scenarioWith(...given) })).toThrow(message);
  });
});

const pod = (name: string, createdAt: string, message: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, creationTimestamp: createdAt },
  status: { containerStatuses: [{ name: "test", state: { terminated: { message } } }] },
});

test("the last pod of a Job says how the test went", () => {
  const pods = [pod("b", "2026-01-02T00:00:01Z", "late\n"), pod("a", "2026-01-02T00:00:00Z", "early")];
  expect(readJobPods(pods)).toEqual([{ name: "test", output: "late" }]);
  expect(readJobPods([])).toEqual([]);
});

test.for([
  { conditions: [], progress: "running" },
  { conditions: [{ type: "SuccessCriteriaMet", status: "True" }], progress: "running" },
  { conditions: [{ type: "Complete", status: "True" }], progress: "succeeded" },
  { conditions: [{ type: "Failed", status: "True", message: "BackoffLimitExceeded" }], progress: "failed" },
  { conditions: [{ type: "Failed", status: "False" }], progress: "running" },
])("a Job with $conditions is $progress", ({ conditions, progress }) => {
  expect(
    readJob({ apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, status: { conditions } }).progress,
  ).toBe(progress);
});
