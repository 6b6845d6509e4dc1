import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { sampleBundle } from "../sample-bundle.fixture.ts";
import { BundleValidator } from "./bundle-validator.ts";

const namespace = {
  $schema: "/openshift/lean-namespace-1.yml",
  name: "n",
  cluster: { name: "c", serverUrl: "https://c", automationToken: { path: "a", field: "b" } },
  environment: { name: "e" },
};
const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "1Gi" } };
const account = (name: string) => ({ $schema: "/aws/account-1.yml", name });
const entry = (more: JsonObject = {}) => ({ namespace: { $ref: "/n.yml" }, spec: { resources }, ...more });

const say = ({ what, next }: { what: string; next?: string }) => (next === undefined ? what : `${what}; ${next}`);

/** The findings of an integration with these fields. */
function findings(fields: JsonObject) {
  const integration = { $schema: "/app-sre/integration-1.yml", name: "i", description: "d", ...fields };
  const data = { "/i.yml": integration, "/n.yml": namespace, "/one.yml": account("one"), "/two.yml": account("two") };
  const { errors, warnings } = new BundleValidator().validate(sampleBundle({ data }));
  return { errors: errors.map(say), warnings: warnings.map(say) };
}

describe("a valid integration", () => {
  test.each<{ reason: string; fields: JsonObject }>([
    { reason: "only a name and a description: labels and schemas are optional", fields: {} },
    { reason: "static shards", fields: { managed: [entry({ sharding: { strategy: "static", shards: 2 } })] } },
    {
      reason: "settings that only the chart knows",
      fields: { managed: [entry({ spec: { podAnnotations: { a: "b" } } })] },
    },
    { reason: "only limits", fields: { managed: [entry({ spec: { resources: { limits: resources.limits } } })] } },
    {
      reason: "quantities that are numbers",
      fields: { managed: [entry({ spec: { resources: { limits: { cpu: 1, memory: 1073741824 } } } })] },
    },
  ])("$reason", ({ fields }) => {
    expect(findings(fields)).toEqual({ errors: [], warnings: [] });
  });
});

describe("an integration has a warning for", () => {
  test.each<{ reason: string; fields: JsonObject; warning: string }>([
    {
      reason: "the old name of managed",
      fields: { operate: [entry()] },
      warning: "operate is the old name of managed; rename it to managed",
    },
    {
      reason: "the old form of sharding",
      fields: { managed: [entry({ spec: { resources, shards: 2 } })] },
      warning: "managed[0].spec.shards is deprecated; use sharding beside spec, with strategy: static and shards",
    },
    {
      reason: "null requests",
      fields: { managed: [entry({ spec: { resources: { requests: null, limits: resources.limits } } })] },
      warning: "managed[0].spec.resources.requests is null and counts as absent; set values, or delete it",
    },
    {
      reason: "a misspelled setting",
      fields: { managed: [entry({ spec: { resources, sleepDurationSec: "1" } })] },
      warning:
        "unknown setting managed[0].spec.sleepDurationSec is passed to the chart; did you mean sleepDurationSecs?",
    },
    {
      reason: "a number of shards without effect",
      fields: { managed: [entry({ sharding: { strategy: "per-aws-account", shards: 3 } })] },
      warning: "managed[0].sharding.shards has no effect with strategy per-aws-account; delete it",
    },
    {
      reason: "a restart policy that Kubernetes rejects",
      fields: { managed: [entry({ spec: { cron: "@daily", restartPolicy: "Always" } })] },
      warning: "a CronJob cannot have restartPolicy Always; use OnFailure or Never",
    },
  ])("$reason", ({ fields, warning }) => {
    expect(findings(fields)).toEqual({ errors: [], warnings: [warning] });
  });
});

describe("an integration has an error for", () => {
  test.each<{ reason: string; fields: JsonObject; error: string }>([
    {
      reason: "old and new name together",
      fields: { operate: [], managed: [] },
      error: "operate is the old name of managed, and the file has both; move its entries to managed",
    },
    {
      reason: "old and new sharding together",
      fields: { managed: [entry({ spec: { shards: 2 }, sharding: { strategy: "static", shards: 2 } })] },
      error: "managed[0].spec.shards is the old form of sharding, and the entry has both; delete it",
    },
    {
      reason: "a form that is no longer supported",
      fields: { managed: [entry({ spec: { shardingStrategy: "per-aws-account" } })] },
      error:
        "managed[0].spec.shardingStrategy is no longer supported; use sharding beside spec, with strategy and shardSpecOverrides",
    },
    {
      reason: "zero shards, C-8",
      fields: { managed: [entry({ sharding: { strategy: "static", shards: 0 } })] },
      error: "managed[0].sharding.shards is 0, so nothing would run; use 1 or more",
    },
    {
      reason: "an unknown strategy, C-3",
      fields: { managed: [entry({ sharding: { strategy: "per-moon" } })] },
      error:
        'managed[0].sharding.strategy: "per-moon" is not a valid value; use one of static, per-aws-account, per-openshift-cluster or per-ocm-organization',
    },
    {
      reason: "static without a number",
      fields: { managed: [entry({ sharding: { strategy: "static" } })] },
      error: "managed[0].sharding has strategy static, but no shards; add shards",
    },
    {
      reason: "two overrides for one shard, C-13",
      fields: {
        managed: [
          entry({
            sharding: {
              strategy: "per-aws-account",
              shardSpecOverrides: ["/one.yml", "/two.yml", "/one.yml"].map((path) => ({ shard: { $ref: path } })),
            },
          }),
        ],
      },
      error:
        "managed[0].sharding.shardSpecOverrides[2].shard: /one.yml already has an override in managed[0].sharding.shardSpecOverrides[0]; merge the two overrides",
    },
    {
      reason: "an invalid schedule",
      fields: { managed: [entry({ spec: { cron: "0 0 * * 7" } })] },
      error:
        'managed[0].spec.cron: "0 0 * * 7" is not a valid schedule: the day of the week is "7": Sunday is 0, not 7',
    },
    {
      reason: "an incomplete variable",
      fields: { managed: [entry({ spec: { extraEnv: [{ secretName: "s" }] } })] },
      error: "managed[0].spec.extraEnv[0] has no secretKey, which is required; add secretKey",
    },
    {
      reason: "a variable of both forms",
      fields: {
        managed: [entry({ spec: { extraEnv: [{ secretName: "s", secretKey: "k", name: "n", value: "v" }] } })],
      },
      error: "managed[0].spec.extraEnv[0] matches more than one of its allowed forms; keep the fields of one form",
    },
    {
      reason: "an empty variable",
      fields: { managed: [entry({ spec: { extraEnv: [{}] } })] },
      error:
        "managed[0].spec.extraEnv[0] matches none of its allowed forms; managed[0].spec.extraEnv[0] has no secretName, which is required; or managed[0].spec.extraEnv[0] has no name, which is required",
    },
    {
      reason: "a string instead of a boolean",
      fields: { managed: [entry({ spec: { state: "true" } })] },
      error: 'managed[0].spec.state: expected true or false, got "true"; remove the quotes',
    },
    {
      reason: "a number instead of a string",
      fields: { managed: [entry({ spec: { sleepDurationSecs: 60 } })] },
      error: 'managed[0].spec.sleepDurationSecs: expected a string, got 60; quote it: "60"',
    },
    {
      reason: "an explicit null",
      fields: { managed: [entry({ spec: { logs: null } })] },
      error: "managed[0].spec.logs: expected an object, got null; set a value, or remove the field",
    },
    {
      reason: "an invalid quantity",
      fields: { managed: [entry({ spec: { resources: { limits: { memory: "1 GB" } } } })] },
      error:
        'managed[0].spec.resources.limits.memory: "1 GB" is not a quantity of Kubernetes; write it like 512Mi or 2Gi',
    },
    {
      reason: "an invalid quantity of processor time that the schema accepts",
      fields: { managed: [entry({ spec: { resources: { ...resources, requests: { cpu: "1ki", memory: "1Gi" } } } })] },
      error: 'managed[0].spec.resources.requests.cpu: "1ki" is not a quantity of Kubernetes; write it like 100m or 1.5',
    },
    {
      reason: "no namespace",
      fields: { managed: [{ spec: {} }] },
      error: "managed[0] has no namespace, which is required; add namespace: where it runs",
    },
    {
      reason: "a list with a number in it",
      fields: { managed: [entry(), 1] },
      error: "managed[1]: expected an object, got 1",
    },
  ])("$reason", ({ fields, error }) => {
    expect(findings(fields)).toEqual({ errors: [error], warnings: [] });
  });
});
