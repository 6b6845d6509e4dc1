import { byLine, byTest, type SeedDocument } from "./seed-document.ts";

export const deploymentModel: SeedDocument = {
  title: "The deployment model of qontract-reconcile",
  about: "How the definition of an integration becomes objects of Kubernetes.",
  promises: [
    {
      says: "An integration runs as a Deployment, a CronJob or a StatefulSet, and these are made from its definition.",
      shownBy: [
        byTest(
          "test/charts/integrations-chart/renderings.live.test.ts",
          "takes every object as it is, without a warning",
        ),
        byLine("tenon plan"),
      ],
    },
    {
      says: "An integration is defined in a file of the schema `/app-sre/integration-1.yml`, with its properties and where it runs; the printed example is valid.",
      shownBy: [
        byTest("src/bundle/schema/built-in.test.ts", "an integration in today's form is valid as printed"),
        byLine("tenon data validate"),
      ],
    },
    {
      says: "A definition names its target namespace by `$ref`, requests and limits, and a sharding strategy such as two static shards.",
      shownBy: [
        byTest(
          "src/integrations/desired/make-shards.test.ts",
          "G4-02, C-1, C-5: two static shards are numbered from 0",
        ),
        byTest("test/e2e/manage.test.ts", "two shards run, and each creates the ConfigMaps of its half"),
      ],
    },
    {
      says: "The manager asks the GraphQL server for all definitions of integrations.",
      shownBy: [
        byTest("test/promises/a-server-and-its-directory-give-the-same-plan.test.ts", "the data of a test"),
        byLine("tenon data serve"),
      ],
    },
    {
      says: "For each definition the manager renders the manifests.",
      shownBy: [
        byTest("test/promises/the-data-decides-what-runs.test.ts", "G8-01: a run creates what the data declares"),
      ],
    },
    {
      says: "A built-in Helm chart makes the manifests; settings of the definition become its values.",
      shownBy: [
        byTest(
          "src/integrations/desired/render-targets.test.ts",
          "B-5: integrations with a schedule are a separate list",
        ),
        byLine("tenon values"),
      ],
    },
    {
      says: "With `spec.cron` an integration is a CronJob, which runs on a fixed schedule.",
      shownBy: [
        byTest("src/integrations/desired/compute-desired.test.ts", "G4-15: an integration with a schedule and shards"),
        byTest("test/e2e/manage.test.ts", "an integration with a schedule runs on time, and completes"),
      ],
    },
    {
      says: "With `spec.state` an integration is a StatefulSet, with storage that stays.",
      shownBy: [
        byTest("test/charts/integrations-chart/objects.test.ts", "B-8: an integration with state is a StatefulSet"),
        byTest("test/e2e/manage.test.ts", "an integration with state has a volume that binds"),
      ],
    },
    {
      says: "Otherwise an integration is a Deployment, which reconciles in a loop.",
      shownBy: [
        byTest(
          "test/charts/integrations-chart/objects.test.ts",
          "B-8: an integration without a schedule or a volume is a Deployment",
        ),
      ],
    },
    {
      says: "From one definition with sharding the manager makes several objects, Deployments or CronJobs, each with the parameters of its shard.",
      shownBy: [
        byTest(
          "test/charts/integrations-chart/shards.test.ts",
          "G4-15: an integration with a schedule and three shards",
        ),
        byTest(
          "test/promises/shards-of-the-example-integration-share-the-work.test.ts",
          "each of two shards does its part",
        ),
      ],
    },
    {
      says: "Rendered objects are the desired state of an inventory, which is then realized, so that the cluster stays as the definitions say.",
      shownBy: [
        byTest(
          "test/promises/a-second-run-writes-nothing.test.ts",
          "a second run reads each kind once, and writes nothing",
        ),
        byTest(
          "test/promises/drift-is-corrected-at-once.test.ts",
          "a manual change or deletion is corrected by a watch",
        ),
      ],
    },
    {
      says: "A developer only says how an integration runs; the manager creates the objects and keeps them up to date.",
      shownBy: [
        byTest("test/promises/the-data-decides-what-runs.test.ts", "an added integration is deployed, shard by shard"),
        byTest(
          "test/promises/the-data-decides-what-runs.test.ts",
          "G8-02: a run deletes what the data no longer declares",
        ),
      ],
    },
  ],
};
