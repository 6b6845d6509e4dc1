import { describe, expect, test } from "vitest";
import { found, type SettingRow } from "./setting-row.ts";

const hourly = { cron: "@hourly" };

describe("the workload of an integration", () => {
  test.each<SettingRow>([
    {
      reason: "B-8: an integration without a schedule or a volume is a Deployment",
      settings: {},
      path: "kind",
      expected: "Deployment",
    },
    {
      reason: "B-8: an integration with state is a StatefulSet",
      settings: { state: true },
      path: "kind",
      expected: "StatefulSet",
    },
    {
      reason: "B-8: an integration with a cache is a StatefulSet",
      settings: { cache: true },
      path: "kind",
      expected: "StatefulSet",
    },
    {
      reason: "B-8: an integration with a schedule is a CronJob",
      settings: { ...hourly, state: true },
      path: "kind",
      expected: "CronJob",
    },
    { reason: "the API of Deployments", settings: {}, path: "apiVersion", expected: "apps/v1" },
    { reason: "the API of StatefulSets", settings: { state: true }, path: "apiVersion", expected: "apps/v1" },
    { reason: "the API of CronJobs", settings: hourly, path: "apiVersion", expected: "batch/v1" },
    {
      reason: "state: false and cache: false make a Deployment",
      settings: { state: false, cache: false },
      path: "kind",
      expected: "Deployment",
    },
    {
      reason: "the object is called like the integration",
      settings: { name: "b" },
      path: "metadata.name",
      expected: "b",
    },
    {
      reason: "a name that YAML takes for a number stays text",
      settings: { name: "1e3" },
      path: "metadata.name",
      expected: "1e3",
    },
    {
      reason: "a long name is not cut",
      settings: { name: "n".repeat(300) },
      path: "metadata.name",
      expected: "n".repeat(300),
    },
    {
      reason: "the label app is the integration",
      settings: { name: "b" },
      path: "metadata.labels",
      expected: { app: "b", "tenon.dev/shard": "" },
    },
    {
      reason: "B-14: a Deployment keeps five old ReplicaSets",
      settings: {},
      path: "spec.revisionHistoryLimit",
      expected: 5,
    },
    {
      reason: "a StatefulSet names the Service",
      settings: { state: true },
      path: "spec.serviceName",
      expected: "integrations",
    },
  ])("$reason", (row) => expect(found(row)).toEqual(row.expected));
});

describe("CronJobs", () => {
  test.each<SettingRow>([
    {
      reason: "the schedule is text",
      settings: { cron: "30 3 * * MON-FRI" },
      path: "spec.schedule",
      expected: "30 3 * * MON-FRI",
    },
    {
      reason: "B-22: runs of a CronJob may overlap by default",
      settings: hourly,
      path: "spec.concurrencyPolicy",
      expected: "Allow",
    },
    {
      reason: "runs of a CronJob do not overlap with concurrencyPolicy: Forbid",
      settings: { ...hourly, concurrencyPolicy: "Forbid" },
      path: "spec.concurrencyPolicy",
      expected: "Forbid",
    },
    {
      reason: "B-22: a CronJob keeps three successful Jobs by default",
      settings: hourly,
      path: "spec.successfulJobsHistoryLimit",
      expected: 3,
    },
    {
      reason: "B-22: a CronJob may keep zero successful Jobs",
      settings: { ...hourly, successfulJobHistoryLimit: 0 },
      path: "spec.successfulJobsHistoryLimit",
      expected: 0,
    },
    {
      reason: "B-22: a CronJob keeps one failed Job by default",
      settings: hourly,
      path: "spec.failedJobsHistoryLimit",
      expected: 1,
    },
    {
      reason: "a CronJob may keep zero failed Jobs",
      settings: { ...hourly, failedJobHistoryLimit: 0 },
      path: "spec.failedJobsHistoryLimit",
      expected: 0,
    },
    {
      reason: "B-22: a failed container of a CronJob is restarted by default",
      settings: hourly,
      path: "pod spec.restartPolicy",
      expected: "OnFailure",
    },
    {
      reason: "a failed container of a CronJob is not restarted with restartPolicy: Never",
      settings: { ...hourly, restartPolicy: "Never" },
      path: "pod spec.restartPolicy",
      expected: "Never",
    },
    { reason: "an enabled CronJob is not suspended", settings: hourly, path: "spec.suspend", expected: false },
    {
      reason: "the CronJob of a disabled shard is suspended",
      settings: { ...hourly, shard_specs: [{ shard_spec_overrides: { disabled: true } }] },
      path: "spec.suspend",
      expected: true,
    },
    { reason: "a CronJob has no metrics port", settings: hourly, path: "container:int ports", expected: undefined },
    {
      reason: "a CronJob has no liveness probe",
      settings: hourly,
      path: "container:int livenessProbe",
      expected: undefined,
    },
    {
      reason: "B-25: the Service does not select the pods of a CronJob",
      settings: hourly,
      path: "pod metadata.labels.component",
      expected: undefined,
    },
  ])("$reason", (row) => expect(found(row)).toEqual(row.expected));
});
