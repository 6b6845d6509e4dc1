import type { JsonObject } from "#base";
import {
  choiceSchema,
  commonDefinition,
  referenceSchema,
  datafileSchema,
  fieldsSchema,
  flagSchema,
  integerSchema,
  listSchema,
  partSchema,
  textSchema,
} from "./define-schema.ts";

const spec = "/app-sre/integration-spec-1.yml";
const sharding = "/app-sre/integration-sharding-1.yml";
const resources = "/openshift/deploy-resources-1.yml";
const quantity = commonDefinition("k8sResourceRequirementQuantity");

function managedEntries(description: string): JsonObject {
  const properties = {
    namespace: referenceSchema("where it runs", "/openshift/namespace-1.yml", "/openshift/lean-namespace-1.yml"),
    spec: { $ref: spec },
    sharding: { $ref: sharding },
  };
  return listSchema(fieldsSchema(properties, ["namespace", "spec"]), description);
}

const integration = datafileSchema("/app-sre/integration-1.yml", {
  description: "An integration: a program, and where and how it is to run.",
  properties: {
    name: textSchema("its name, and the beginning of the names of what it runs as"),
    description: textSchema("what it is for"),
    upstream: textSchema("the repository that its image is built from"),
    schemas: listSchema({ type: "string", pattern: "^/.+$" }, "schemas it may read; all of them when absent"),
    pr_check: fieldsSchema(
      {
        cmd: textSchema("command of the check"),
        state: flagSchema("the check needs stored state"),
        sqs: flagSchema("the check may send to a queue"),
        disabled: flagSchema("the check does not run"),
        always_run: flagSchema("the check runs whatever changed"),
        no_validate_schemas: flagSchema("the check may read schemas that are not listed"),
        run_for_valid_saas_file_changes: flagSchema("the check runs even if only deployments changed"),
        early_exit: flagSchema("the check may end when nothing of it changed"),
        check_only_affected_shards: flagSchema("the check runs only for shards that changed"),
        run_order: integerSchema("checks run in this order"),
        imageRef: textSchema("tag or digest of the image of the check"),
      },
      ["cmd"],
    ),
    shardArguments: listSchema(
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
    cache: flagSchema("keep a cache on a volume of its own"),
    state: flagSchema("keep state on a volume of its own"),
    storage: textSchema("size of that volume"),
    storageClassName: textSchema("storage class of that volume"),
    command: textSchema("program in the image"),
    extraArgs: textSchema("further arguments, as one line of a shell"),
    extraEnv: listSchema(
      {
        ...fieldsSchema({
          secretName: textSchema("take the variable from this Secret"),
          secretKey: textSchema("and from this key; it is the variable's name too"),
          name: textSchema("name of the variable"),
          value: textSchema("its value"),
        }),
        oneOf: [{ required: ["secretName", "secretKey"] }, { required: ["name", "value"] }],
      },
      "variables, each from a Secret or written out",
    ),
    imageRef: textSchema("tag or digest of the image"),
    environmentAware: flagSchema("it gets the name of its environment"),
    disableUnleash: flagSchema("it does not ask Unleash whether it may run"),
    internalCertificates: flagSchema("it trusts the certificates of the company"),
    enablePushgateway: flagSchema("it pushes metrics"),
    dashdotdb: flagSchema("it writes to dash.db"),
    trigger: flagSchema("it triggers others"),
    logs: fieldsSchema(
      {
        slack: flagSchema("send logs to Slack"),
        googleChat: flagSchema("send logs to Google Chat"),
        slackErrorFilter: flagSchema("send only errors to Slack"),
        govSlack: flagSchema("send logs to the Slack of the government cloud"),
      },
      [],
      true,
    ),
    sleepDurationSecs: textSchema("seconds between two runs, as text"),
    cron: textSchema("when it runs, in five fields; then it is a CronJob"),
    concurrencyPolicy: choiceSchema("what if the last run still runs", "Allow", "Forbid", "Replace"),
    restartPolicy: choiceSchema("what if it fails", "Always", "OnFailure", "Never"),
    successfulJobHistoryLimit: integerSchema("how many jobs that succeeded are kept", 0),
    failedJobHistoryLimit: integerSchema("how many jobs that failed are kept", 0),
    shards: integerSchema("the former place of sharding.shards", 1),
  },
});

const subSharding = fieldsSchema(
  { strategy: choiceSchema("how", "static"), shards: integerSchema("how many parts", 1) },
  ["strategy", "shards"],
);

const integrationSharding = partSchema(sharding, {
  description: "In how many parts an integration runs, each on its share of the work.",
  properties: {
    strategy: choiceSchema(
      "a number of equal parts, or one part for each of something",
      "static",
      "per-aws-account",
      "per-openshift-cluster",
      "per-ocm-organization",
    ),
    shards: integerSchema("number of parts, for the strategy static", 1),
    shardSpecOverrides: listSchema(
      fieldsSchema(
        {
          shard: referenceSchema(
            "which part: its cluster, account or organization",
            "/openshift/cluster-1.yml",
            "/openshift/openshift-cluster-manager-1.yml",
            "/aws/account-1.yml",
          ),
          imageRef: textSchema("another tag or digest of the image"),
          resources: { $ref: resources },
          disabled: flagSchema("keep it, with no replicas"),
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
      ...fieldsSchema({ cpu: quantity, memory: quantity }, ["cpu", "memory"]),
      type: ["object", "null"],
      description: "what is kept free for it",
    },
    limits: {
      ...fieldsSchema({ cpu: quantity, memory: quantity }, ["memory"]),
      type: ["object", "null"],
      description: "what it cannot exceed",
    },
  },
});

export const integrationSchemas = [integration, integrationSpec, integrationSharding, deployResources];
