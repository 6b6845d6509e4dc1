import { setTimeout as sleep } from "node:timers/promises";
import { type HttpProxy, startHttpProxy } from "#faults";
import { type GiteaAccess, type Shop, startForgeProxy, startGitea, startShop, TestGitea } from "#gitea";
import { connect, createClient, loadAccess } from "#kube";
import { SamplePusher, startEmbeddedRegistry } from "#registry";
import { ensureRenovate, runRenovate } from "../test/e2e/run-renovate.ts";
import { makePropagationNamespace, type PropagationNamespace } from "../test/harness/propagation-namespace.ts";
import { benchCluster } from "./bench-cluster.ts";
import { describeSpent, medianSpent, type Spent, spend } from "./measure.ts";
import { type OperatorProcess, operatorProgram } from "./operator-process.ts";

const files = 500;
const references = 20;
const rounds = 5;
const idleChecks = 5;
const never = new AbortController().signal;

interface Figures extends Spent {
  /** To the forge. */
  readonly requests: number;
}

interface World {
  readonly gitea: TestGitea;
  readonly images: HttpProxy;
  readonly tenon: OperatorProcess;
  readonly namespace: PropagationNamespace;
  start(settings: { readonly labels: readonly string[] }, source?: Readonly<Record<string, unknown>>): Promise<Shop>;
}

/**
 * A moved tag to its pull request on Gitea, beside a run of Renovate on a repository of the same files; and what a look costs
 * that finds nothing. Tenon runs in a process of its own: the proxies that count are in this one.
 */
export async function measurePropagate(): Promise<void> {
  const renovate = await ensureRenovate();
  await using cluster = await benchCluster();
  await using transport = connect(await loadAccess({ kubeconfig: cluster.kubeconfig }));
  await using access = await startGitea();
  await using gitea = new TestGitea(access);
  await using registry = await startEmbeddedRegistry();
  await using images = await startHttpProxy({ target: registry.url });
  await using forge = await startForgeProxy(gitea);
  const namespace = await makePropagationNamespace(createClient(transport), "propagate", never);
  await using program = await operatorProgram("bench/propagate-operator.ts");
  await using tenon = await program.start(cluster.kubeconfig);
  const owner = await gitea.createUser();
  const shared = { world: namespace, gitea, forge, owner, files: manyFiles };
  const start: World["start"] = (settings, source = {}) =>
    startShop({ ...shared, registry: { url: registry.url, host: images.url.host }, source, settings });
  const world: World = { gitea, images, tenon, namespace, start };
  const opened = await measureOpened(world, access, registry.url, renovate);
  await measureUpdated(world);
  await measureLabelled(world);
  await measureIdle(world);
  compare(opened.ours, opened.theirs);
}

/** Manifests of which some refer to the image, and the others to another tag. */
function manyFiles(prefix: string): Readonly<Record<string, string>> {
  const image = (index: number) => `${prefix}/web:${index % (files / references) === 0 ? "released" : "v1"}`;
  return Object.fromEntries(
    Array.from({ length: files }, (_, index) => {
      const text = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app-${index}}\nspec:\n  template:\n    spec:\n      containers:\n        - name: app\n          image: ${image(index)}\n`;
      return [`deploy/${index}/deployment.yaml`, text];
    }),
  );
}

/** Each round opens a pull request in a repository of its own; Renovate then has one to open after the next release. */
async function measureOpened(world: World, gitea: GiteaAccess, registry: URL, renovate: string) {
  const [ours, theirs]: [Figures[], Spent[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    await using shop = await world.start({ labels: [] });
    ours.push(await propose(world, shop));
    if (round > 1) continue; // a run of Renovate takes a minute
    await merge(world, shop);
    await new SamplePusher(registry, `${shop.name}/web`).index("v1");
    const digest = await shop.release();
    const scene = { gitea, repository: shop.repository, registry: world.images.url.host };
    theirs.push(await spend(() => runRenovate(renovate, scene)));
    const open: readonly { readonly title: string }[] = await world.gitea.expect(
      "GET",
      `${shop.repository.path}/pulls`,
    );
    if (!open.some(({ title }) => title.includes(digest.slice(7, 14)))) throw new Error("Renovate opened nothing");
  }
  const requests = Math.max(...ours.map((each) => each.requests));
  console.log(`a moved tag to a pull request on Gitea, ${files} files, ${references} references, no labels:`);
  console.log(`  opened: ${describeSpent(medianSpent(ours))}, median of ${rounds}; ${requests} requests (bar: 12)`);
  console.log(`  the first, before the program is warm: ${describeSpent(ours[0] ?? medianSpent(ours))}`);
  return { ours: medianSpent(ours), theirs: medianSpent(theirs) };
}

/** From the moved tag to the written status; with what git and Tenon computed. */
async function propose({ tenon }: World, shop: Shop): Promise<Figures> {
  const digest = await shop.release();
  const [asked, before, begin] = [shop.requests().length, (await tenon.cost()).cpuMs, performance.now()];
  await shop.look();
  await whenState(shop, digest, "Proposed");
  const wall = performance.now() - begin;
  return { wall, processor: (await tenon.cost()).cpuMs - before, requests: shop.requests().length - asked };
}

async function measureUpdated(world: World): Promise<void> {
  await using shop = await world.start({ labels: [] });
  await propose(world, shop);
  const updated: Figures[] = [];
  for (let round = 0; round < rounds; round++) updated.push(await propose(world, shop));
  const requests = Math.max(...updated.map((each) => each.requests));
  console.log(`  updated: ${describeSpent(medianSpent(updated))}, median of ${rounds}; ${requests} requests (bar: 12)`);
}

async function measureLabelled(world: World): Promise<void> {
  await using shop = await world.start({ labels: ["promotion"] });
  const { requests } = await propose(world, shop);
  console.log(`  opened with a label that must be made: ${requests} requests (bar: 12)`);
}

function compare(ours: Spent, theirs: Spent): void {
  const [processor, wall] = [theirs.processor / ours.processor, theirs.wall / ours.wall];
  console.log(`  a run of Renovate that opens the same: ${describeSpent(theirs)}`);
  console.log(
    `  Renovate takes ${processor.toFixed(1)} times our CPU (bar: 20), and ${wall.toFixed(1)} times our time (bar: 6)\n`,
  );
}

async function whenState(shop: Shop, digest: string, state: string): Promise<void> {
  for (;;) {
    const found = await shop.proposedState(digest);
    if (found === state) return;
    if (found?.startsWith("Failed")) throw new Error(found);
    await sleep(20);
  }
}

/** Gitea refuses while it still checks whether it can. */
async function merge({ gitea }: World, { repository }: Shop): Promise<void> {
  const ask = () => gitea.call("POST", `${repository.path}/pulls/1/merge`, { Do: "squash" });
  while ((await ask()).status !== 200) await sleep(100);
}

async function measureIdle(world: World): Promise<void> {
  await using shop = await world.start({ labels: [] }, { interval: "1s" });
  const { images, namespace } = world;
  const digest = await shop.release();
  await shop.look();
  await whenState(shop, digest, "Proposed");
  await merge(world, shop);
  await whenState(shop, digest, "UpToDate");
  const version = async () => (await namespace.read(shop.name)).metadata.resourceVersion;
  const [before, asked, pulled] = [await version(), shop.requests().length, images.requests.length];
  while (images.requests.length < pulled + idleChecks) await sleep(50);
  const heads = images.requests.slice(pulled).filter(({ method }) => method === "HEAD").length;
  const writes = (await version()) === before ? "no write" : "a write";
  console.log(
    `  with nothing to do, ${idleChecks} times: ${heads} HEADs, ${images.requests.length - pulled - heads} other requests to the registry, ${shop.requests().length - asked} to the forge, ${writes} (bar: one HEAD each)`,
  );
}

if (import.meta.main) await measurePropagate();
