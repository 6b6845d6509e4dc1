import type { JsonObject } from "#base";
import type { TypedQuery } from "#bundle";

const resources = "{ requests { cpu memory } limits { cpu memory } }";
const override = `imageRef disabled resources ${resources}`;
const secret = "{ path field version format }";

/** Fields that not every server has, by their types. */
const optionalFields = {
  Integration_v1: ["path", "shardArguments", "operate"],
  IntegrationManaged_v1: ["settings"],
  Namespace_v1: ["delete"],
  Cluster_v1: ["internal", "disable", "automationTokens"],
} as const;

type OptionalType = keyof typeof optionalFields;

/** Which of these fields a server has. */
export const optionalFieldsQuery: TypedQuery<
  Readonly<Record<string, { readonly fields: readonly { readonly name: string }[] | null } | null>>,
  JsonObject
> = {
  document: `query OptionalFields {
    ${Object.keys(optionalFields)
      .map((type) => `${type}: __type(name: "${type}") { fields { name } }`)
      .join("\n    ")}
  }`,
};

/** What is to run where. Fields of ours, and those that qontract-reconcile never asks for, only if `has` them. */
export function integrationsDocument(has: (type: OptionalType, field: string) => boolean): string {
  const optional = (type: OptionalType, field: string, below = ""): string =>
    has(type, field) ? `${field} ${below}` : "";
  return `query Integrations {
    integrations: integrations_v1 {
      name
      upstream
      ${optionalFields.Integration_v1.map((field) => optional("Integration_v1", field)).join(" ")}
      managed {
        ${optional("IntegrationManaged_v1", "settings")}
        namespace {
          path
          name
          ${optional("Namespace_v1", "delete")}
          environment { name parameters }
          cluster {
            name
            labels
            serverUrl
            insecureSkipTLSVerify
            ${optional("Cluster_v1", "internal")}
            ${optional("Cluster_v1", "disable", "{ integrations }")}
            automationToken ${secret}
            ${optional("Cluster_v1", "automationTokens", `{ name namespace active delete secret ${secret} }`)}
          }
        }
        spec {
          cache command disableUnleash environmentAware extraArgs
          extraEnv { secretName secretKey name value }
          internalCertificates
          logs { slack googleChat slackErrorFilter govSlack }
          resources ${resources}
          fluentdResources ${resources}
          sleepDurationSecs state storage storageClassName trigger cron dashdotdb concurrencyPolicy restartPolicy
          successfulJobHistoryLimit failedJobHistoryLimit imageRef enablePushgateway
        }
        sharding {
          strategy
          ... on StaticSharding_v1 { shards }
          ... on OpenshiftClusterSharding_v1 {
            shardSpecOverrides {
              shard { name }
              ${override}
              subSharding { strategy ... on StaticSubSharding_v1 { shards } }
            }
          }
          ... on OCMOrganizationSharding_v1 { shardSpecOverrides { shard { name orgId } ${override} } }
          ... on AWSAccountSharding_v1 { shardSpecOverrides { shard { name disable { integrations } } ${override} } }
        }
      }
    }
  }`;
}

interface Disableable {
  readonly name: string;
  readonly disable: { readonly integrations: readonly string[] | null } | null;
}

export const awsAccountsQuery: TypedQuery<{ readonly objects: readonly Disableable[] | null }, JsonObject> = {
  document: "query AwsAccounts { objects: awsaccounts_v1 { name disable { integrations } } }",
};

export const clustersQuery: TypedQuery<{ readonly objects: readonly Disableable[] | null }, JsonObject> = {
  document: "query Clusters { objects: clusters_v1 { name disable { integrations } } }",
};

export const ocmOrganizationsQuery: TypedQuery<
  { readonly objects: readonly { readonly name: string; readonly orgId: string }[] | null },
  JsonObject
> = { document: "query OcmOrganizations { objects: ocm_instances_v1 { name orgId } }" };

export const settingsQuery: TypedQuery<
  { readonly settings: readonly { readonly hashLength: number | null }[] | null },
  JsonObject
> = { document: "query Settings { settings: app_interface_settings_v1 { hashLength } }" };
