import { mkdtemp, mkdtempDisposable, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { startWithAddons } from "#addons";
import { isRecord, silentLogger, valueAt } from "#base";
import { type ClusterHome, clusterHome, listClusters, stopCluster } from "#cluster";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import {
  claimTemplateAnnotation,
  environmentDriver,
  EphemeralClaim,
  EphemeralClass,
  installEnvironments,
} from "#promotion";
import { makeDriverAccount, startDriver } from "../test/e2e/use-driver.ts";
import { startEnvironments } from "./environments-operator.ts";
import { median } from "./measure.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";
import { within } from "./within.ts";

const namespace = "taskruns";
const className = "in-taskruns";
const template = "environment";
const rounds = 9;
/** It is on every node with Tekton. */
const image = "localhost/tekton/shell:1.15.0";
const taskRuns = { apiVersion: "tekton.dev/v1", kind: "TaskRun" };
const never = new AbortController().signal;

/**
 * What a claim adds to a TaskRun: TaskRuns with and without one, by turns, on a real node with Tekton and the resource driver.
 * Needs root. The first argument is the data directory of a running instance with `--node --cdi --tekton`; without, it starts
 * one.
 */
export async function measureTaskRuns(given?: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { home, name } = given
    ? { home: { cache: clusterHome().cache, data: dirname(given) }, name: basename(given) }
    : await startInstance(stack);
  const instance = (await listClusters(home)).find((each) => each.name === name);
  if (!instance) throw new Error(`instance ${name} not found in ${home.data}`);
  const { kubeconfig, dataDir } = instance;
  const client = createClient(stack.use(connect(await loadAccess({ kubeconfig }))));
  await installEnvironments(client, silentLogger, never);
  await makeWorld(client);
  stack.defer(() => client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace }));
  stack.use(await startEnvironments(kubeconfig));
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "tenon-bench-driver-")));
  const account = stack.use(await makeDriverAccount({ client, kubeconfig, namespace }, folder.path));
  const record: unknown = JSON.parse(await readFile(join(dataDir, "run.json"), "utf8"));
  const driver = startDriver({ name: `${name}-node`, pid: Number(valueAt(record, ["nodePid"])) }, account.file);
  stack.defer(() => driver.end("SIGTERM"));
  const runs = stack.use(await watchObjects(client, { ...taskRuns, namespace }));
  const claims = stack.use(await watchObjects(client, EphemeralClaim));
  const world: World = { client, runs, claims };
  for (const isClaiming of [true, false]) await run(world, `warm-${isClaiming}`, isClaiming);
  const spent: Record<"claiming" | "plain", number[]> = { claiming: [], plain: [] };
  for (let round = 0; round < rounds; round++) {
    spent.plain.push(await run(world, `plain-${round}`, false));
    spent.claiming.push(await run(world, `claiming-${round}`, true));
  }
  const [plain, claiming] = [median(spent.plain), median(spent.claiming)];
  const added = median(spent.claiming.map((ms, round) => ms - (spent.plain[round] ?? 0)));
  console.log(
    `a TaskRun with a claim: ${inSeconds(claiming)}, without: ${inSeconds(plain)}, medians of ${rounds} by turns`,
  );
  console.log(`  a claim adds ${inSeconds(added)}, the median of the differences (bar: 1 s)`);
}

async function startInstance(
  stack: AsyncDisposableStack,
): Promise<{ readonly home: ClusterHome; readonly name: string }> {
  const data = await mkdtemp(join(tmpdir(), "tenon-bench-"));
  stack.defer(() => rm(data, { recursive: true }));
  const instance = { home: { cache: clusterHome().cache, data }, name: "bench" };
  await startWithAddons({ ...instance, node: true, cdi: true, tekton: true, endsWithUs: true }, never);
  stack.defer(async () => void (await stopCluster(instance, never)));
  return instance;
}

async function makeWorld(client: KubeClient): Promise<void> {
  const { apiVersion, kind } = EphemeralClass;
  await client.discovery.whenServed({ apiVersion, kind }, never);
  const apply = (object: KubeObject) => client.apply(object, { fieldManager: "bench", force: true });
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  // Pods know the API server by its Service; the controllers run beside it.
  const spec = { server: "https://kubernetes.default.svc", grace: "1s" };
  await apply({ apiVersion, kind, metadata: { name: className }, spec });
  const config = [{ opaque: { driver: environmentDriver, parameters: { className } } }];
  const selectors = [{ cel: { expression: `device.driver == "${environmentDriver}"` } }];
  const resource = { apiVersion: "resource.k8s.io/v1" };
  await apply({ ...resource, kind: "DeviceClass", metadata: { name: className }, spec: { selectors, config } });
  const requests = [{ name: "env", exactly: { deviceClassName: className } }];
  const metadata = { name: template, namespace };
  await apply({ ...resource, kind: "ResourceClaimTemplate", metadata, spec: { spec: { devices: { requests } } } });
}

interface World {
  readonly client: KubeClient;
  readonly runs: ObjectWatch;
  readonly claims: ObjectWatch;
}

/** Milliseconds from the creation of a TaskRun to its success. */
async function run({ client, runs, claims }: World, name: string, isClaiming: boolean): Promise<number> {
  const annotations = isClaiming ? { [claimTemplateAnnotation]: template } : {};
  const script = isClaiming ? 'cat "$KUBECONFIG" > /dev/null' : "true";
  // What it leaves is gone before the next one begins.
  const isGone = isClaiming ? claims.untilGone(() => true) : undefined;
  const begin = Date.now();
  await client.create({
    ...taskRuns,
    metadata: { name, namespace, annotations },
    spec: { taskSpec: { steps: [{ name: "look", image, script: `#!/bin/sh\nset -e\n${script}\n` }] } },
  });
  const ended = runs.until((found) => found.metadata.name === name && succeeded(found) !== undefined);
  const at = await within(`TaskRun ${name} to end`, ended);
  const found = await client.get({ ...taskRuns, namespace, name });
  if (succeeded(found) !== "True") throw new Error(`TaskRun ${name} failed: ${JSON.stringify(found["status"])}`);
  await client.delete({ ...taskRuns, namespace, name });
  if (isGone) await within(`the claim of TaskRun ${name} to be gone`, isGone);
  return at - begin;
}

function succeeded(taskRun: KubeObject): string | undefined {
  const conditions = valueAt(taskRun, ["status", "conditions"]);
  const found = Array.isArray(conditions)
    ? conditions.filter(isRecord).find(({ type }) => type === "Succeeded")
    : undefined;
  return found === undefined || found["status"] === "Unknown" ? undefined : String(found["status"]);
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

if (import.meta.main) await measureTaskRuns(process.argv[2]);
