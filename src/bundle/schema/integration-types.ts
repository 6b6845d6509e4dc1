import type { TypeDescription } from "../type-description.ts";
import { commonFields, defineType } from "./define-type.ts";

const integrations: readonly TypeDescription[] = [
  defineType(
    "Integration_v1",
    [
      ...commonFields,
      "name: string! searchable",
      "upstream",
      "schemas: [string]",
      "pr_check: IntegrationPrCheck_v1",
      "shardArguments: [string]",
      "after: [string]",
      "suspend: IntegrationSuspend_v1",
      "managed: [IntegrationManaged_v1]",
      // Null unless the file has managed too, which is an error.
      "operate: json",
    ],
    { datafile: "/app-sre/integration-1.yml" },
  ),
  defineType("IntegrationPrCheck_v1", [
    "cmd: string!",
    "state: boolean",
    "sqs: boolean",
    "disabled: boolean",
    "always_run: boolean",
    "no_validate_schemas: boolean",
    "run_for_valid_saas_file_changes: boolean",
    "early_exit: boolean",
    "check_only_affected_shards: boolean",
    "run_order: int",
    "imageRef",
  ]),
  defineType("IntegrationManaged_v1", [
    "namespace: Namespace_v1!",
    "spec: IntegrationSpec_v1!",
    // The whole spec, with the settings that only the chart knows.
    { name: "settings", type: "json", shows: "spec" },
    "sharding: IntegrationSharding_v1",
    "suspend: IntegrationSuspend_v1",
  ]),
  defineType("IntegrationSuspend_v1", ["reason: string!"]),
  defineType("IntegrationSpec_v1", [
    "cache: boolean",
    "command",
    "disableUnleash: boolean",
    "environmentAware: boolean",
    "extraArgs",
    "extraEnv: [IntegrationSpecExtraEnv_v1]",
    "internalCertificates: boolean",
    "logs: IntegrationSpecLogs_v1",
    "resources: DeployResources_v1",
    "fluentdResources: DeployResources_v1",
    "sleepDurationSecs",
    "state: boolean",
    "storage",
    "storageClassName",
    "trigger: boolean",
    "cron",
    "dashdotdb: boolean",
    "concurrencyPolicy",
    "restartPolicy",
    "successfulJobHistoryLimit: int",
    "failedJobHistoryLimit: int",
    "imageRef",
    "enablePushgateway: boolean",
  ]),
  defineType("IntegrationSpecExtraEnv_v1", ["secretName", "secretKey", "name", "value"]),
  defineType("IntegrationSpecLogs_v1", [
    "slack: boolean",
    "googleChat: boolean",
    "slackErrorFilter: boolean",
    "govSlack: boolean",
  ]),
  // Both may be absent here; app-interface's own description requires them, and fails the query where one is.
  defineType("DeployResources_v1", [
    "requests: ResourceRequestsRequirements_v1",
    "limits: ResourceLimitsRequirements_v1",
  ]),
  defineType("ResourceRequestsRequirements_v1", ["cpu: string!", "memory: string!"]),
  defineType("ResourceLimitsRequirements_v1", ["cpu", "memory: string!"]),
];

const overrides = ["imageRef", "resources: DeployResources_v1", "disabled: boolean"];

const sharding: readonly TypeDescription[] = [
  defineType("IntegrationSharding_v1", ["strategy: string!"], {
    isInterface: true,
    interfaceResolve: {
      strategy: "fieldMap",
      field: "strategy",
      fieldMap: {
        static: "StaticSharding_v1",
        "per-aws-account": "AWSAccountSharding_v1",
        "per-openshift-cluster": "OpenshiftClusterSharding_v1",
        "per-ocm-organization": "OCMOrganizationSharding_v1",
      },
    },
  }),
  defineType("StaticSharding_v1", ["strategy: string!", "shards: int!"], { interface: "IntegrationSharding_v1" }),
  ...[
    ["AWSAccount", "AWSAccount_v1", []] as const,
    ["OpenshiftCluster", "Cluster_v1", ["subSharding: SubSharding_v1"]] as const,
    ["OCMOrganization", "OpenShiftClusterManager_v1", []] as const,
  ].flatMap(([name, shard, more]) => [
    defineType(`${name}Sharding_v1`, ["strategy: string!", `shardSpecOverrides: [${name}ShardSpecOverride_v1]`], {
      interface: "IntegrationSharding_v1",
    }),
    defineType(`${name}ShardSpecOverride_v1`, [`shard: ${shard}!`, ...overrides, ...more]),
  ]),
  defineType("SubSharding_v1", ["strategy: string!"], {
    isInterface: true,
    interfaceResolve: { strategy: "fieldMap", field: "strategy", fieldMap: { static: "StaticSubSharding_v1" } },
  }),
  defineType("StaticSubSharding_v1", ["strategy: string!", "shards: int!"], { interface: "SubSharding_v1" }),
];

export const integrationTypes: readonly TypeDescription[] = [...integrations, ...sharding];
