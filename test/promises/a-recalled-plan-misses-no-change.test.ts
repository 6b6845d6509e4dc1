import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { valueAt } from "#base";
import { openQueryableSource } from "#bundle";
import { never } from "#harness";
import {
  ClusterAnswers,
  type ClusterOptions,
  clusterSources,
  type DesiredStore,
  planFromData,
  type PlannedRun,
  viewPlan,
} from "#integrations";
import { type MoreOptions, useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;
const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: here, name: "a" };
let reach: ClusterOptions;
let store: DesiredStore;

beforeAll(async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: there });
  reach = { everyCluster: { context: await world.contextOf("c1") }, kubeconfig: world.kubeconfig("c1") };
});

beforeEach(async () => {
  await world.data.integration("a", [{ namespace: "n1" }]);
  await world.data.integration("b", [{ namespace: "n1", spec: { cron: "0 0 1 1 *" } }]);
  await world.run({ deletionsConfirmed: true });
  await settled();
  const texts = new Map<string, string>();
  store = { code: "code-1", find: (key) => texts.get(key), keep: (key, text) => void texts.set(key, text) };
});

/** Until the controller has said all of the Deployments; where there are no nodes, their pods are not ready then. */
async function settled(): Promise<void> {
  await expect.poll(findUnsettled, { timeout: 60_000 }).toEqual([]);
}

async function findUnsettled(): Promise<unknown[]> {
  const { items } = await world.client().list({ apiVersion: "apps/v1", kind: "Deployment", namespace: here });
  return items.filter((live) => {
    const wanted = valueAt(live, ["spec", "replicas"]);
    const at = (field: string) => valueAt(live, ["status", field]);
    const isSeen = at("observedGeneration") === live.metadata.generation && at("updatedReplicas") === wanted;
    return !isSeen || (at("unavailableReplicas") !== wanted && at("readyReplicas") !== wanted);
  });
}

interface Viewed {
  readonly plan: PlannedRun["plan"];
  readonly warnings: PlannedRun["warnings"];
  readonly isRecalled: boolean;
  /** What was asked, sorted. */
  readonly calls: readonly string[];
}

async function view(more: MoreOptions = {}, way: ClusterOptions = reach): Promise<Viewed> {
  const answers = new ClusterAnswers();
  const calls: string[] = [];
  const looked: string[] = [];
  // The plan alone is looked up, and not the desired state.
  const counted = { ...store, find: (key: string) => (looked.push(key), store.find(key)) };
  const { plan, warnings } = await viewPlan(
    {
      ...(await world.options(more)),
      data: await openQueryableSource(world.data.path, { acceptsUnreadable: true }).read(never),
      kept: counted,
      answers,
      reach: (named) =>
        clusterSources(named, {
          ...way,
          wrap: (cluster, transport) =>
            answers.wrap(cluster, {
              ...transport,
              send(request, signal) {
                calls.push(`${request.method} ${request.path}`);
                return transport.send(request, signal);
              },
            }),
        }),
    },
    never,
  );
  return { plan, warnings, isRecalled: looked.length === 1, calls: calls.toSorted() };
}

test("a plan without changes is recalled, from the same answers, and is the same", async () => {
  const first = await view();
  const second = await view();
  expect([first.isRecalled, second.isRecalled]).toEqual([false, true]);
  expect(first.plan).toMatchObject({ actions: [], errors: [], unchanged: 3 });
  expect(second).toEqual({ ...first, isRecalled: true });
  expect(second.calls.length).toBeGreaterThan(5);
});

test("a plan with changes is not recalled", async () => {
  await world.client().delete(deployment, {});
  const views = [await view(), await view()];
  expect(views.map(({ isRecalled, plan }) => [isRecalled, plan.actions.map(({ name }) => name)])).toEqual([
    [false, ["a"]],
    [false, ["a"]],
  ]);
});

const scaled = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a", namespace: here } };

test.for<{ reason: string; change?: () => Promise<unknown>; more?: MoreOptions; way?: Partial<ClusterOptions> }>([
  {
    reason: "a field of a live object",
    change: () => world.client().apply({ ...scaled, spec: { replicas: 3 } }, { fieldManager: "person", force: true }),
  },
  { reason: "a live object that is gone", change: () => world.client().delete(deployment, {}) },
  {
    reason: "a live object that appeared",
    change: async () => {
      const { metadata, ...rest } = await world.client().get(deployment);
      const copied = {
        ...metadata,
        name: "copy",
        resourceVersion: undefined,
        uid: undefined,
        managedFields: undefined,
      };
      await world.client().create({ ...rest, metadata: JSON.parse(JSON.stringify(copied)) });
    },
  },
  {
    reason: "a data file",
    change: () => world.data.integration("a", [{ namespace: "n1", spec: { extraArgs: "--more" } }]),
  },
  { reason: "a data file that is gone", change: () => world.data.remove("integrations", "b") },
  { reason: "a variable of the process", more: { desire: { processEnv: { IMAGE_TAG: "2" } } } },
  { reason: "what the run looks at", more: { desire: { integration: ["a"] } } },
  { reason: "an option of the plan", more: { managedKinds: ["Deployment"] } },
  {
    reason: "the list of managed namespaces",
    more: { memory: { read: async () => [{ ...(await remembered()), namespace: there }], update: async () => {} } },
  },
  { reason: "a cluster that the run leaves out", way: { side: "internal" } },
])("a plan is made again, and right, after a change of $reason", async ({ change, more = {}, way = {} }) => {
  expect((await view()).plan.actions).toEqual([]);
  await change?.();
  await settled();
  const seen = await view(more, { ...reach, ...way });
  expect(seen.isRecalled).toBe(false);
  const options = await world.options(more);
  await using planned = await planFromData(
    { ...options, reach: (named) => clusterSources(named, { ...reach, ...way }) },
    never,
  );
  expect(seen.plan).toEqual(planned.plan);
  expect(seen.warnings).toEqual(planned.warnings);
});

test("a plan with a value from a variable of the process is not recalled without the variable", async () => {
  const more = { desire: { processEnv: { IMAGE_TAG: "2" } } };
  await view();
  await world.run(more);
  expect((await view(more)).plan.actions).toEqual([]);
  const { plan, isRecalled } = await view();
  expect(isRecalled).toBe(false);
  expect(plan.actions.map(({ name }) => name).toSorted()).toEqual(["a", "b"]);
});

async function remembered() {
  const [first] = await world.memory.read(never);
  if (!first) throw new Error("the run before has remembered its namespace");
  return first;
}

test("of data that cannot be listed whole, nothing is recalled", async () => {
  await view();
  expect((await view()).isRecalled).toBe(true);
  const link = join(world.data.path, "data", "integrations", "link.json");
  await symlink("nowhere", link);
  onTestFinished(() => rm(link));
  await expect(view()).rejects.toThrow("broken symbolic link");
});
