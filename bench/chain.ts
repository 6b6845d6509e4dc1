import { mkdtempDisposable } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord, silentLogger, valueAt } from "#base";
import { installKinds } from "#crd";
import type { HttpProxy } from "#faults";
import { readinessOf } from "#inventory";
import { connect, createClient, type KubeObject, loadAccess } from "#kube";
import { conditionState, installPromotion, Propagation, Release, releaseConditions, Snapshot } from "#promotion";
import { ChainParts } from "../test/promises/chain/chain-parts.ts";
import { Parcels } from "../test/promises/chain/parcels.ts";
import { benchCluster } from "./bench-cluster.ts";
import { median, processorTimeOf } from "./measure.ts";
import { PackedCli } from "./packed-cli.ts";
import { TimedGit } from "./timed-git.ts";
import { type ObjectWatch, watchObjects } from "./watch-objects.ts";
import { within } from "./within.ts";

const rounds = 7;

/** When a chain got where, in milliseconds since 1970. */
interface Passed {
  readonly declared: number;
  readonly snapshot: number;
  readonly testRun: number;
  readonly tested: number;
  readonly verdict: number;
  readonly release: number;
  readonly tag: number;
  readonly released: number;
  readonly pushed: number;
  readonly opened: number;
  readonly merged: number;
  readonly written: number;
  readonly running: number;
}

interface Played {
  readonly passed: Passed;
  /** Milliseconds of processors, with git, that `promote` takes from the test to the pull request, and `manage` from the merge. */
  readonly processor: Readonly<Record<Worker, number>>;
}

/** Tenon's two processes. */
type Worker = "promote" | "manage";

interface Arrow {
  readonly name: string;
  readonly from: keyof Passed;
  readonly to: keyof Passed;
  /** Whose time it is, if it is not Kubernetes'. */
  readonly worker?: Worker;
}

const arrows: readonly Arrow[] = [
  { name: "end of a build to its Snapshot", from: "declared", to: "snapshot" },
  { name: "Snapshot to its test, a Job", from: "snapshot", to: "testRun", worker: "promote" },
  { name: "the test (Kubernetes)", from: "testRun", to: "tested" },
  { name: "end of the test to the verdict", from: "tested", to: "verdict", worker: "promote" },
  { name: "verdict to a Release", from: "verdict", to: "release", worker: "promote" },
  { name: "Release to a moved tag", from: "release", to: "tag", worker: "promote" },
  { name: "moved tag to the end of the Release", from: "tag", to: "released", worker: "promote" },
  { name: "end of the Release to a pushed branch", from: "released", to: "pushed", worker: "promote" },
  { name: "pushed branch to an open pull request", from: "pushed", to: "opened", worker: "promote" },
  { name: "merge to a changed Deployment", from: "merged", to: "written", worker: "manage" },
  { name: "changed Deployment to its rollout (Kubernetes)", from: "written", to: "running" },
];
const toPullRequest = { name: "passed test to an open pull request", from: "tested", to: "opened" } as const;
const toRollout = { name: "merge to the rolled-out Deployment", from: "merged", to: "running" } as const;

interface World {
  readonly parts: ChainParts;
  readonly parcels: Parcels;
  /** What they have taken so far, with git. */
  readonly processor: Readonly<Record<Worker, () => number>>;
  readonly jobs: ObjectWatch;
  readonly snapshots: ObjectWatch;
  readonly releases: ObjectWatch;
  readonly deployments: ObjectWatch;
}

/**
 * The end of a build to the rollout of its image, arrow by arrow, with Gitea and a registry, and without Tekton: what pipelines
 * of users take is theirs. `promote` and `manage` run as two processes, as published.
 */
export async function measureChain(): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-chain-"));
  const cli = await PackedCli.pack(directory.path);
  const git = {
    promote: await TimedGit.install(join(directory.path, "promote")),
    manage: await TimedGit.install(join(directory.path, "manage")),
  };
  await using cluster = await benchCluster(1);
  await using parts = await ChainParts.start(directory.path);
  const { kubeconfig } = cluster;
  const access = await loadAccess({ kubeconfig });
  await using transport = connect(access);
  const client = createClient(transport);
  const signal = AbortSignal.timeout(300_000);
  await installPromotion(client, silentLogger, signal);
  await installKinds(client, [Propagation], { signal });
  await client.discovery.whenServed(Propagation, signal);
  const parcels = new Parcels(client, parts);
  await parcels.prepare();

  // `manage` asks Gitea each second, which is a part of what a merge waits for.
  const shared = ["--kubeconfig", kubeconfig, "--context", access.context, "--no-leader-election", "--port", "0"];
  const promoted = ["--promote", "builds,tests,releases,propagation", "--plain-http", parts.registry.url.host];
  const state = ["--data", parcels.data, "--state-file", join(directory.path, "state.json"), "--interval", "1s"];
  const variables = { PATH: git.manage.path, GIT_SSL_CAINFO: parts.certificateFile };
  await using promote = cli.start(["run", "--only", "promote", ...promoted, ...shared], { PATH: git.promote.path });
  await using manage = cli.start(["run", "--only", "manage", ...state, ...shared], variables);
  await using jobs = await watchObjects(client, { apiVersion: "batch/v1", kind: "Job" });
  await using snapshots = await watchObjects(client, Snapshot);
  await using releases = await watchObjects(client, Release);
  await using deployments = await watchObjects(client, { apiVersion: "apps/v1", kind: "Deployment" });
  const processor = { promote: () => processorTimeOf(promote.pid), manage: () => processorTimeOf(manage.pid) };
  const world: World = { parts, parcels, processor, jobs, snapshots, releases, deployments };
  await within("the first rollout", deployments.until(isReady));
  await play(world, 1);
  const measured: Played[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await play(world, round + 2));
  await print(measured, git);
}

/** One chain, the `count`th. */
async function play(world: World, count: number): Promise<Played> {
  const { parts, parcels, processor, jobs, snapshots, releases, deployments } = world;
  const isOwn = ({ metadata: { namespace } }: KubeObject) => namespace === parcels.namespace;
  const passing = {
    testRun: jobs.until(isOwn, count),
    tested: jobs.until((job) => isOwn(job) && conditionState(job, "Complete") === "succeeded", count),
    verdict: snapshots.until((snapshot) => isOwn(snapshot) && hasPassed(snapshot), count),
    release: releases.until(isOwn, count),
    tag: answered(parts.registry, "PUT", /\/manifests\/released$/),
    released: releases.until((each) => conditionState(each, releaseConditions.released) === "succeeded", count),
    pushed: answered(parts.forge.proxy, "POST", /\/git-receive-pack$/),
    opened: answered(parts.forge.proxy, "POST", /\/pulls$/),
  };
  const declared = Date.now();
  await parcels.declare(`build-${count}`);
  const snapshot = Date.now();
  const tested = await within("the end of the test", passing.tested);
  const promoteBefore = processor.promote();
  const opened = await within("an open pull request", passing.opened);
  const promoted = processor.promote() - promoteBefore;
  const isChanged = ({ metadata }: KubeObject) => metadata.generation === count + 1;
  const [written, running] = [
    deployments.until(isChanged),
    deployments.until((each) => isChanged(each) && isReady(each)),
  ];
  const manageBefore = processor.manage();
  while (!(await parcels.merge({ number: count }))) await sleep(20);
  const merged = Date.now();
  const passed: Passed = {
    declared,
    snapshot,
    testRun: await passing.testRun,
    tested,
    verdict: await passing.verdict,
    release: await passing.release,
    tag: await passing.tag,
    released: await within("the end of the Release", passing.released),
    pushed: await passing.pushed,
    opened,
    merged,
    written: await within("a changed Deployment", written),
    running: await within("its rollout", running),
  };
  const managed = processor.manage() - manageBefore;
  // Else the branch of this chain would be deleted while the next one is measured.
  while ((await parcels.names("branches")).length > 1) await sleep(100);
  return { passed, processor: { promote: promoted, manage: managed } };
}

/** When the next request of that kind has its answer. */
async function answered(proxy: HttpProxy, method: string, path: RegExp): Promise<number> {
  const isOne = (request: { readonly method: string; readonly path: string; readonly isOpen: boolean }) =>
    request.method === method && path.test(request.path) && !request.isOpen;
  await proxy.when(isOne, proxy.count(isOne) + 1);
  return Date.now();
}

function hasPassed({ status }: KubeObject): boolean {
  const conditions = isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  return conditions.some(({ type, reason }) => type === "AppStudioTestSucceeded" && reason === "Passed");
}

function isReady(deployment: KubeObject): boolean {
  const observed = valueAt(deployment, ["status", "observedGeneration"]);
  return observed === deployment.metadata.generation && readinessOf(deployment).is === "ready";
}

async function print(played: readonly Played[], git: Readonly<Record<Worker, TimedGit>>): Promise<void> {
  const took = async ({ from, to, worker }: Omit<Arrow, "name">) => {
    const times = played.map(({ passed }) => passed[to] - passed[from]);
    const ofGit = await Promise.all(
      played.map(async ({ passed }) => (worker ? await git[worker].milliseconds(passed[from], passed[to]) : 0)),
    );
    const beyondGit = times.map((ms, index) => ms - (ofGit[index] ?? 0));
    return { total: median(times), ofGit: median(ofGit), beyondGit: median(beyondGit) };
  };
  console.log(`a build to its rollout, medians of ${rounds}, under a load of ${loadavg()[0]?.toFixed(1)}:`);
  for (const arrow of arrows) {
    const { total, ofGit } = await took(arrow);
    console.log(`  ${arrow.name}: ${inMs(total)}${ofGit < 1 ? "" : `, ${inMs(ofGit)} of it git`}`);
  }
  const opened = await took({ ...toPullRequest, worker: "promote" });
  const promoted = inMs(median(played.map(({ processor }) => processor.promote)));
  console.log(`${toPullRequest.name}: ${inMs(opened.total)}, ${inMs(opened.ofGit)} of it git, ${promoted} CPU`);
  console.log("  (bar: 2 s; a run of Renovate: 6 s, on a timer)");
  const rolled = await took({ ...toRollout, worker: "manage" });
  const managed = inMs(median(played.map(({ processor }) => processor.manage)));
  console.log(`${toRollout.name}: ${inMs(rolled.total)}, ${inMs(rolled.beyondGit)} of it beyond git, ${managed} CPU`);
  console.log("  (bar: 5 s beyond git)\n");
}

function inMs(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}

if (import.meta.main) await measureChain();
