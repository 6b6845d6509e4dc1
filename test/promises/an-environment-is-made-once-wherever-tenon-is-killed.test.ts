import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isRecord, silentLogger } from "#base";
import { type HttpProxy, seededRandom } from "#faults";
import { testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { EphemeralClaim, EphemeralClass, environmentLabels, installEnvironments, SpaceRequest } from "#promotion";
import { seed } from "#seeded";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";
import { type PromoteProcess, startPromote } from "./propagation/promote-process.ts";

const namespace = `tenant-${crypto.randomUUID().slice(0, 8)}`;
const limit = { timeout: 300_000, interval: 50 };
let client: KubeClient;

beforeAll(async () => {
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await installEnvironments(client, silentLogger, AbortSignal.timeout(300_000));
  for (const { apiVersion, kind } of [EphemeralClass, EphemeralClaim, SpaceRequest]) {
    await client.discovery.whenServed({ apiVersion, kind }, AbortSignal.timeout(300_000));
  }
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});
afterAll(async () => {
  await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
  await client.transport[Symbol.asyncDispose]();
});

/** Where Tenon is killed: at a write, which the API server gets or does not get. */
interface KillPoint {
  readonly request: number;
  readonly moment: "before" | "after";
}

const fewestPoints = 30;
/** Each takes seconds; all points are for `make soak`. */
const pointsInTest = 20;

/** Holds the write of a kill point; one space is made and removed at a time. */
function watchWrites(cluster: HttpProxy, point?: KillPoint) {
  const seen: string[] = [];
  const rule = cluster.silence({
    at: point?.moment === "after" ? "headers" : "request",
    times: 1,
    match({ method, path }) {
      if (method === "GET") return false;
      seen.push(`${method} ${path}`);
      return seen.length === point?.request;
    },
  });
  return { seen, reached: rule.reached, release: () => rule.remove() };
}

const refOf = (name: string) => ({ apiVersion: SpaceRequest.apiVersion, kind: SpaceRequest.kind, namespace, name });

async function namesOf(apiVersion: string, kind: string, inNamespace?: string): Promise<readonly string[]> {
  const labelSelector = kind === "EphemeralClaim" ? {} : { labelSelector: environmentLabels.claimUid };
  const { items } = await client.list({ apiVersion, kind, ...(inNamespace ? { namespace } : {}), ...labelSelector });
  return items.map(({ metadata }) => metadata.name);
}

/** What there is of environments: their claims, namespaces and Secrets. */
async function survey() {
  const [claims, namespaces, secrets] = await Promise.all([
    namesOf(EphemeralClaim.apiVersion, "EphemeralClaim", namespace),
    namesOf("v1", "Namespace"),
    namesOf("v1", "Secret", namespace),
  ]);
  return { claims: claims.length, namespaces: namespaces.length, secrets: secrets.length };
}

async function isUsable(name: string): Promise<boolean> {
  const status = (await client.get(refOf(name)))["status"];
  return isRecord(status) && Array.isArray(status["namespaceAccess"]);
}

/** The life of a space. */
async function live(name: string): Promise<void> {
  await client.create({
    apiVersion: EphemeralClass.apiVersion,
    kind: EphemeralClass.kind,
    metadata: { name },
    spec: { limits: { default: { memory: "64Mi" } } },
  });
  const { apiVersion, kind } = SpaceRequest;
  await client.create({ apiVersion, kind, metadata: { name, namespace }, spec: { tierName: name } });
  await vi.waitUntil(() => isUsable(name), limit);
  expect(await survey()).toEqual({ claims: 1, namespaces: 1, secrets: 1 });
  await client.delete(refOf(name), { propagation: "Foreground" });
  await vi.waitUntil(async () => (await client.find(refOf(name))) === undefined, limit);
  expect(await survey()).toEqual({ claims: 0, namespaces: 0, secrets: 0 });
  const ref = { apiVersion: EphemeralClass.apiVersion, kind: EphemeralClass.kind, name };
  await client.delete(ref);
  await vi.waitUntil(async () => (await client.find(ref)) === undefined, limit);
}

test(`killed at any write of a space that is made and removed, and started again: one environment, and none in the end (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-environment-"));
  await using cluster = await startProxyTo(testKubeconfig());
  await writeKubeconfig(join(directory.path, "kubeconfig"), { proxied: cluster.url });
  await using children = new AsyncDisposableStack();
  const start = (): PromoteProcess =>
    children.use(startPromote(directory.path, "proxied", ["--promote", "environments"]));
  let running = start();
  let count = 0;

  async function runCase(point?: KillPoint): Promise<readonly string[]> {
    count += 1;
    const watched = watchWrites(cluster, point);
    const life = live(`${namespace}-${count}`).catch((error: unknown) => {
      throw new Error(`killed at ${JSON.stringify(point)}: ${running.log().slice(-4_000)}`, { cause: error });
    });
    if (point) {
      // Another order of the writes may leave this one out.
      await Promise.race([watched.reached, life]);
      await running.kill();
      watched.release();
      running = start();
    }
    await life;
    watched.release();
    return watched.seen;
  }

  const writes = await runCase();
  const points = writes
    .flatMap((_, index) => (["before", "after"] as const).map((moment) => ({ request: index + 1, moment })))
    .map((point) => ({ point, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ point }) => point);
  expect(points.length).toBeGreaterThanOrEqual(fewestPoints);
  for (const point of process.env["TENON_SOAK"] ? points : points.slice(0, pointsInTest)) await runCase(point);
}, 1_800_000);
