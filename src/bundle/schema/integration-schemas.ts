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

/** A field of ours. */
function suspendSchema(description: string): JsonObject {
  const reason = { ...textSchema("why, for everyone who wonders why nothing changes"), minLength: 1 };
  return { ...fieldsSchema({ reason }, ["reason"]), description };
}

function managedEntries(description: string): JsonObject {
  const properties = {
    namespace: referenceSchema("where it runs", "/openshift/namespace-1.yml", "/openshift/lean-namespace-1.yml"),
    spec: { $ref: spec },
    sharding: { $ref: sharding },
    suspend: suspendSchema("keep what runs there exactly as it is, until this is removed"),
  };
  return listSchema(fieldsSchema(properties, ["namespace", "spec"]), description);
}

const integration = datafileSchema("/app-sre/integration-1.yml", {
  description: "An integration: a program, and where and how it runs.",
  properties: {
    name: textSchema("its name, and the prefix of the names of its workloads"),
    description: textSchema("what it is for"),
    upstream: textSchema("the repository that its image is built from"),
    schemas: listSchema({ type: "string", pattern: "^/.+$" }, "schemas that it may read; all if absent"),
    pr_check: fieldsSchema(
      {
        cmd: textSchema("command of the check"),
        state: flagSchema("the check needs stored state"),
        sqs: flagSchema("the check may send to a queue"),
        disabled: flagSchema("the check does not run"),
        always_run: flagSchema("the check runs for every change"),
        no_validate_schemas: flagSchema("the check may read schemas that are not listed"),
        run_for_valid_saas_file_changes: flagSchema("the check runs even if only deployments changed"),
        early_exit: flagSchema("the check may end early if nothing relevant changed"),
        check_only_affected_shards: flagSchema("the check runs only for shards that changed"),
        run_order: integerSchema("checks run in this order"),
        imageRef: textSchema("tag or digest of the image of the check"),
      },
      ["cmd"],
    ),
    shardArguments: listSchema(
      { type: "string", pattern: "^--?[A-Za-z0-9][A-Za-z0-9-]*$" },
      "arguments of the program that select a shard, like --cluster-name; the known ones if absent",
    ),
    after: listSchema(
      { type: "string", minLength: 1 },
      "integrations that must be healthy, on the same cluster and in the same environment, before this one is changed",
    ),
    suspend: suspendSchema("keep everything that it runs exactly as it is, until this is removed"),
    managed: managedEntries("where it runs, how, and in how many parts"),
    operate: managedEntries("the old name of managed"),
  },
  required: ["name", "description"],
});

const integrationSpec = partSchema(spec, {
  description: "How an integration runs. Settings that are not listed here are passed to the chart.",
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
          secretKey: textSchema("and from this key, which is also the name of the variable"),
          name: textSchema("name of the variable"),
          value: textSchema("its value"),
        }),
        oneOf: [{ required: ["secretName", "secretKey"] }, { required: ["name", "value"] }],
      },
      "variables, each from a Secret or with a value",
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
    concurrencyPolicy: choiceSchema("what to do if the last run is still running", "Allow", "Forbid", "Replace"),
    restartPolicy: choiceSchema("what to do if it fails", "Always", "OnFailure", "Never"),
    successfulJobHistoryLimit: integerSchema("how many jobs that succeeded are kept", 0),
    failedJobHistoryLimit: integerSchema("how many jobs that failed are kept", 0),
    shards: integerSchema("the old form of sharding.shards", 1),
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
          disabled: flagSchema("keep it, with 0 replicas"),
          subSharding,
        },
        ["shard"],
      ),
      "settings of single parts",
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
      description: "what is reserved for it",
    },
    limits: {
      ...fieldsSchema({ cpu: quantity, memory: quantity }, ["memory"]),
      type: ["object", "null"],
      description: "what it cannot exceed",
    },
  },
});

export const integrationSchemas = [integration, integrationSpec, integrationSharding, deployResources];
