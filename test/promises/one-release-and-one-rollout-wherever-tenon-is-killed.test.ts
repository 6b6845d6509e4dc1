import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { silentLogger, valueAt } from "#base";
import { startCluster, stopCluster } from "#cluster";
import { installKinds } from "#crd";
import { type HttpProxy, type RequestView, seededRandom } from "#faults";
import { temporaryHome } from "#harness";
import {
  ApiError,
  connect,
  ConnectionError,
  createClient,
  isKubeObject,
  type KubeClient,
  type KubeObject,
  loadAccess,
} from "#kube";
import {
  authorLabelOf,
  declareBuild,
  type DeclaredSnapshot,
  installPromotion,
  Propagation,
  Release,
  Snapshot,
  viewRelease,
} from "#promotion";
import { seed } from "#seeded";
import { parseYamlDocuments } from "#yaml";
import { ChainParts, type DataRepository } from "./chain/chain-parts.ts";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";
import { type PromoteProcess, startPromote } from "./propagation/promote-process.ts";

const limit = { timeout: 300_000, interval: 100 };
const never = new AbortController().signal;
// The data is read every few seconds, also where the machine has no file watches left.
const words = ["--only", "manage,promote", "--promote", "builds,tests,releases,propagation", "--interval", "5s"];

type Part = "cluster" | "registry" | "git";

/** Where something is handed on from one part of the chain to the next: the write that says so. */
interface Arrow {
  readonly name: string;
  readonly part: Part;
  readonly matches: (request: RequestView) => boolean;
  /** Only after this arrow. */
  readonly after?: string;
}

const isNamespace = ({ kind }: KubeObject) => kind === "Namespace";
const isWrite = ({ method }: RequestView) => method !== "GET" && method !== "HEAD";
const writes = (path: RegExp) => (request: RequestView) => isWrite(request) && path.test(request.path);
const creates = (path: RegExp) => (request: RequestView) => request.method === "POST" && path.test(request.path);

const arrows: readonly Arrow[] = [
  { name: "build to candidate", part: "cluster", matches: writes(/\/components\/tracking/) },
  { name: "Snapshot to test run", part: "cluster", matches: creates(/\/jobs(\?|$)/) },
  { name: "test run to verdict", part: "cluster", matches: writes(/\/snapshots\/[^/?]+\/status/) },
  { name: "verdict to Release", part: "cluster", matches: creates(/\/releases(\?|$)/) },
  { name: "Release to its pipeline", part: "cluster", matches: writes(/\/releases\/[^/?]+\/status/) },
  { name: "pipeline to tag", part: "registry", matches: writes(/\/manifests\/released$/) },
  {
    name: "tag to the end of the Release",
    part: "cluster",
    matches: writes(/\/releases\/[^/?]+\/status/),
    after: "pipeline to tag",
  },
  { name: "tag to branch", part: "git", matches: creates(/git-receive-pack/) },
  {
    name: "branch to proposal",
    part: "cluster",
    matches: writes(/\/propagations\/parcels\/status/),
    after: "tag to branch",
  },
  {
    name: "merge to rollout",
    part: "cluster",
    matches: writes(/\/deployments\/tracking/),
    after: "branch to proposal",
  },
];

interface KillPoint {
  readonly arrow: Arrow;
  /** Whether the server gets the write. */
  readonly moment: "before" | "after";
}

/** The objects of examples/promotion in namespaces of their own. */
class Parcels {
  readonly id = crypto.randomUUID().slice(0, 8);
  readonly namespace = `parcels-${this.id}`;
  readonly stage = `stage-${this.id}`;
  readonly repository = `parcels/${this.id}`;
  readonly #client: KubeClient;
  readonly #parts: ChainParts;

  constructor(client: KubeClient, parts: ChainParts) {
    this.#client = client;
    this.#parts = parts;
  }

  async prepare(): Promise<DataRepository> {
    const before = await this.#parts.build(this.repository, 1);
    const registry = this.#parts.registry.url.host;
    const { user } = await this.#client.whoAmI();
    const replace = (text: string) =>
      text
        .replaceAll("parcels-release", this.namespace)
        .replaceAll("parcels-stage", this.stage)
        .replaceAll("registry.example/parcels/tracking", `${registry}/${this.repository}`)
        .replaceAll("http://git.example/data", `${this.#parts.git.url.origin}/${this.id}`)
        .replaceAll("author.example", authorLabelOf(user))
        .replace(/sha256:0{64}/, before);
    const data = await this.#parts.makeData(this.id, replace);
    const file = join(import.meta.dirname, "..", "..", "examples", "promotion", "world.yaml");
    const objects = parseYamlDocuments(replace(await readFile(file, "utf8"))).flatMap(({ value }) =>
      isKubeObject(value) ? [value] : [],
    );
    const metadata = { name: "data-files", namespace: this.namespace };
    const login = { apiVersion: "v1", kind: "Secret", metadata, stringData: { username: "tenon", token: "secret" } };
    for (const object of [...objects.filter(isNamespace), login, ...objects.filter((each) => !isNamespace(each))]) {
      await this.#client.apply(object, { fieldManager: "tests", force: true });
    }
    return data;
  }

  async declare(): Promise<DeclaredSnapshot & { readonly digest: string }> {
    const digest = await this.#parts.build(this.repository, 2);
    const image = `${this.#parts.registry.url.host}/${this.repository}@${digest}`;
    const build = { namespace: this.namespace, component: "tracking", image, commit: "4fd2c1e", startedAt: Date.now() };
    return { ...(await declareBuild(build, this.#client, never)), digest };
  }

  async list(apiVersion: string, kind: string, namespace = this.namespace): Promise<KubeObject[]> {
    return (await this.#client.list({ apiVersion, kind, namespace })).items;
  }

  async stageStatus() {
    const { apiVersion, kind } = Propagation;
    const found = await this.#client.get({ apiVersion, kind, namespace: this.namespace, name: "parcels" });
    return Propagation.parse(found).status?.stages?.[0];
  }

  async rollouts(): Promise<unknown> {
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: this.stage, name: "tracking" };
    const found = await this.#client.find(ref);
    return valueAt(found, ["metadata", "generation"]);
  }
}

/** Notes the arrows that were passed, and holds the write of the point where Tenon is to be killed. */
function watchArrows(
  { id }: Parcels,
  proxies: Readonly<Record<Part, HttpProxy>>,
  passed: Set<string>,
  point?: KillPoint,
) {
  const silence = { at: point?.moment === "after" ? "headers" : "request", times: 1 } as const;
  const notice = (part: Part, request: RequestView): boolean => {
    if (!request.path.includes(id)) return false;
    const met = arrows.filter(
      (arrow) =>
        arrow.part === part && arrow.matches(request) && (arrow.after === undefined || passed.has(arrow.after)),
    );
    for (const { name } of met) passed.add(name);
    return met.some(({ name }) => name === point?.arrow.name);
  };
  const rules = (["cluster", "registry", "git"] as const).map((part) =>
    proxies[part].silence({ ...silence, match: (request) => notice(part, request) }),
  );
  return {
    reached: Promise.race(rules.map(({ reached }) => reached)),
    release: () => rules.forEach((rule) => rule.remove()),
  };
}

/** The test itself cannot look while the API server is restarted. */
function whileAway(error: unknown): false {
  if (error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)) return false;
  throw error;
}

test(`killed with kill -9 at each arrow from a build to its rollout, with registry, git server and API server restarted, Tenon reaches the same end: one Release, one proposal, one rollout (seed ${seed})`, async () => {
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
  const proxies = { cluster, registry: parts.registry, git: parts.git };

  async function runChain(
    points: readonly KillPoint[] = [],
    disturb: () => Promise<void> = async () => {},
  ): Promise<Set<string>> {
    const where = `killed ${points.map(({ moment, arrow }) => `${moment} ${arrow.name}`).join(" and ")}`;
    const passed = new Set<string>();
    const parcels = new Parcels(client, parts);
    const data = await parcels.prepare();
    const more = [...words, "--config", data.config, "--plain-http", parts.registry.url.host];
    await using children = new AsyncDisposableStack();
    const start = (): PromoteProcess => children.use(startPromote(directory.path, "proxied", more));
    let running = start();
    const reach = async (what: string, isReached: () => Promise<boolean>) => {
      await vi
        .waitUntil(() => isReached().catch(whileAway), limit)
        .catch((error: unknown) => {
          throw new Error(`${where}: ${what} is missing: ${running.log().slice(-4_000)}`, { cause: error });
        });
    };
    await reach("what ran before", async () => (await parcels.rollouts()) === 1);
    let watched = watchArrows(parcels, proxies, passed, points[0]);
    const { snapshot, digest } = await parcels.declare();
    const whenMerged = async () => {
      await reach("the proposal", async () => (await parcels.stageStatus())?.state === "Proposed");
      const [proposal] = (await parcels.stageStatus())?.proposals ?? [];
      await data.git("merge", "--quiet", "--ff-only", proposal?.branch ?? "");
    };
    const isRunning = async () => {
      const stage = await parcels.stageStatus();
      return stage?.state === "UpToDate" && Object.values(stage.running?.digests ?? {})[0] === digest;
    };
    const told = whenMerged().then(() => reach("the rollout", isRunning));
    told.catch(() => {});
    for (const index of points.keys()) {
      await Promise.race([watched.reached, told]);
      await running.kill();
      await disturb();
      watched.release();
      watched = watchArrows(parcels, proxies, passed, points[index + 1]);
      running = start();
    }
    await told;
    watched.release();

    const releases = await parcels.list(Release.apiVersion, Release.kind);
    const tags = ["released", `released-${snapshot.metadata.name}`];
    expect({
      where,
      snapshots: (await parcels.list(Snapshot.apiVersion, Snapshot.kind)).length,
      tests: (await parcels.list("batch/v1", "Job")).length,
      releases: releases.map((release) => viewRelease(release).state),
      tags: await parts.tags(parcels.repository, tags),
      commits: (await data.git("log", "--format=%s", "main")).split("\n").length,
      branches: await data.git("branch", "--format=%(refname:short)"),
      generation: await parcels.rollouts(),
    }).toEqual({
      where,
      snapshots: 1,
      tests: 1,
      releases: ["Released"],
      tags: [digest, digest],
      commits: 2,
      branches: "main",
      generation: 2,
    });
    await running.kill();
    for (const name of [parcels.namespace, parcels.stage]) {
      await client.delete({ apiVersion: "v1", kind: "Namespace", name });
    }
    return passed;
  }

  expect([...(await runChain())].toSorted(), "arrows that a run passes").toEqual(
    arrows.map(({ name }) => name).toSorted(),
  );
  // Two arrows a round, far from each other: a process starts many times.
  const half = arrows.length / 2;
  const kill = (arrow: Arrow): KillPoint => ({ arrow, moment: random() < 0.5 ? "before" : "after" });
  for (let index = 0; index < half; index += 1) {
    await runChain([arrows[index], arrows[index + half]].filter((arrow) => arrow !== undefined).map(kill));
  }
  const middle = arrows.find(({ name }) => name === "pipeline to tag");
  if (!middle) throw new Error("no such arrow");
  await runChain([{ arrow: middle, moment: "after" }], async () => {
    await parts.restart();
    await stopCluster(instance, never);
    await startCluster(instance, never);
  });
}, 1_800_000);
