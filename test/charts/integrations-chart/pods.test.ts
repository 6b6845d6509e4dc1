import { describe, expect, test } from "vitest";
import { found, type SettingRow } from "./setting-row.ts";

const hourly = { cron: "@hourly" };

describe("pods", () => {
  const toleration = { key: "dedicated", operator: "Exists", effect: "NoSchedule" };
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
  test.each<SettingRow>([
    {
      reason: "an environment says who they run as",
      settings: {},
      path: "pod spec.serviceAccountName",
      expected: "robot",
      parameters: { SERVICE_ACCOUNT_NAME: "robot" },
    },
    {
      reason: "an integration may say otherwise",
      settings: { serviceAccountName: "own" },
      path: "pod spec.serviceAccountName",
      expected: "own",
      parameters: { SERVICE_ACCOUNT_NAME: "robot" },
    },
    {
      reason: "node selector",
      settings: { nodeSelector: { disk: "1" } },
      path: "pod spec.nodeSelector",
      expected: { disk: "1" },
    },
    {
      reason: "tolerations",
      settings: { tolerations: [toleration] },
      path: "pod spec.tolerations",
      expected: [toleration],
    },
    { reason: "affinity", settings: { affinity }, path: "pod spec.affinity", expected: affinity },
    {
      reason: "priority class",
      settings: { priorityClassName: "high" },
      path: "pod spec.priorityClassName",
      expected: "high",
    },
    {
      reason: "annotations stay text",
      settings: { podAnnotations: { line: "3", yes: "on" } },
      path: "pod metadata.annotations",
      expected: { line: "3", yes: "on" },
    },
    {
      reason: "labels are added",
      settings: { podLabels: { team: "1" } },
      path: "pod metadata.labels",
      expected: { app: "a", component: "integration", team: "1", "tenon.dev/shard": "" },
    },
    {
      reason: "no annotations, no field for them",
      settings: {},
      path: "pod metadata.annotations",
      expected: undefined,
    },
    {
      reason: "they are restricted",
      settings: {},
      path: "pod spec.securityContext",
      expected: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    },
    {
      reason: "a user and groups can be given",
      settings: { podSecurityContext: { runAsUser: 7, runAsGroup: 8, fsGroup: 9 } },
      path: "pod spec.securityContext",
      expected: {
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
        runAsUser: 7,
        runAsGroup: 8,
        fsGroup: 9,
      },
    },
    {
      reason: "containers are restricted",
      settings: {},
      path: "container:int securityContext",
      expected: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    },
    {
      reason: "an image that writes to its own files may",
      settings: { readOnlyRootFilesystem: false },
      path: "container:int securityContext.readOnlyRootFilesystem",
      expected: false,
    },
    {
      reason: "metrics are at port 9090",
      settings: {},
      path: "container:int ports",
      expected: [{ name: "http", containerPort: 9090, protocol: "TCP" }],
    },
    {
      reason: "without certificates nothing runs before",
      settings: {},
      path: "pod spec.initContainers",
      expected: undefined,
    },
    {
      reason: "certificates are copied from an image",
      settings: { internalCertificates: true },
      path: "container:internal-certificates image",
      expected: "ca:1",
      parameters: { INTERNAL_CERTIFICATES_IMAGE: "ca", INTERNAL_CERTIFICATES_IMAGE_TAG: "1" },
    },
    {
      reason: "its pull policy is a parameter",
      settings: { internalCertificates: true },
      path: "container:internal-certificates imagePullPolicy",
      expected: "Never",
      parameters: { INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY: "Never" },
    },
    {
      reason: "they are copied to a volume",
      settings: { internalCertificates: true },
      path: "container:internal-certificates volumeMounts",
      expected: [{ name: "internal-certificates", mountPath: "/tmp/etc-pki/" }],
    },
    {
      reason: "by a command that needs no shell",
      settings: { internalCertificates: true },
      path: "container:internal-certificates command",
      expected: ["cp", "-R", "/etc/pki/.", "/tmp/etc-pki/"],
    },
    {
      reason: "with little",
      settings: { internalCertificates: true },
      path: "container:internal-certificates resources",
      expected: { requests: { cpu: "15m", memory: "10Mi" }, limits: { memory: "20Mi" } },
    },
    {
      reason: "and restricted",
      settings: { internalCertificates: true, readOnlyRootFilesystem: false },
      path: "container:internal-certificates securityContext",
      expected: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    },
    {
      reason: "that volume lives as long as the pod",
      settings: { internalCertificates: true },
      path: "pod spec.volumes[2]",
      expected: { name: "internal-certificates", emptyDir: {} },
    },
    {
      reason: "certificates are at /etc/pki",
      settings: { internalCertificates: true },
      path: "container:int volumeMounts[2]",
      expected: { name: "internal-certificates", mountPath: "/etc/pki/", readOnly: true },
    },
    {
      reason: "a CronJob has certificates as well",
      settings: { ...hourly, internalCertificates: true },
      path: "container:int volumeMounts[2].name",
      expected: "internal-certificates",
    },
  ])("$reason", (row) => expect(found(row)).toEqual(row.expected));
});
