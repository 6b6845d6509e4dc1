import { expect, test } from "vitest";
import { builtInDescription } from "../schema/built-in.ts";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";

const queryable = createQueryable({ ...bareBundle({ types: [] }), types: builtInDescription });

const resources = "{ requests { cpu memory } limits { cpu memory } }";
const override = `imageRef disabled resources ${resources}`;

test.each([
  {
    reason: "A-27: the built-in schema answers the manager's query of integrations",
    document: `{
      integrations: integrations_v1 {
        name upstream
        managed {
          namespace {
            path name
            environment { name parameters }
            cluster { name labels serverUrl insecureSkipTLSVerify automationToken { path field version format } }
          }
          spec {
            cache command disableUnleash environmentAware extraArgs extraEnv { secretName secretKey name value }
            internalCertificates logs { slack googleChat slackErrorFilter govSlack }
            resources ${resources} fluentdResources ${resources}
            sleepDurationSecs state storage storageClassName trigger cron dashdotdb concurrencyPolicy restartPolicy
            successfulJobHistoryLimit failedJobHistoryLimit imageRef enablePushgateway
          }
          sharding {
            strategy
            ... on StaticSharding_v1 { shards }
            ... on OpenshiftClusterSharding_v1 {
              shardSpecOverrides { shard { name } ${override} subSharding { strategy ... on StaticSubSharding_v1 { shards } } }
            }
            ... on OCMOrganizationSharding_v1 { shardSpecOverrides { shard { name orgId } ${override} } }
            ... on AWSAccountSharding_v1 { shardSpecOverrides { shard { name disable { integrations } } ${override} } }
          }
        }
      }
    }`,
  },
  {
    reason: "A-28: the built-in schema answers the queries for shards",
    document: `{
      aws_accounts: awsaccounts_v1 { name disable { integrations } }
      ocm_organizations: ocm_instances_v1 { name orgId }
      clusters: clusters_v1 { name disable { integrations } }
    }`,
  },
  {
    reason: "A-29: the built-in schema answers the queries for allowed schemas and settings",
    document: "{ integrations_v1 { name description schemas } app_interface_settings_v1 { vault hashLength } }",
  },
  {
    reason: "A-30: the built-in schema answers the queries for disabled clusters and deleted namespaces",
    document: `{
      clusters_v1 { internal disable { integrations } automationTokens { name namespace active delete secret { path field } } }
      namespaces_v1 { delete }
    }`,
  },
])("$reason", async ({ document }) => {
  expect((await queryable.query(document)).errors).toBeUndefined();
});
