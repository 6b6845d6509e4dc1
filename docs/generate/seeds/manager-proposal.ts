import { byLine, byTest, type SeedDocument } from "./seed-document.ts";

export const managerProposal: SeedDocument = {
  title: "The proposal of an integrations manager",
  about: "Why a manager of integrations was proposed in 2022, and what it has to do.",
  promises: [
    {
      says: "Adding an integration that exists to another environment is simple, and needs no change of its code repository.",
      shownBy: [
        byTest("test/promises/the-data-decides-what-runs.test.ts", "an added integration is deployed, shard by shard"),
        byTest(
          "test/promises/drift-is-corrected-at-once.test.ts",
          "a file that is added, changed or removed is rolled out at once",
        ),
      ],
    },
    {
      says: "Data files say which integrations run, so that a program can act on them without a second list.",
      shownBy: [
        byTest(
          "test/promises/the-data-decides-what-runs.test.ts",
          "G8-02: a run deletes what the data no longer declares",
        ),
      ],
    },
    {
      says: "What has no file in the data cannot be run.",
      shownBy: [
        byTest("src/integrations/desired/compute-desired.test.ts", "a name that no $reason has is refused"),
        byLine("tenon plan --integration"),
      ],
    },
    {
      says: "The manager watches the data continuously, and deploys an integration whose file was added.",
      shownBy: [
        byTest(
          "src/cli/cluster/example-world.live.test.ts",
          "`tenon up` runs the example world: a changed file is rolled out",
        ),
        byLine("tenon run --only manage"),
      ],
    },
    {
      says: "The manager makes Deployments, CronJobs and StatefulSets from the data, and applies them to one namespace or several.",
      shownBy: [
        byTest("test/promises/the-data-decides-what-runs.test.ts", "G8-01: a run creates what the data declares"),
      ],
    },
    {
      says: "Integrations are deployed to several environments, with settings of their own in each.",
      shownBy: [
        byTest("src/integrations/desired/compute-desired.test.ts", "G8-04, B-2, B-3: a run for an environment"),
        byTest(
          "src/cli/manage/manage-commands.live.test.ts",
          "E-6: without --environment, a plan covers all environments",
        ),
      ],
    },
    {
      says: "Objects are constructed as they were before, by the same Helm chart.",
      shownBy: [
        byTest("test/promises/any-chart-decides-the-kinds.test.ts", "D-27: every kind that a chart renders is managed"),
        byLine("tenon plan --chart"),
      ],
      instead:
        "The default chart is ours, with the same features; the one of qontract-reconcile is rendered as it is with `--chart` ([0032](../decisions/0032-our-chart.md)).",
    },
    {
      says: "A definition has a field `operate`, with a namespace and a `spec` for each place; `requests` and `limits` may be empty, and `spec.shards` counts the shards.",
      shownBy: [
        byTest("src/bundle/schema/built-in.test.ts", "an integration in the form of 2022 is valid, with warnings"),
      ],
    },
    {
      says: "Any setting that the chart knows can be in `spec`, beside those of the schema.",
      shownBy: [
        byTest("src/integrations/data/read-integrations.test.ts", "settings that no schema knows are read too"),
        byTest(
          "src/integrations/desired/render-targets.test.ts",
          "B-5: integrations with a schedule are a separate list",
        ),
      ],
    },
    {
      says: "The namespace of a definition says where an integration is deployed: next to its manager.",
      shownBy: [
        byTest(
          "test/promises/a-manager-needs-rights-in-its-namespaces-only.test.ts",
          "a manager with rights in two namespaces only deploys there",
        ),
      ],
      instead: "Next to the manager, and on any other cluster that the namespace's file names.",
    },
    {
      says: "A variable names the environment of the manager; with it only that environment is managed, without it all are, as checks of pull requests need.",
      shownBy: [
        byTest(
          "src/cli/manage/manage-commands.live.test.ts",
          "E-6: without --environment, a plan covers all environments",
        ),
        byTest("src/integrations/manage/manager-environment.test.ts", "each is read"),
        byLine("tenon plan --environment"),
      ],
    },
    {
      says: "The environment of a namespace gives parameters to what is deployed there.",
      shownBy: [
        byTest("src/integrations/desired/resolve-parameters.test.ts", "G3-02: a parameter of the environment wins"),
      ],
    },
    {
      says: "The settings are the same as those in the values files of each environment.",
      shownBy: [
        byTest(
          "src/cli/manage/manage-commands.test.ts",
          "B-5: `tenon values -n` prints the values file of one namespace",
        ),
        byLine("tenon values"),
      ],
    },
    {
      says: "The manager writes the values file itself, and renders the chart into an OpenShift Template.",
      shownBy: [
        byTest(
          "src/integrations/desired/compute-desired.test.ts",
          "one with the names and labels of qontract-reconcile's is rendered as it is",
        ),
      ],
    },
    {
      says: "The manager is deployed by the chart itself, as an integration.",
      shownBy: [
        byTest(
          "test/promises/the-manager-does-not-delete-itself.test.ts",
          "the manager creates and updates itself as its own file says",
        ),
      ],
    },
    {
      says: "Migration is smooth: an integration may be deployed as before or by the manager, and moves from one to the other.",
      shownBy: [
        byTest(
          "test/promises/objects-deployed-by-hand-are-adopted-without-restart.test.ts",
          "objects that $reason deployed are adopted: no pod restarts",
        ),
        byTest(
          "test/promises/objects-stamped-by-upstream-give-an-empty-plan.test.ts",
          "a namespace that upstream manages is taken over with an empty plan",
        ),
      ],
    },
    {
      says: "The number of shards can follow the data: one for each cluster, for example.",
      shownBy: [
        byTest("src/integrations/desired/make-shards.test.ts", "G4-08: sharding per OpenShift cluster"),
        byTest("src/integrations/desired/make-shards.test.ts", "G4-04, C-5: sharding per AWS account"),
      ],
    },
    {
      says: "The manager is an integration, and no command of its own.",
      shownBy: [byLine("tenon plan"), byLine("tenon run --only manage")],
      instead:
        "Both: the document leaves room to move out of the integrations, and a plan is more useful as a command.",
    },
  ],
};
