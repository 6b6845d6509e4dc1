import { beforeAll, expect, test } from "vitest";
import { isRecord, valueAt } from "#base";
import type { KubeObject, NewObject } from "#kube";
import {
  Application,
  Component,
  IntegrationTestScenario,
  promotionAnnotations,
  promotionLabels,
  Snapshot,
} from "#promotion";
import { useTekton } from "./use-tekton.ts";

const world = useTekton("tekton");
const { namespace, instance, tenon } = world;
const image = "localhost/tekton/shell:1.15.0";
const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
const polling = { interval: 500 };

beforeAll(async () => {
  await world.promote("--promote", "builds,tests");
  for (const pipeline of [smokePipeline(), slowPipeline(), demandingPipeline()]) await world.client.create(pipeline);
});

test("`tenon cluster start --tekton` finds Tekton running, and `tenon cluster status` shows it", async () => {
  const again = await tenon("cluster", "start", "--tekton", "--name", instance);
  expect(again).toMatch(/a real node and Tekton 1\.15\.0 \(already running\)/);
  const all = JSON.parse(await tenon("cluster", "status", "-o", "json"));
  expect(all).toMatchObject([{ name: instance, node: true, tekton: { version: "1.15.0", isComplete: true } }]);
});

test("a build that ran in Tekton becomes a Snapshot, whose pipeline passes", async () => {
  await createApplication("good", [scenario("good", "smoke", { RESULT: "SUCCESS" })]);
  await world.client.create(buildRun("good-build", "good-web"));
  const build = await waitFor("tekton.dev/v1", "PipelineRun", "good-build", (run) => snapshotOf(run) !== undefined);
  const snapshot = snapshotOf(build) ?? "";
  const tested = await waitForTests(snapshot, "True");
  expect(valueAt(tested, ["spec", "components"])).toMatchObject([
    {
      name: "good-web",
      containerImage: `registry.example/acme/web@${digest}`,
      source: { git: { revision: "c0ffee" } },
    },
  ]);
  expect(await explain(snapshot)).toMatchObject({
    state: "Passed",
    from: "the build PipelineRun good-build",
    tests: [{ scenario: "good-smoke", status: "TestPassed", log: expect.arrayContaining(["testing another"]) }],
  });
  // Tenon let go of both runs: what it held is deleted when its owner says so.
  for (const run of ["good-build", await testRunOf(snapshot, "good-smoke")]) {
    const held = await waitFor("tekton.dev/v1", "PipelineRun", run, ({ metadata }) => !metadata.finalizers?.length);
    expect(held.metadata.finalizers ?? []).toEqual([]);
  }
});

test("TEST_OUTPUT of real TaskRuns decides, and each failure says why", async () => {
  const rows = [
    { id: "failing", params: { RESULT: "FAILURE" }, details: /^FAILURE: 3 passed, 1 failed.*; of bad-web$/ },
    { id: "malformed", params: { RESULT: "MAYBE" }, details: /TEST_OUTPUT of test: result: expected one of SUCCESS/ },
    {
      id: "crashing",
      params: { RESULT: "SUCCESS", EXIT: "3" },
      details: /the test failed: Tasks Completed: 1 \(Failed: 1/,
    },
    {
      id: "invalid",
      pipeline: "demanding",
      params: {},
      details: /the test failed: .*missing parameters: \[COLOUR\]/s,
    },
    {
      id: "absent",
      pipeline: "nowhere",
      params: {},
      details: /the test failed: .*"nowhere" not found.*; correct spec\.resolverRef of the scenario/s,
    },
    // Tekton gives up after a minute.
    {
      id: "unresolved",
      resolver: "oracle",
      params: {},
      details:
        /the test failed: .*no resolver of the cluster answers to "oracle": correct spec\.resolverRef\.resolver/s,
    },
  ];
  const scenarios = rows.map(({ id, pipeline, resolver, params }) => scenario("bad", id, params, pipeline, resolver));
  await createApplication("bad", scenarios);
  await world.client.create(snapshotObject("bad-1", "bad"));
  await waitForTests("bad-1", "False");
  const explained = await explain("bad-1");
  expect(explained).toMatchObject({ state: "Failed" });
  expect(explained.tests.toSorted(byScenario)).toMatchObject(
    rows
      .map(({ id, details }) => ({
        scenario: `bad-${id}`,
        status: "TestFail",
        details: expect.stringMatching(details),
        next: expect.stringContaining(`tenon promote rerun ${namespace}/bad-1 bad-${id}`),
      }))
      .toSorted(byScenario),
  );
  const crashing = explained.tests.find(({ scenario: of }) => of === "bad-crashing");
  expect(crashing?.log, "the tail of the log").toContain("testing bad-web");
});

test("a superseded test is cancelled, and its finally task still runs", async () => {
  await createApplication("slow", [scenario("slow", "wait", {}, "slow")]);
  await world.client.create(snapshotObject("slow-1", "slow", "1"));
  const run = await testRunOf("slow-1", "slow-wait");
  await expect.poll(() => taskRuns(run), polling).toEqual({ wait: "Unknown/Running" });
  await world.client.create(snapshotObject("slow-2", "slow", "2"));
  const cancelled = await waitFor("tekton.dev/v1", "PipelineRun", run, (found) =>
    succeeded(found).startsWith("False/"),
  );
  expect(valueAt(cancelled, ["spec", "status"])).toBe("CancelledRunFinally");
  expect(succeeded(cancelled)).toBe("False/Cancelled");
  expect(await taskRuns(run)).toEqual({ wait: "False/TaskRunCancelled", "clean-up": "True/Succeeded" });
  const explained = await explain("slow-1");
  expect(explained).toMatchObject({ state: "Canceled" });
  expect(await testRunOf("slow-2", "slow-wait"), "the newer one is tested").not.toBe(run);
});

/** Says what its parameters tell it to say. */
function smokePipeline(): NewObject {
  const params = [{ name: "SNAPSHOT" }, { name: "RESULT", default: "SUCCESS" }, { name: "EXIT", default: "0" }];
  const script = `#!/bin/sh
set -e
case "$SNAPSHOT" in *'"name":"bad-web"'*) component=bad-web ;; *) component=another ;; esac
echo "testing $component"
failures=0
[ "$RESULT" = SUCCESS ] || failures=1
printf '{"result":"%s","timestamp":"%s","successes":3,"failures":%s,"warnings":0,"note":"of %s"}' \\
  "$RESULT" "$(date +%s)" $failures "$component" > $(results.TEST_OUTPUT.path)
exit $EXIT
`;
  const env = params.map(({ name: variable }) => ({ name: variable, value: `$(params.${variable})` }));
  return pipelineOf("smoke", {
    params,
    tasks: [
      {
        name: "test",
        params: params.map(({ name: param }) => ({ name: param, value: `$(params.${param})` })),
        taskSpec: {
          params: params.map(({ name: param }) => ({ name: param })),
          results: [{ name: "TEST_OUTPUT" }],
          steps: [{ name: "test", image, env, script }],
        },
      },
    ],
  });
}

function slowPipeline(): NewObject {
  return pipelineOf("slow", {
    tasks: [taskOf("wait", ["sleep", "3600"])],
    finally: [taskOf("clean-up", ["date"])],
  });
}

/** Wants a parameter that no scenario gives. */
function demandingPipeline(): NewObject {
  const params = [{ name: "SNAPSHOT" }, { name: "COLOUR" }];
  return pipelineOf("demanding", { params, tasks: [taskOf("never", ["date"])] });
}

function taskOf(of: string, command: readonly string[]): object {
  return { name: of, taskSpec: { steps: [{ name: "step", image, command }] } };
}

function pipelineOf(of: string, spec: object): NewObject {
  return { apiVersion: "tekton.dev/v1", kind: "Pipeline", metadata: { name: of, namespace }, spec };
}

function buildRun(of: string, component: string): NewObject {
  const values = {
    IMAGE_URL: "registry.example/acme/web:1",
    IMAGE_DIGEST: digest,
    "CHAINS-GIT_URL": "https://git.example/acme/web",
    "CHAINS-GIT_COMMIT": "c0ffee",
  };
  const lines = Object.entries(values).map(([key, value]) => `printf '%s' '${value}' > "$(results.${key}.path)"\n`);
  const results = Object.keys(values).map((key) => ({ name: key }));
  const labels = { [promotionLabels.runType]: "build", [promotionLabels.component]: component };
  return {
    apiVersion: "tekton.dev/v1",
    kind: "PipelineRun",
    metadata: { name: of, namespace, labels },
    spec: {
      pipelineSpec: {
        results: results.map(({ name: key }) => ({ name: key, value: `$(tasks.build.results.${key})` })),
        tasks: [{ name: "build", taskSpec: { results, steps: [{ name: "build", image, script: lines.join("") }] } }],
      },
    },
  };
}

function scenario(
  application: string,
  id: string,
  params: Readonly<Record<string, string>>,
  pipeline = "smoke",
  resolver = "cluster",
) {
  const resolverParams = { kind: "pipeline", name: pipeline, namespace };
  return {
    apiVersion: IntegrationTestScenario.apiVersion,
    kind: IntegrationTestScenario.kind,
    metadata: { name: `${application}-${id}`, namespace },
    spec: {
      application,
      resolverRef: {
        resolver,
        params: Object.entries(resolverParams).map(([param, value]) => ({ name: param, value })),
      },
      params: Object.entries(params).map(([param, value]) => ({ name: param, value })),
    },
  };
}

async function createApplication(of: string, scenarios: readonly NewObject[]): Promise<void> {
  const { apiVersion, kind } = Application;
  await world.client.create({ apiVersion, kind, metadata: { name: of, namespace }, spec: { displayName: of } });
  const source = { git: { url: "https://git.example/acme/web", revision: "main" } };
  await world.client.create({
    apiVersion: Component.apiVersion,
    kind: Component.kind,
    metadata: { name: `${of}-web`, namespace },
    spec: { componentName: `${of}-web`, application: of, source },
  });
  for (const each of scenarios) await world.client.create(each);
}

/** A Snapshot of one component; of a pull request if a number orders it among others. */
function snapshotObject(of: string, application: string, order?: string): NewObject {
  const prefix = "pac.test.appstudio.openshift.io/";
  const pullRequest = { [`${prefix}event-type`]: "pull_request", [`${prefix}pull-request`]: "7" };
  return {
    apiVersion: Snapshot.apiVersion,
    kind: Snapshot.kind,
    metadata: {
      name: of,
      namespace,
      labels: {
        [promotionLabels.snapshotType]: "component",
        [promotionLabels.component]: `${application}-web`,
        ...(order === undefined ? {} : pullRequest),
      },
      ...(order === undefined ? {} : { annotations: { [promotionAnnotations.buildStarted]: `179000000000${order}` } }),
    },
    spec: {
      application,
      components: [{ name: `${application}-web`, containerImage: `registry.example/acme/web@${digest}` }],
    },
  };
}

interface Explained {
  readonly state: string;
  readonly tests: readonly { readonly scenario: string; readonly log?: readonly string[] }[];
}

async function explain(snapshot: string): Promise<Explained> {
  return JSON.parse(await tenon("explain", `snapshot/${namespace}/${snapshot}`, "--instance", instance, "-o", "json"));
}

function byScenario(one: { readonly scenario: string }, other: { readonly scenario: string }): number {
  return one.scenario < other.scenario ? -1 : 1;
}

function waitFor(
  apiVersion: string,
  kind: string,
  of: string,
  isSo: (object: KubeObject) => boolean,
): Promise<KubeObject> {
  return world.waitFor({ apiVersion, kind, namespace, name: of }, isSo);
}

function waitForTests(snapshot: string, status: "True" | "False"): Promise<KubeObject> {
  return waitFor(
    Snapshot.apiVersion,
    Snapshot.kind,
    snapshot,
    (found) => conditionOf(found, "AppStudioTestSucceeded")?.["status"] === status,
  );
}

function conditionOf(object: KubeObject, type: string): Readonly<Record<string, unknown>> | undefined {
  const conditions = valueAt(object, ["status", "conditions"]);
  return Array.isArray(conditions) ? conditions.filter(isRecord).find((each) => each["type"] === type) : undefined;
}

function succeeded(run: KubeObject): string {
  const { status, reason } = conditionOf(run, "Succeeded") ?? {};
  return `${String(status)}/${String(reason)}`;
}

/** `status/reason` of the run's tasks, by their names in the pipeline. */
async function taskRuns(run: string): Promise<Readonly<Record<string, string>>> {
  const selection = { apiVersion: "tekton.dev/v1", kind: "TaskRun", namespace };
  const { items } = await world.client.list({ ...selection, labelSelector: `tekton.dev/pipelineRun=${run}` });
  return Object.fromEntries(items.map((task) => [task.metadata.labels?.["tekton.dev/pipelineTask"], succeeded(task)]));
}

function snapshotOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[promotionAnnotations.snapshot];
}

async function testRunOf(snapshot: string, of: string): Promise<string> {
  const entryIn = ({ metadata }: KubeObject) => {
    const entries: unknown = JSON.parse(metadata.annotations?.[promotionAnnotations.testStatus] ?? "[]");
    const found = Array.isArray(entries)
      ? entries.filter(isRecord).find((entry) => entry["scenario"] === of)
      : undefined;
    return found?.["testPipelineRunName"];
  };
  const { apiVersion, kind } = Snapshot;
  return String(entryIn(await waitFor(apiVersion, kind, snapshot, (found) => entryIn(found) !== undefined)));
}
