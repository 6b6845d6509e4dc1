import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { silentLogger } from "#base";
import { startCluster, stopCluster } from "#cluster";
import { installKinds } from "#crd";
import { seededRandom } from "#faults";
import { temporaryHome } from "#harness";
import { ApiError, connect, ConnectionError, createClient, loadAccess } from "#kube";
import { installPromotion, Propagation, Release, Snapshot, viewRelease } from "#promotion";
import { seed } from "#seeded";
import { type ArrowFault, ArrowWatch, type ChainArrow, chainArrows, type ChainPart } from "./chain/chain-arrows.ts";
import { ChainParts } from "./chain/chain-parts.ts";
import { Parcels } from "./chain/parcels.ts";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";
import { type PromoteProcess, startPromote } from "./propagation/promote-process.ts";

/** From one write to the next. */
const limit = { timeout: 300_000, interval: 50 };
const never = new AbortController().signal;
const words = ["--only", "manage,promote", "--promote", "builds,tests,releases,propagation", "--interval", "1s"];
const partNames = ["cluster", "registry", "forge"] as const;

/** The test itself cannot look while the API server is restarted. */
function whileAway(error: unknown): false {
  if (error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)) return false;
  throw error;
}

/** Tenon is killed at every arrow, and the server of one arrow for each part is gone before that. */
function planFaults(isAfter: (arrow: ChainArrow) => boolean, random: () => number): readonly ArrowFault[] {
  const restarted = new Set(
    partNames.map((part) => {
      const ofPart = chainArrows.filter((arrow) => arrow.part === part);
      return ofPart[Math.floor(random() * ofPart.length)];
    }),
  );
  return chainArrows.flatMap((arrow): ArrowFault[] => [
    ...(restarted.has(arrow) ? [{ arrow, kind: "server gone" } as const] : []),
    { arrow, kind: isAfter(arrow) ? "killed after" : "killed before" },
  ]);
}

test(`killed with kill -9 at each arrow from a build to its rollout, with registry, Gitea and API server restarted under it, Tenon reaches the same end: one Release, one pull request, one rollout (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-chain-"));
  await using home = await temporaryHome();
  const instance = { home, name: "chain", fakeNodes: 1, endsWithUs: true };
  const { kubeconfig } = await startCluster(instance, never);
  await using _ = { [Symbol.asyncDispose]: async () => void (await stopCluster(instance, never)) };
  await using parts = await ChainParts.start(directory.path);
  await using cluster = await startProxyTo(kubeconfig);
  await writeKubeconfig(join(directory.path, "kubeconfig"), { proxied: cluster.url });
  await using transport = connect(await loadAccess({ kubeconfig }));
  const client = createClient(transport);
  await installPromotion(client, silentLogger, never);
  await installKinds(client, [Propagation], { signal: never });
  await client.discovery.whenServed(Propagation, never);
  const proxies = { cluster, registry: parts.registry, forge: parts.forge.proxy };

  async function restart(part: ChainPart): Promise<void> {
    if (part !== "cluster") return await parts.restart(part);
    await stopCluster(instance, never);
    await startCluster(instance, never);
  }

  async function runChain(faults: readonly ArrowFault[]): Promise<void> {
    const parcels = new Parcels(client, parts);
    await parcels.prepare();
    const state = join(directory.path, `${parcels.id}-state.json`);
    const more = [...words, "--data", parcels.data, "--state-file", state, "--plain-http", parts.registry.url.host];
    await using children = new AsyncDisposableStack();
    const start = (): PromoteProcess =>
      children.use(startPromote(directory.path, "proxied", more, { GIT_SSL_CAINFO: parts.certificateFile }));
    let running = start();
    let last = "nothing has happened yet";
    let isMerged = false;
    const reach = async (what: string, isReached: () => Promise<boolean>) => {
      await vi
        .waitUntil(() => isReached().catch(whileAway), limit)
        .catch((error: unknown) => {
          throw new Error(`${last}: ${what} is missing: ${running.log().slice(-4_000)}`, { cause: error });
        });
    };
    await reach("what ran before", async () => (await parcels.rollouts()) === 1);
    using watch = new ArrowWatch(parcels, proxies, faults);
    const { snapshot, digest } = await parcels.declare();

    const isProposed = async () => (await parcels.stageStatus())?.state === "Proposed";
    const isRunning = async () => {
      const stage = await parcels.stageStatus();
      return stage?.state === "UpToDate" && Object.values(stage.running?.digests ?? {})[0] === digest;
    };
    for (const [index, { kind, arrow }] of faults.entries()) {
      if (arrow.name === "merge to rollout" && !isMerged) {
        await reach("the pull request", isProposed);
        await reach("its merge", async () => (isMerged = await parcels.merge({ number: 1 })));
      }
      await reach(`the write of ${arrow.name}`, async () => watch.hasReached(index));
      last = `${kind} at ${arrow.name}`;
      await (kind === "server gone" ? restart(arrow.part) : running.kill());
      watch.release(index);
      if (kind !== "server gone") running = start();
    }
    await reach("the rollout", isRunning);

    const releases = await parcels.list(Release.apiVersion, Release.kind);
    const tags = ["released", `released-${snapshot.metadata.name}`];
    expect({
      snapshots: (await parcels.list(Snapshot.apiVersion, Snapshot.kind)).length,
      tests: (await parcels.list("batch/v1", "Job")).length,
      releases: releases.map((release) => viewRelease(release).state),
      tags: await parts.tags(parcels.repository, tags),
      pullRequests: await parcels.pullRequests(),
      commits: (await parcels.names("commits")).length,
      branches: await parcels.names("branches"),
      generation: await parcels.rollouts(),
    }).toEqual({
      snapshots: 1,
      tests: 1,
      releases: ["Released"],
      tags: [digest, digest],
      pullRequests: [{ number: 1, state: "closed", merged: true }],
      commits: 2,
      branches: ["main"],
      generation: 2,
    });
    await running.kill();
    await parcels.delete();
  }

  // Before and after the server has each write; a soak goes on with other places and moments.
  for (let round = 0; round < (process.env["TENON_SOAK"] ? 5 : 1); round += 1) {
    const moments = new Map(chainArrows.map((arrow) => [arrow, random() < 0.5]));
    for (const half of [true, false]) {
      await runChain(planFaults((arrow) => moments.get(arrow) === half, random));
    }
  }
}, 1_800_000);
