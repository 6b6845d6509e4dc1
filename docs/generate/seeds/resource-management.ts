import { byLine, byTest, type SeedDocument } from "./seed-document.ts";

export const resourceManagement: SeedDocument = {
  title: "The management of resources in qontract-reconcile",
  about: "The inventory of desired and current objects, and how it is realized.",
  promises: [
    {
      says: "Objects of any kind are managed in one way, declaratively and idempotently.",
      shownBy: [
        byTest(
          "src/inventory/plan/plan-changes.test.ts",
          "law: once a plan is carried out, the next one has nothing to do",
        ),
        byTest("test/promises/any-chart-decides-the-kinds.test.ts", "D-27: every kind that a chart renders is managed"),
      ],
    },
    {
      says: "An object of any kind is wrapped with its integration and version, which make its desired state.",
      shownBy: [
        byTest(
          "src/inventory/object/managed-object.test.ts",
          "D-4, D-5: an object is applied as it was given, plus the owner's annotations",
        ),
      ],
    },
    {
      says: "An inventory holds the desired and the current state of a run, apart from each other.",
      shownBy: [byTest("src/inventory/resource-inventory.test.ts", "D-19: an object is stored under its full kind")],
    },
    {
      says: "The current state of the given namespaces is fetched from all clusters, with connections that one place manages.",
      shownBy: [
        byTest(
          "src/integrations/clusters/data-clusters.live.test.ts",
          "a context that the user names goes before the data, and a pool opens it once",
        ),
        byTest(
          "test/promises/a-second-run-writes-nothing.test.ts",
          "a second run reads each kind once, and writes nothing",
        ),
      ],
    },
    {
      says: "The kinds to fetch can be overridden.",
      shownBy: [
        byTest("test/promises/any-chart-decides-the-kinds.test.ts", "D-27: the managed kinds can be set explicitly"),
        byLine("tenon plan --managed-kinds"),
      ],
    },
    {
      says: "Desired objects are added by cluster, namespace, kind and name.",
      shownBy: [
        byTest("src/inventory/resource-inventory.test.ts", "G7-19: an object that is desired twice is refused"),
      ],
    },
    {
      says: "Numbers of desired and current objects can be published as metrics.",
      shownBy: [
        byTest("src/inventory/inventory-metrics.test.ts", "D-47: desired and live objects are counted"),
        byTest(
          "test/promises/the-data-decides-what-runs.test.ts",
          "G8-10: the gauges count current and desired objects",
        ),
      ],
    },
    {
      says: "Realizing compares both states of every object, and creates, updates or deletes what differs.",
      shownBy: [
        byTest(
          "src/inventory/plan/plan-changes.test.ts",
          "G7-02, D-30: a desired object that does not exist is created",
        ),
        byTest("src/inventory/plan/plan-changes.test.ts", "D-30: a live object that differs is updated"),
        byTest(
          "src/inventory/plan/plan-changes.test.ts",
          "G7-03, D-30: an object of ours that is no longer desired is deleted",
        ),
      ],
    },
    {
      says: "A dry run prints the calls that it would make, and makes none.",
      shownBy: [
        byTest(
          "src/cli/manage/manage-commands.live.test.ts",
          "`tenon apply --dry-run` prints the API calls, and makes none",
        ),
        byLine("tenon apply --dry-run"),
      ],
    },
    {
      says: "Thousands of objects on many clusters are managed safely, several at a time.",
      shownBy: [
        byTest(
          "test/promises/an-unreachable-cluster-never-stops-the-others.test.ts",
          "G7-10: other clusters are applied and pruned while one is unreachable",
        ),
        byTest(
          "src/inventory/plan/plan-changes.test.ts",
          "law: without confirmation no plan deletes more than its limits",
        ),
        byLine("node bench/inventory.ts"),
      ],
    },
  ],
};
