import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger, systemClock, valueAt } from "#base";
import { type HttpProxy, type RequestView, seededRandom } from "#faults";
import { testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import {
  Application,
  Component,
  installPromotion,
  IntegrationTestScenario,
  parseTestStatuses,
  promotionAnnotations,
  promotionLabels,
  Snapshot,
} from "#promotion";
import { seed } from "#seeded";
import { installTektonKinds, PipelinePlayer, testOutput } from "#tekton";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";
import { type PromoteProcess, startPromote } from "./propagation/promote-process.ts";

const phases = ["intake", "tests"] as const;
type Phase = (typeof phases)[number];

/** Tenon is killed at one of its writes, which the server gets or does not get. */
interface KillPoint {
  readonly phase: Phase;
  readonly write: number;
  readonly moment: "before" | "after";
}

const points = process.env["TENON_SOAK"] ? 40 : 20;
const scenarios = ["e2e", "scan"];
const repository = "reg.local:5000/acme/web";
const digest = `sha256:${"1".repeat(64)}`;
const pipelineRun = { apiVersion: "tekton.dev/v1", kind: "PipelineRun" };
const limitMs = 5 * 60_000;

let client: KubeClient;
beforeAll(async () => {
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await installPromotion(client, silentLogger, AbortSignal.timeout(300_000));
  await installTektonKinds(client);
});
afterAll(() => client.transport[Symbol.asyncDispose]());

/** A namespace with an Application, a Component and two scenarios. */
async function createShop() {
  const namespace = `killed-${crypto.randomUUID().slice(0, 8)}`;
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const create = (kind: { readonly apiVersion: string; readonly kind: string }, name: string, spec: object) =>
    client.create({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec });
  await create(Application, "shop", { displayName: "Shop" });
  const source = { git: { url: "https://git.example/acme/web", revision: "main" } };
  await create(Component, "web", { componentName: "web", application: "shop", source });
  const resolverRef = { resolver: "cluster", params: [{ name: "name", value: "e2e" }] };
  for (const name of scenarios) await create(IntegrationTestScenario, name, { application: "shop", resolverRef });
  const player = new PipelinePlayer(client, namespace);
  const list = async ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, type?: string) => {
    const labelSelector = type === undefined ? undefined : `${promotionLabels.runType}=${type}`;
    return (await client.list({ apiVersion, kind, namespace, labelSelector })).items;
  };

  const work: Readonly<Record<Phase, () => Promise<void>>> = {
    async intake() {
      const labels = { [promotionLabels.runType]: "build", [promotionLabels.component]: "web" };
      await client.create({ ...pipelineRun, metadata: { name: "build", namespace, labels }, spec: {} });
      const results = [
        ["IMAGE_URL", `${repository}:main`],
        ["IMAGE_DIGEST", digest],
        ["CHAINS-GIT_URL", "https://git.example/acme/web"],
        ["CHAINS-GIT_COMMIT", "c1"],
      ].map(([name, value]) => ({ name, value, type: "string" }));
      const status = {
        startTime: "2026-01-02T03:04:05Z",
        completionTime: "2026-01-02T03:05:05Z",
        conditions: [{ type: "Succeeded", status: "True" }],
        results,
      };
      const ref = { ...pipelineRun, namespace, name: "build" };
      await client.patch(ref, { type: "merge", subresource: "status", body: { status } });
    },
    async tests() {
      for (const { metadata } of await list(pipelineRun, "test")) {
        await player.finish(metadata.name, { tasks: [{ name: "test", output: testOutput("SUCCESS") }] });
      }
    },
  };

  /** What someone sees who looks at everything, without names that differ from one namespace to another. */
  async function look() {
    const [builds, runs] = [await list(pipelineRun, "build"), await list(pipelineRun, "test")];
    const component = await client.get({
      apiVersion: Component.apiVersion,
      kind: Component.kind,
      namespace,
      name: "web",
    });
    return {
      builds: builds.map((run) => ({ isKept: isKept(run), snapshot: annotation(run, promotionAnnotations.snapshot) })),
      candidate: valueAt(component, ["status", "lastPromotedImage"]),
      snapshots: (await list(Snapshot)).map(describeSnapshot),
      runs: runs.map((run) => ({ isKept: isKept(run), scenario: run.metadata.labels?.[promotionLabels.scenario] })),
    };
  }
  return { namespace, work, look };
}

function annotation({ metadata }: KubeObject, name: string): string | undefined {
  return metadata.annotations?.[name];
}

function isKept({ metadata }: KubeObject): boolean {
  return (metadata.finalizers ?? []).length > 0;
}

function describeSnapshot(snapshot: KubeObject) {
  const conditions = valueAt(snapshot, ["status", "conditions"]);
  return {
    name: snapshot.metadata.name,
    images: valueAt(snapshot, ["spec", "components", 0, "containerImage"]),
    tests: parseTestStatuses(annotation(snapshot, promotionAnnotations.testStatus)).map(
      ({ scenario, status }) => `${scenario} ${status}`,
    ),
    conditions: Array.isArray(conditions)
      ? conditions.map(({ type, status, reason }) => `${type} ${status}/${reason}`).toSorted()
      : [],
  };
}

const name = "shop-20260102-030405-000";
const expected = (phase: Phase) => ({
  builds: [{ isKept: false, snapshot: name }],
  candidate: `${repository}@${digest}`,
  snapshots: [
    {
      name,
      images: `${repository}@${digest}`,
      tests: scenarios.map((scenario) => `${scenario} ${phase === "intake" ? "InProgress" : "TestPassed"}`),
      conditions:
        phase === "intake"
          ? ["AppStudioIntegrationStatus Unknown/InProgress"]
          : [
              "AppStudioIntegrationStatus True/Finished",
              "AppStudioTestSucceeded True/Passed",
              "AutoReleased True/AutoReleased",
            ],
    },
  ],
  runs: scenarios.map((scenario) => ({ isKept: phase === "intake", scenario })),
});

/** Returns when everything is as it would be without a kill. */
async function settle(shop: Awaited<ReturnType<typeof createShop>>, phase: Phase): Promise<void> {
  const end = systemClock.monotonic() + limitMs;
  for (;;) {
    const seen = await shop.look();
    if (isDeepStrictEqual(seen, expected(phase))) return;
    if (systemClock.monotonic() > end) throw new Error(`not as expected: ${JSON.stringify(seen, undefined, 1)}`);
    await systemClock.sleep(50);
  }
}

/** Holds the write of a kill point; `seen` are the writes in the namespace so far. */
function watchWrites(proxy: HttpProxy, namespace: string, point: KillPoint | undefined) {
  const seen: string[] = [];
  const isPoint = ({ method, path }: RequestView): boolean => {
    if (method === "GET" || !path.includes(`/namespaces/${namespace}/`)) return false;
    seen.push(`${method} ${path}`);
    return seen.length === point?.write;
  };
  const rule = proxy.silence({ at: point?.moment === "after" ? "headers" : "request", times: 1, match: isPoint });
  return { seen, reached: rule.reached, release: () => rule.remove() };
}

test(`killed at any write of intake and test, and started again: the same Snapshot, the same results, no run twice (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-promote-"));
  await using proxy = await startProxyTo(testKubeconfig());
  await writeKubeconfig(join(directory.path, "kubeconfig"), { proxied: proxy.url });
  await using children = new AsyncDisposableStack();
  const start = (): PromoteProcess =>
    children.use(startPromote(directory.path, "proxied", ["--promote", "builds,tests"]));
  let running = start();
  const reached: KillPoint[] = [];

  /** Builds and tests in a namespace of its own, and kills Tenon at the points. */
  async function runPhases(killed: Partial<Record<Phase, KillPoint>>): Promise<KillPoint[]> {
    const shop = await createShop();
    const met: KillPoint[] = [];
    for (const phase of phases) {
      const point = killed[phase];
      const where = `killed at ${JSON.stringify(point)}`;
      const watched = watchWrites(proxy, shop.namespace, point);
      await shop.work[phase]();
      const settled = settle(shop, phase).catch((error: unknown) => {
        throw new Error(`${where}\n${watched.seen.join("\n")}\n${running.log()}`, { cause: error });
      });
      if (point) {
        await Promise.race([watched.reached.then(() => reached.push(point)), settled]);
        await running.kill();
        watched.release();
        running = start();
      }
      await settled;
      watched.release();
      for (let write = 1; write <= watched.seen.length; write += 1) {
        met.push({ phase, write, moment: "before" }, { phase, write, moment: "after" });
      }
    }
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: shop.namespace });
    return met;
  }

  const all = shuffle(await runPhases({}), random);
  const chosen = Array.from({ length: points }, (_, index) => all[index % all.length]).filter((point) => !!point);
  const byPhase = Object.groupBy(chosen, ({ phase }) => phase);
  const rounds = Math.max(...phases.map((phase) => byPhase[phase]?.length ?? 0));
  for (let round = 0; round < rounds; round += 1) {
    const [intake, tests] = phases.map((phase) => byPhase[phase]?.[round]);
    await runPhases({ ...(intake && { intake }), ...(tests && { tests }) });
  }
  // Writes differ a little from one time to another: two changes may become one.
  expect(reached.length).toBeGreaterThan(points / 2);
}, 1_800_000);

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const placed = items.map((item) => ({ item, place: random() }));
  return placed.toSorted((one, other) => one.place - other.place).map(({ item }) => item);
}
