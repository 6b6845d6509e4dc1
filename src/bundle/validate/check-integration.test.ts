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

/** What is said of an integration with these fields. */
function findings(fields: JsonObject) {
  const integration = { $schema: "/app-sre/integration-1.yml", name: "i", description: "d", ...fields };
  const data = { "/i.yml": integration, "/n.yml": namespace, "/one.yml": account("one"), "/two.yml": account("two") };
  const { errors, warnings } = new BundleValidator().validate(sampleBundle({ data }));
  return { errors: errors.map(say), warnings: warnings.map(say) };
}

describe("an integration that is right", () => {
  test.each<{ reason: string; fields: JsonObject }>([
    { reason: "nothing but a name and a description: labels and schemas are optional", fields: {} },
    { reason: "static shards", fields: { managed: [entry({ sharding: { strategy: "static", shards: 2 } })] } },
    {
      reason: "settings that only the chart knows",
      fields: { managed: [entry({ spec: { podAnnotations: { a: "b" } } })] },
    },
    { reason: "only limits", fields: { managed: [entry({ spec: { resources: { limits: resources.limits } } })] } },
    {
      reason: "amounts that are numbers",
      fields: { managed: [entry({ spec: { resources: { limits: { cpu: 1, memory: 1073741824 } } } })] },
    },
  ])("$reason", ({ fields }) => {
    expect(findings(fields)).toEqual({ errors: [], warnings: [] });
  });
});

describe("warnings", () => {
  test.each<{ reason: string; fields: JsonObject; warning: string }>([
    {
      reason: "the former name of managed",
      fields: { operate: [entry()] },
      warning: "operate is the former name of managed; write managed",
    },
    {
      reason: "the former place of shards",
      fields: { managed: [entry({ spec: { resources, shards: 2 } })] },
      warning: "managed[0].spec.shards is a former form; write sharding beside spec, with strategy: static and shards",
    },
    {
      reason: "empty requests",
      fields: { managed: [entry({ spec: { resources: { requests: null, limits: resources.limits } } })] },
      warning: "managed[0].spec.resources.requests is empty, and counts as absent; give it values, or delete it",
    },
    {
      reason: "a setting that is almost a known one",
      fields: { managed: [entry({ spec: { resources, sleepDurationSec: "1" } })] },
      warning:
        "managed[0].spec.sleepDurationSec goes to the chart as it is, because it is not known here; did you mean sleepDurationSecs?",
    },
    {
      reason: "a number of shards that nobody reads",
      fields: { managed: [entry({ sharding: { strategy: "per-aws-account", shards: 3 } })] },
      warning: "managed[0].sharding.shards has no effect: the strategy per-aws-account counts for itself; delete it",
    },
    {
      reason: "a policy that Kubernetes refuses",
      fields: { managed: [entry({ spec: { cron: "@daily", restartPolicy: "Always" } })] },
      warning: "Kubernetes refuses restartPolicy Always for what runs on a schedule; write OnFailure or Never",
    },
  ])("$reason", ({ fields, warning }) => {
    expect(findings(fields)).toEqual({ errors: [], warnings: [warning] });
  });
});

describe("errors", () => {
  test.each<{ reason: string; fields: JsonObject; error: string }>([
    {
      reason: "old and new name together",
      fields: { operate: [], managed: [] },
      error: "operate is the former name of managed, and both are there; move its entries to managed",
    },
    {
      reason: "old and new sharding together",
      fields: { managed: [entry({ spec: { shards: 2 }, sharding: { strategy: "static", shards: 2 } })] },
      error: "managed[0].spec.shards is the former form of sharding, and both are there; delete it",
    },
    {
      reason: "a form that is not read any more, and would be one shard instead of many",
      fields: { managed: [entry({ spec: { shardingStrategy: "per-aws-account" } })] },
      error:
        "managed[0].spec.shardingStrategy is a former form that is not read any more; write sharding beside spec, with strategy and shardSpecOverrides",
    },
    {
      reason: "no shards at all, C-8",
      fields: { managed: [entry({ sharding: { strategy: "static", shards: 0 } })] },
      error: "managed[0].sharding.shards is 0: nothing would run; write 1 or more",
    },
    {
      reason: "an unknown strategy, which would read as one shard, C-3",
      fields: { managed: [entry({ sharding: { strategy: "per-moon" } })] },
      error:
        'managed[0].sharding.strategy is "per-moon", which is not allowed; it can be static, per-aws-account, per-openshift-cluster or per-ocm-organization',
    },
    {
      reason: "static without a number",
      fields: { managed: [entry({ sharding: { strategy: "static" } })] },
      error: "managed[0].sharding is static, and does not say how many shards there are; add shards",
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
        "managed[0].sharding.shardSpecOverrides[2].shard is /one.yml, which managed[0].sharding.shardSpecOverrides[0] overrides already; make one override of both",
    },
    {
      reason: "a schedule that is none",
      fields: { managed: [entry({ spec: { cron: "0 0 * * 7" } })] },
      error:
        'managed[0].spec.cron is "0 0 * * 7", which is no schedule: the day of the week is "7": Sunday is 0, not 7',
    },
    {
      reason: "a variable that is half of each kind",
      fields: { managed: [entry({ spec: { extraEnv: [{ secretName: "s" }] } })] },
      error: "managed[0].spec.extraEnv[0] lacks the field secretKey; add secretKey",
    },
    {
      reason: "a variable that is both",
      fields: {
        managed: [entry({ spec: { extraEnv: [{ secretName: "s", secretKey: "k", name: "n", value: "v" }] } })],
      },
      error: "managed[0].spec.extraEnv[0] could mean two things at once; leave out the fields of one of them",
    },
    {
      reason: "a variable that is nothing",
      fields: { managed: [entry({ spec: { extraEnv: [{}] } })] },
      error:
        "managed[0].spec.extraEnv[0] has none of the forms that it can have; managed[0].spec.extraEnv[0] lacks the field secretName; or managed[0].spec.extraEnv[0] lacks the field name",
    },
    {
      reason: "text where a boolean is wanted",
      fields: { managed: [entry({ spec: { state: "true" } })] },
      error: 'managed[0].spec.state is "true", and must be true or false; leave out the quotes',
    },
    {
      reason: "a number where text is wanted",
      fields: { managed: [entry({ spec: { sleepDurationSecs: 60 } })] },
      error: 'managed[0].spec.sleepDurationSecs is 60, and must be text; put it in quotes: "60"',
    },
    {
      reason: "an explicit null",
      fields: { managed: [entry({ spec: { logs: null } })] },
      error: "managed[0].spec.logs is null, and must be an object with fields; give it a value, or leave the field out",
    },
    {
      reason: "an amount that is none",
      fields: { managed: [entry({ spec: { resources: { limits: { memory: "1 GB" } } } })] },
      error:
        'managed[0].spec.resources.limits.memory is "1 GB", which does not match ^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(m|n|u|[kMGTPE]i?|Ki|[eE][+-]?[0-9]+)?$',
    },
    {
      reason: "no namespace",
      fields: { managed: [{ spec: {} }] },
      error: "managed[0] lacks the field namespace; add namespace: where it runs",
    },
    {
      reason: "a list with something else in it",
      fields: { managed: [entry(), 1] },
      error: "managed[1] is 1, and must be an object with fields",
    },
  ])("$reason", ({ fields, error }) => {
    expect(findings(fields)).toEqual({ errors: [error], warnings: [] });
  });
});
