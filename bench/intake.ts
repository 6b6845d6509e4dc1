import { setTimeout as sleep } from "node:timers/promises";
import { silentLogger } from "#base";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { Component, installPromotion, promotionLabels, Snapshot } from "#promotion";
import { installTektonKinds, LargeApplication } from "#tekton";
import { benchCluster } from "./bench-cluster.ts";
import { median } from "./measure.ts";
import { type OperatorProcess, operatorProgram } from "./operator-process.ts";

const builds = 50;
const manySnapshots = 1_000;
const singles = 5;
const idleMs = 10_000;

interface World {
  readonly client: KubeClient;
  /** Of the API server so far, in milliseconds. */
  readonly serverCpuMs: () => Promise<number>;
  readonly start: () => Promise<OperatorProcess>;
}

interface Burst {
  readonly seconds: number;
  readonly cpuMs: number;
  /** Of the API server, which also answers the benchmark itself. */
  readonly serverCpuMs: number;
  readonly writes: number;
  readonly reads: number;
  readonly rssMb: number;
}

/** From finished builds to started tests, by the parts builds and tests in a process of their own. */
export async function measureIntake(): Promise<void> {
  await using cluster = await benchCluster();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  const client = createClient(transport);
  await installPromotion(client, silentLogger, AbortSignal.timeout(60_000));
  await installTektonKinds(client);
  await using program = await operatorProgram("bench/intake-operator.ts");
  const world = {
    client,
    serverCpuMs: () => apiServerCpuMs(client),
    start: async () => await program.start(cluster.kubeconfig),
  };
  await burst(world, 30); // until the API server has compiled its policies
  const small = await burst(world, 300);
  const large = await burst(world, 600);
  console.log(
    `${builds} builds at once, 300 components: ${describe(small)} (bars: 8 s, 5 s CPU; Konflux 16 s, 1.65 s CPU)`,
  );
  const times = (of: (burst: Burst) => number) => (of(large) / of(small)).toFixed(2);
  console.log(
    `${builds} builds at once, 600 components: ${describe(large)}; times those of 300: ${times(({ seconds }) => seconds)} on the clock, ${times(({ cpuMs }) => cpuMs)} CPU of Tenon, ${times(({ serverCpuMs }) => serverCpuMs)} CPU of the API server (bar: 2.2)`,
  );
  await measureSingle(world);
  await measureMany(world);
}

async function burst({ client, start, serverCpuMs }: World, components: number): Promise<Burst> {
  const application = new LargeApplication(client, components);
  await application.create();
  await using operator = await start();
  await untilHeld(application);
  await operator.quiet();
  const before = await operator.cost();
  const serverBefore = await serverCpuMs();
  const started = await application.startBuilds(builds);
  const begin = performance.now();
  await application.finishBuilds(started);
  await application.settled();
  const seconds = (performance.now() - begin) / 1_000;
  const server = (await serverCpuMs()) - serverBefore;
  await operator.quiet();
  const { cpuMs, writes, reads, rssMb } = await operator.cost();
  await remove(client, application);
  return {
    seconds,
    cpuMs: cpuMs - before.cpuMs,
    serverCpuMs: server,
    writes: writes - before.writes,
    reads: reads - before.reads,
    rssMb,
  };
}

/** At rest: one build after the other. */
async function measureSingle({ client, start }: World): Promise<void> {
  const application = new LargeApplication(client, 30);
  await application.create();
  const [times, writes]: [number[], number[]] = [[], []];
  {
    await using operator = await start();
    await untilHeld(application);
    for (let round = 0; round < singles; round++) {
      const started = await application.startBuilds(1);
      await operator.quiet();
      const before = await operator.cost();
      const begin = performance.now();
      await application.finishBuilds(started);
      await application.settled();
      times.push((performance.now() - begin) / 1_000);
      await operator.quiet();
      writes.push((await operator.cost()).writes - before.writes);
    }
    const before = await operator.cost();
    await sleep(idleMs);
    const after = await operator.cost();
    const requests = after.reads + after.writes + after.events - before.reads - before.writes - before.events;
    console.log(`idle for ${idleMs / 1_000} s: ${requests} requests beside watches (bar: 0)`);
    await remove(client, application);
  }
  const [time, count] = [median(times).toFixed(2), median(writes)];
  console.log(`1 build, finished to started test: ${time} s (bar: 0.3 s), ${count} writes (bar: 7; Konflux 12.8)`);
}

/** What is over costs memory, and nothing else. */
async function measureMany({ client, start }: World): Promise<void> {
  const application = new LargeApplication(client, 30);
  await application.create();
  const empty = await restart(start);
  const rows = application.components.map((name) => ({
    name,
    containerImage: `reg.local:5000/acme/${name}@sha256:${"1".repeat(64)}`,
    source: { git: { url: `https://git.example/acme/${name}`, revision: "0".repeat(40) } },
  }));
  const { apiVersion, kind } = Snapshot;
  const labels = { [promotionLabels.snapshotType]: "component", [promotionLabels.component]: "c000" };
  for (let index = 0; index < manySnapshots; index += 50) {
    await Promise.all(
      Array.from({ length: 50 }, async (_, offset) => {
        const name = `shop-${index + offset}`;
        const metadata = { name, namespace: application.namespace, labels };
        await client.create({ apiVersion, kind, metadata, spec: { application: "shop", components: rows } });
        const time = new Date().toISOString();
        const condition = { status: "True", lastTransitionTime: time, message: "" };
        const conditions = [
          { ...condition, type: "AppStudioIntegrationStatus", reason: "Finished" },
          { ...condition, type: "AppStudioTestSucceeded", reason: "Passed" },
        ];
        const ref = { apiVersion, kind, namespace: application.namespace, name };
        await client.patch(ref, { type: "merge", subresource: "status", body: { status: { conditions } } });
      }),
    );
  }
  await restart(start); // components get their finalizers
  const full = await restart(start);
  console.log(
    `restart with ${manySnapshots} Snapshots of 30 components: ${full.writes} writes, ${full.reads} reads (bar: no write)`,
  );
  const memory = (full.rssMb - empty.rssMb).toFixed(0);
  console.log(
    `memory for ${manySnapshots} Snapshots of 30 components: ${memory} MB of ${full.rssMb.toFixed(0)} (bar: 40)\n`,
  );
}

async function restart(start: World["start"]) {
  await using operator = await start();
  await sleep(3_000);
  await operator.quiet();
  return await operator.cost();
}

async function untilHeld(application: LargeApplication): Promise<void> {
  while ((await application.list(Component)).some(({ metadata }) => metadata.finalizers === undefined))
    await sleep(100);
}

/** While an operator runs, which lets go of the components. */
async function remove(client: KubeClient, { namespace }: LargeApplication): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Namespace", name: namespace };
  await client.delete(ref);
  while (await client.find(ref)) await sleep(200);
}

/** As it says itself. */
async function apiServerCpuMs({ transport }: KubeClient): Promise<number> {
  const signal = AbortSignal.timeout(60_000);
  const answer = await transport.send({ method: "GET", path: "/metrics" }, signal);
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(answer.body)?.[1] ?? Number.NaN) * 1_000;
}

function describe({ seconds, cpuMs, serverCpuMs, writes, reads, rssMb }: Burst): string {
  return `${seconds.toFixed(1)} s, ${(cpuMs / 1_000).toFixed(2)} s CPU beside ${(serverCpuMs / 1_000).toFixed(1)} of the API server, ${perBuild(writes)} writes and ${perBuild(reads)} reads a build, ${rssMb.toFixed(0)} MB`;
}

function perBuild(count: number): string {
  return (count / builds).toFixed(1);
}

if (import.meta.main) await measureIntake();
