import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HttpProxy, type RequestView, seededRandom } from "#faults";
import { type Shop, startForgeProxy, startShop, useGitea } from "#gitea";
import { testKubeconfig, usePropagation } from "#harness";
import { startEmbeddedRegistry } from "#registry";
import { seed } from "#seeded";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";
import { processesIn, type PromoteProcess, startPromote } from "./propagation/promote-process.ts";

const world = usePropagation({ runsController: false });
const gitea = await useGitea();
const phases = ["open", "update"] as const;
type Phase = (typeof phases)[number];

/** Where Tenon is killed: at a request to Gitea or a write to Kubernetes, which the server gets or does not get. */
interface KillPoint {
  readonly phase: Phase;
  readonly request: number;
  readonly moment: "before" | "after";
  /** Whether what git sends goes on only when the next process has done everything. */
  readonly isLate: boolean;
}

interface WatchedRequests {
  /** The requests so far. */
  readonly seen: readonly string[];
  /** Resolves when the request of the point waits. */
  readonly reached: Promise<void>;
  release(): void;
}

/** Holds the request of a kill point, among those about the shop. */
function watchRequests(shop: Shop, [cluster, forge]: readonly [HttpProxy, HttpProxy], point?: KillPoint) {
  const seen: string[] = [];
  const notice = (request: RequestView): boolean => {
    seen.push(`${request.method} ${request.path.replace(shop.repository.path.replace("/repos", ""), "")}`);
    return seen.length === point?.request;
  };
  const isWrite = ({ method, path }: RequestView) => method !== "GET" && path.includes(`/propagations/${shop.name}`);
  const silence = { at: point?.moment === "after" ? "headers" : "request", times: 1 } as const;
  const rules = [
    cluster.silence({ ...silence, match: (request) => isWrite(request) && notice(request) }),
    forge.silence({ ...silence, match: (request) => shop.isAbout(request) && notice(request) }),
  ];
  const watched: WatchedRequests = {
    seen,
    reached: Promise.race(rules.map(({ reached }) => reached)),
    release: () => rules.forEach((rule) => rule.remove()),
  };
  return watched;
}

/** Resolves when the digest is proposed, and Tenon has nothing left to do. */
async function whenProposed(shop: Shop, digest: string): Promise<void> {
  await expect.poll(() => shop.proposedState(digest), { interval: 100 }).toBe("Proposed");
}

/** Every request of both phases, before and after the server has handled it, in a random order. */
function pointsOf(requests: Readonly<Record<Phase, readonly string[]>>, random: () => number): KillPoint[] {
  const moments = ["before", "after"] as const;
  const points = phases.flatMap((phase) =>
    requests[phase].flatMap((_, index) =>
      moments.map((moment) => ({ phase, request: index + 1, moment, isLate: random() < 0.5 })),
    ),
  );
  return points
    .map((point) => ({ point, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ point }) => point);
}

test(`killed at any request of push, open and update, and started again: one branch, one pull request, one commit (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-promote-"));
  await using registry = await startEmbeddedRegistry();
  await using cluster = await startProxyTo(testKubeconfig());
  await using forge = await startForgeProxy(gitea);
  await writeKubeconfig(join(directory.path, "kubeconfig"), { proxied: cluster.url });
  const proxies = [cluster, forge.proxy] as const;
  await using children = new AsyncDisposableStack();
  const start = (): PromoteProcess => children.use(startPromote(directory.path, "proxied"));
  let running = start();

  /** Opens and updates a proposal, and kills Tenon at the points. */
  async function runPhases(points: Partial<Record<Phase, KillPoint>>): Promise<Record<Phase, readonly string[]>> {
    await using shop = await startShop({ world, gitea, forge, registry });
    const requests: Record<Phase, readonly string[]> = { open: [], update: [] };
    const released: string[] = [];
    for (const phase of phases) {
      const point = points[phase];
      const where = JSON.stringify(point);
      const digest = await shop.release();
      const expected = shop.oneProposal(digest, released);
      released.push(digest);
      const watched = watchRequests(shop, proxies, point);
      await shop.look();
      const proposed = whenProposed(shop, digest);
      if (point) {
        await Promise.race([watched.reached, proposed]);
        await running.kill();
        if (!point.isLate) watched.release();
        running = start();
      }
      await proposed.catch((error: unknown) => {
        throw new Error(`killed at ${where}: ${running.log()}`, { cause: error });
      });
      expect(await shop.readRepository(), `killed at ${where}`).toEqual(expected);
      watched.release();
      // What git still had to send must change nothing.
      await expect.poll(() => processesIn(directory.path)).toEqual([]);
      expect(await shop.readRepository(), `killed at ${where}`).toEqual(expected);
      requests[phase] = watched.seen;
    }
    return requests;
  }

  const points = pointsOf(await runPhases({}), random);
  expect(points.length).toBeGreaterThanOrEqual(40);
  const chosen = process.env["TENON_SOAK"] ? points : points.slice(0, 20);
  const byPhase = Object.groupBy(chosen, ({ phase }) => phase);
  const rounds = Math.max(...phases.map((phase) => byPhase[phase]?.length ?? 0));
  for (let round = 0; round < rounds; round += 1) {
    const [open, update] = phases.map((phase) => byPhase[phase]?.[round]);
    await runPhases({ ...(open && { open }), ...(update && { update }) });
  }
}, 1_800_000);
