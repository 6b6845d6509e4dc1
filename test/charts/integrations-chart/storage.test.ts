import { describe, expect, test } from "vitest";
import { found, type SettingRow } from "./setting-row.ts";

const hourly = { cron: "@hourly" };

describe("storage", () => {
  const claim = "spec.volumeClaimTemplates[0]";
  test.each<SettingRow>([
    {
      reason: "B-21: an integration with state has a volume claim",
      settings: { state: true },
      path: `${claim}.spec`,
      expected: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    {
      reason: "B-21: an integration with a cache has the same volume claim",
      settings: { cache: true },
      path: `${claim}.metadata.name`,
      expected: "storage",
    },
    {
      reason: "both have one claim",
      settings: { cache: true, state: true },
      path: "spec.volumeClaimTemplates[1]",
      expected: undefined,
    },
    {
      reason: "the claim is as large as storage says",
      settings: { state: true, storage: "20Gi" },
      path: `${claim}.spec.resources.requests.storage`,
      expected: "20Gi",
    },
    {
      reason: "a storage class is named if it is given",
      settings: { cache: true, storageClassName: "gp3-csi" },
      path: `${claim}.spec.storageClassName`,
      expected: "gp3-csi",
    },
    {
      reason: "a Deployment has no claim",
      settings: { storage: "20Gi" },
      path: "spec.volumeClaimTemplates",
      expected: undefined,
    },
    {
      reason: "a cache is at /.cache",
      settings: { cache: true },
      path: "container:int volumeMounts[2]",
      expected: { name: "storage", mountPath: "/.cache", subPath: "cache" },
    },
    {
      reason: "state is at /state",
      settings: { state: true },
      path: "container:int volumeMounts[2]",
      expected: { name: "storage", mountPath: "/state", subPath: "state" },
    },
    {
      reason: "a CronJob has no volume to keep",
      settings: { ...hourly, cache: true },
      path: "container:int volumeMounts[2]",
      expected: undefined,
    },
    {
      reason: "there is always a /tmp",
      settings: {},
      path: "container:int volumeMounts[0]",
      expected: { name: "tmp", mountPath: "/tmp" },
    },
    {
      reason: "the configuration of qontract-reconcile is there if its Secret is",
      settings: {},
      path: "pod spec.volumes[1]",
      expected: { name: "config", secret: { secretName: "toml", optional: true } },
      parameters: { QONTRACT_RECONCILE_TOML_SECRET_NAME: "toml" },
    },
    {
      reason: "the configuration is at /config",
      settings: {},
      path: "container:int volumeMounts[1]",
      expected: { name: "config", mountPath: "/config", readOnly: true },
    },
    {
      reason: "state has the Secret for AWS, if it is there",
      settings: { state: true },
      path: "pod spec.volumes[2]",
      expected: { name: "aws-config", secret: { secretName: "aws", optional: true } },
      parameters: { AWS_CONFIG_SECRET_NAME: "aws" },
    },
    {
      reason: "B-20: an integration with state has a service account token for AWS",
      settings: { state: true },
      path: "pod spec.volumes[3].projected.sources[0].serviceAccountToken",
      expected: { audience: "openshift", expirationSeconds: 1800, path: "token" },
    },
  ])("$reason", (row) => expect(found(row)).toEqual(row.expected));
});
