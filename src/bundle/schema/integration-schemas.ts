import type { JsonObject } from "#base";
import {
  choice,
  common,
  crossref,
  datafileSchema,
  fields,
  flag,
  integer,
  listOf,
  partSchema,
  text,
} from "./define-schema.ts";

const spec = "/app-sre/integration-spec-1.yml";
const sharding = "/app-sre/integration-sharding-1.yml";
const resources = "/openshift/deploy-resources-1.yml";
const quantity = common("k8sResourceRequirementQuantity");

function managedEntries(description: string): JsonObject {
  const properties = {
    namespace: crossref("where it runs", "/openshift/namespace-1.yml", "/openshift/lean-namespace-1.yml"),
    spec: { $ref: spec },
    sharding: { $ref: sharding },
  };
  return listOf(fields(properties, ["namespace", "spec"]), description);
}

const integration = datafileSchema("/app-sre/integration-1.yml", {
  description: "An integration: a program, and where and how it is to run.",
  properties: {
    name: text("its name, and the beginning of the names of what it runs as"),
    description: text("what it is for"),
    upstream: text("the repository that its image is built from"),
    schemas: listOf({ type: "string", pattern: "^/.+$" }, "schemas it may read; all of them when absent"),
    pr_check: fields(
      {
        cmd: text("command of the check"),
        state: flag("the check needs stored state"),
        sqs: flag("the check may send to a queue"),
        disabled: flag("the check does not run"),
        always_run: flag("the check runs whatever changed"),
        no_validate_schemas: flag("the check may read schemas that are not listed"),
        run_for_valid_saas_file_changes: flag("the check runs even if only deployments changed"),
        early_exit: flag("the check may end when nothing of it changed"),
        check_only_affected_shards: flag("the check runs only for shards that changed"),
        run_order: integer("checks run in this order"),
        imageRef: text("tag or digest of the image of the check"),
      },
      ["cmd"],
    ),
    shardArguments: listOf(
      { type: "string", pattern: "^--?[A-Za-z0-9][A-Za-z0-9-]*$" },
      "arguments of the program that choose a shard, like --cluster-name; those that Tenon knows of when absent",
    ),
    managed: managedEntries("where it runs, how, and in how many parts"),
    operate: managedEntries("the former name of managed"),
  },
  required: ["name", "description"],
});

const integrationSpec = partSchema(spec, {
  description: "How an integration runs. Settings that are not listed here go to the chart as they are.",
  isOpen: true,
  properties: {
    resources: { $ref: resources },
    fluentdResources: { $ref: resources },
    cache: flag("keep a cache on a volume of its own"),
    state: flag("keep state on a volume of its own"),
    storage: text("size of that volume"),
    storageClassName: text("storage class of that volume"),
    command: text("program in the image"),
    extraArgs: text("further arguments, as one line of a shell"),
    extraEnv: listOf(
      {
        ...fields({
          secretName: text("take the variable from this Secret"),
          secretKey: text("and from this key; it is the variable's name too"),
          name: text("name of the variable"),
          value: text("its value"),
        }),
        oneOf: [{ required: ["secretName", "secretKey"] }, { required: ["name", "value"] }],
      },
      "variables, each from a Secret or written out",
    ),
    imageRef: text("tag or digest of the image"),
    environmentAware: flag("it gets the name of its environment"),
    disableUnleash: flag("it does not ask Unleash whether it may run"),
    internalCertificates: flag("it trusts the certificates of the company"),
    enablePushgateway: flag("it pushes metrics"),
    dashdotdb: flag("it writes to dash.db"),
    trigger: flag("it triggers others"),
    logs: fields(
      {
        slack: flag("send logs to Slack"),
        googleChat: flag("send logs to Google Chat"),
        slackErrorFilter: flag("send only errors to Slack"),
        govSlack: flag("send logs to the Slack of the government cloud"),
      },
      [],
      true,
    ),
    sleepDurationSecs: text("seconds between two runs, as text"),
    cron: text("when it runs, in five fields; then it is a CronJob"),
    concurrencyPolicy: choice("what if the last run still runs", "Allow", "Forbid", "Replace"),
    restartPolicy: choice("what if it fails", "Always", "OnFailure", "Never"),
    successfulJobHistoryLimit: integer("how many jobs that succeeded are kept", 0),
    failedJobHistoryLimit: integer("how many jobs that failed are kept", 0),
    shards: integer("the former place of sharding.shards", 1),
  },
});

const subSharding = fields({ strategy: choice("how", "static"), shards: integer("how many parts", 1) }, [
  "strategy",
  "shards",
]);

const integrationSharding = partSchema(sharding, {
  description: "In how many parts an integration runs, each on its share of the work.",
  properties: {
    strategy: choice(
      "a number of equal parts, or one part for each of something",
      "static",
      "per-aws-account",
      "per-openshift-cluster",
      "per-ocm-organization",
    ),
    shards: integer("number of parts, for the strategy static", 1),
    shardSpecOverrides: listOf(
      fields(
        {
          shard: crossref(
            "which part: its cluster, account or organization",
            "/openshift/cluster-1.yml",
            "/openshift/openshift-cluster-manager-1.yml",
            "/aws/account-1.yml",
          ),
          imageRef: text("another tag or digest of the image"),
          resources: { $ref: resources },
          disabled: flag("keep it, with no replicas"),
          subSharding,
        },
        ["shard"],
      ),
      "what is different in some parts",
    ),
  },
  required: ["strategy"],
});

const deployResources = partSchema(resources, {
  description: "What a container may use.",
  properties: {
    requests: {
      ...fields({ cpu: quantity, memory: quantity }, ["cpu", "memory"]),
      type: ["object", "null"],
      description: "what is kept free for it",
    },
    limits: {
      ...fields({ cpu: quantity, memory: quantity }, ["memory"]),
      type: ["object", "null"],
      description: "what it cannot exceed",
    },
  },
});

export const integrationSchemas = [integration, integrationSpec, integrationSharding, deployResources];
