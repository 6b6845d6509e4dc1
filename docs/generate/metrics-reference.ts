import { type Metrics, silentLogger, systemClock as clock } from "#base";
import { apparatusMetrics, couplingMetrics, stateMetrics } from "#coupling";
import { connect, createClient, createLeaderElection, createReflector, fixedCredentials } from "#kube";
import { suspensionMetrics } from "#integrations";
import { publishMetrics, ResourceInventory } from "#inventory";
import {
  environmentMetrics,
  intakeMetrics,
  propagationMetrics,
  releaseMetrics,
  retagMetrics,
  testingMetrics,
} from "#promotion";
import { runtimeMetrics } from "#runtime";
import { DataMetrics } from "#server";
import { code, generatedFrom, page, prose, table } from "./markdown.ts";

interface Registered {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** The page of all metrics, read from what the parts of Tenon register when they are made. */
export async function metricsReference(): Promise<string> {
  const shared = { clock, random: Math.random, log: silentLogger };
  const access = {
    context: "docs",
    source: "docs",
    server: new URL("https://127.0.0.1:1"),
    namespace: "default",
    credentials: fixedCredentials({}),
  };
  // Nothing below makes a connection: a transport connects with its first call.
  await using transport = connect(access);
  const client = createClient(transport);
  const configMaps = { apiVersion: "v1", kind: "ConfigMap" };
  const lease = { client, namespace: "default", name: "docs", identity: "docs" };
  const ofCalls = await recordAsync(async (metrics) => connect(access, { metrics })[Symbol.asyncDispose]());
  const ofReflectors = record((metrics) => createReflector({ client, selection: configMaps, ...shared, metrics }));
  const ofElections = record((metrics) => createLeaderElection({ ...lease, ...shared, metrics }));
  const ofControllers = record((metrics) => runtimeMetrics(metrics));
  const ofInventory = record((metrics) => publishMetrics(new ResourceInventory(), "docs", metrics));
  const ofManager = record((metrics) => suspensionMetrics(metrics));
  const ofCoupling = record((metrics) => [couplingMetrics(metrics), apparatusMetrics(metrics), stateMetrics(metrics)]);
  const ofTests = record((metrics) => [intakeMetrics(metrics), testingMetrics(metrics)]);
  const ofReleases = record((metrics) => releaseMetrics(metrics));
  const ofPromotion = record((metrics) => [
    retagMetrics(metrics),
    propagationMetrics(metrics),
    environmentMetrics(metrics),
  ]);
  const ofData = record((metrics) => new DataMetrics(metrics));
  return page(
    generatedFrom(
      "the metrics that `src/kube/`, `src/runtime/`, `src/inventory/`, `src/integrations/`, `src/coupling/`, `src/promotion/` and `src/server/` register",
    ),
    "# Metrics",
    [
      "A process that calls `serveHealth` of `#runtime` serves these at `/metrics`, in the text format of Prometheus.",
      "Where client-go and controller-runtime have a metric of the same meaning, ours has its name, so that dashboards for these work.",
      "Names and labels are API: they are not changed in a minor release.",
      "Of histograms, Prometheus sees `_bucket`, `_sum` and `_count`.",
      "Known secrets are masked in label values.",
    ].join("\n"),
    "## Calls of the Kubernetes API",
    metricTable(ofCalls),
    labelList([
      ["code", "the status code of the answer, or `<error>` when there was none"],
      [
        "method, verb",
        "`GET`, `POST`, `PUT`, `PATCH` or `DELETE`; a watch is a `GET` that is counted when it has begun",
      ],
      ["host", "host and port of the API server"],
    ]),
    "## Reflectors",
    metricTable(ofReflectors),
    labelList([["name", "what is watched, like `ConfigMap (v1) in shop where app=web`"]]),
    "## Leader election",
    metricTable(ofElections),
    labelList([["name", "the name of the Lease"]]),
    "## Queues and controllers",
    metricTable(ofControllers),
    labelList([
      ["name, controller", "the name of the controller"],
      ["result", "`success`, `requeue_after` or `error`"],
    ]),
    "`workqueue_unfinished_work_seconds` and `workqueue_longest_running_processor_seconds` are computed at each scrape.",
    "## The inventory",
    "Integrations that stand on `src/inventory/` have these, under the names of qontract-reconcile.",
    metricTable(ofInventory),
    labelList([
      ["integration", "the name of the integration"],
      ["cluster, namespace, kind", "where the objects are, and what they are"],
      ["state", "`desired` or `current`"],
      ["name", "what was done: `apply`"],
    ]),
    "## The manager",
    "`tenon run --only manage` has these beside those of the inventory.",
    metricTable(ofManager),
    "## Plugs and sockets",
    metricTable(ofCoupling),
    labelList([
      ["stage", "`created`, `coupled`, `updated`, `decoupled` or `deleted`"],
      ["side", "whose half of the stage: `plug` or `socket`"],
      ["kind", "`Plug` or `Socket`"],
      ["event", "what an apparatus was called for: a stage, or `config`"],
      ["code", "the status that it answered with; `timeout` or `error` where it did not"],
      [
        "state",
        "the `phase` of the status; `New` before the first reconciliation, `Deleting` after the deletion began",
      ],
      ["reason", "the reason of the condition `Coupled`; empty while there is none"],
    ]),
    [
      "`tenon_plugs` and `tenon_sockets` are counted by every replica, standbys included: take `max`, not `sum`, over the replicas.",
      "`metrics.prometheusRule.enabled` of the chart installs alerts on them.",
    ].join("\n"),
    "## Tests of Snapshots",
    "The names are integration-service's.",
    metricTable(ofTests),
    labelList([
      ["type", "the condition that ended the tests"],
      ["reason", "its reason, such as `Finished`, `Passed`, `Failed` or `Canceled`"],
    ]),
    "## Releases",
    "The names are release-service's, and that of the latency integration-service's.",
    metricTable(ofReleases),
    labelList([
      ["target", "the namespace that is released to"],
      ["type", "the phase: `tenant`, `managed` or `final`"],
      ["reason", "of the condition of that phase; those that end in `_reason` are of the conditions they name"],
    ]),
    "## Propagations",
    metricTable(ofPromotion),
    labelList([
      ["forge", "`github`, `gitlab`, `gitea` or `plain`"],
      [
        "outcome",
        "`opened`, `updated`, `merged`, `closed` by Tenon, `declined` by a person, `manual`, `committed` to the base, or `failed`",
      ],
    ]),
    "## The data server",
    "`tenon data serve` has these at `/metrics`, under the names of qontract-server.",
    metricTable(ofData),
    labelList([["schema", "the `$schema` of the data files"]]),
  );
}

function metricTable(registered: readonly Registered[]): string {
  const sorted = registered.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return table(
    ["Name", "Type", "Labels", "Meaning"],
    sorted.map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(", "), sentence(help)]),
  );
}

function labelList(labels: readonly (readonly [names: string, meaning: string])[]): string {
  return labels.map(([names, meaning]) => `- ${names.split(", ").map(code).join(", ")}: ${meaning}.`).join("\n");
}

function sentence(help: string): string {
  return prose(help.endsWith(".") ? help : `${help}.`);
}

function record(make: (metrics: Metrics) => unknown): readonly Registered[] {
  const { metrics, registered } = recordingMetrics();
  make(metrics);
  return registered;
}

async function recordAsync(make: (metrics: Metrics) => Promise<unknown>): Promise<readonly Registered[]> {
  const { metrics, registered } = recordingMetrics();
  await make(metrics);
  return registered;
}

/** Records what is registered, and counts nothing. */
function recordingMetrics(): { readonly metrics: Metrics; readonly registered: readonly Registered[] } {
  const registered: Registered[] = [];
  const metrics: Metrics = {
    counter(name, help, labels) {
      registered.push({ name, type: "counter", labels, help });
      return { inc() {}, add() {} };
    },
    gauge(name, help, labels) {
      registered.push({ name, type: "gauge", labels, help });
      return { set() {}, add() {}, remove() {} };
    },
    histogram(name, help, labels, buckets) {
      registered.push({ name, type: `histogram, ${describeBuckets(buckets)}`, labels, help });
      return { observe() {} };
    },
    expose: async () => ({ contentType: "text/plain", body: "" }),
  };
  return { metrics, registered };
}

function describeBuckets(buckets: readonly number[]): string {
  return `${buckets.length} buckets from ${buckets[0]} to ${buckets.at(-1)}`;
}
