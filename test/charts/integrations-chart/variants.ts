import type { JsonObject } from "#base";
import { clusterShard, oneShard, valuesOf } from "./render-integrations.ts";

const quantities = { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: 0.5, memory: "256Mi" } };
const logs = { slack: true, slackErrorFilter: true, googleChat: true, cloudwatch: true, govSlack: true };

const everything: JsonObject = {
  resources: quantities,
  fluentdResources: quantities,
  imageRef: "v1",
  command: "run",
  extraArgs: "--all",
  entrypoint: ["/bin/run"],
  args: ["--shard", "$(SHARD_KEY)"],
  extraEnv: [
    { name: "DRY_RUN", value: "--no-dry-run" },
    { name: "ODD", value: 'a: b # "c" ☃\n{{ d }} ${IMAGE_TAG} ${NO} %s' },
    { secretName: "fuel", secretKey: "API_KEY" },
  ],
  environmentAware: true,
  disableUnleash: true,
  dashdotdb: true,
  enablePushgateway: true,
  internalCertificates: true,
  sleepDurationSecs: "600",
  logs,
  trigger: true,
  livenessProbe: { tcpSocket: { port: "http" }, initialDelaySeconds: 5 },
  readinessProbe: { periodSeconds: 3 },
  serviceAccountName: "default",
  imagePullSecrets: [{ name: "pull" }],
  nodeSelector: { disk: "1" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
  affinity: { podAntiAffinity: {} },
  priorityClassName: "system-cluster-critical",
  podAnnotations: { line: "3", text: "two\nlines" },
  podLabels: { team: "1" },
  podSecurityContext: { runAsUser: 7, runAsGroup: 8, fsGroup: 9 },
  readOnlyRootFilesystem: false,
};

const shards = [
  clusterShard("c1", { disabled: true, shard: { name: "c1" }, subSharding: { strategy: "static", shards: 2 } }),
  clusterShard("c2", { imageRef: "v2", resources: { requests: { cpu: 2 } } }),
  { ...clusterShard("c3"), shards: "2", shard_id: "0", shard_name_suffix: "-c3-0" },
];
const schedule = {
  cron: "*/5 * * * *",
  concurrencyPolicy: "Forbid",
  restartPolicy: "Never",
  successfulJobHistoryLimit: 0,
  failedJobHistoryLimit: 2,
};

/** Values that between them have every setting, in each kind of object, alone and together. */
export const variants: readonly { readonly name: string; readonly values: JsonObject }[] = [
  { name: "nothing", values: {} },
  { name: "a Deployment", values: valuesOf({}) },
  { name: "a StatefulSet with state", values: valuesOf({ state: true }) },
  { name: "a StatefulSet with a cache", values: valuesOf({ cache: true, storage: "2Gi", storageClassName: "fast" }) },
  { name: "a CronJob", values: valuesOf({ cron: "@hourly" }) },
  { name: "the manager", values: valuesOf({ name: "integrations-manager", environmentAware: true }) },
  { name: "shards", values: valuesOf({ shard_specs: shards }, { name: "b", cache: true, shard_specs: shards }) },
  { name: "shards of CronJobs", values: valuesOf({ ...schedule, shard_specs: shards }) },
  { name: "everything, as a Deployment", values: valuesOf(everything) },
  { name: "everything, as a StatefulSet", values: valuesOf({ ...everything, state: true, cache: true }) },
  { name: "everything, as a CronJob", values: valuesOf({ ...everything, ...schedule, state: true }) },
  ...Object.keys(logs).flatMap((key) => {
    const name = `logs to ${key}`;
    const some = key === "slackErrorFilter" ? { slack: true, [key]: true } : { [key]: true };
    return [
      { name, values: valuesOf({ logs: some }, { name: "c", cron: "@daily", logs: some, shard_specs: [oneShard] }) },
    ];
  }),
  {
    name: "many in one namespace",
    values: valuesOf(
      { ...everything, name: "one", state: true, shard_specs: shards },
      { ...everything, name: "two", shard_specs: shards },
      { ...everything, ...schedule, name: "three", shard_specs: shards },
      { name: "four" },
    ),
  },
];
