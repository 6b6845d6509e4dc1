import { cp, mkdir, mkdtempDisposable, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describeError } from "#base";
import { type GiteaAccess, startGitea, TestGitea } from "#gitea";
import { ensureHelm } from "#oracle";
import { ociManifest, SamplePusher, startLibraryRegistry, type TestRegistry } from "#registry";
import { readRecordedSignatures, replaySignatures } from "../cosign/recorded-signatures.ts";
import { copyCheckout, personAt } from "./prepare-checkout.ts";
import { readPage, readYamlBlocks } from "./read-page.ts";
import { reportSeconds } from "./report-seconds.ts";
import { applyStandIns, Reader, type StandIns } from "./run-page.ts";
import { type Scene, scenes } from "./scenes.ts";

/**
 * Types what each page says, in a copy of this checkout with an empty home, where the cluster is built and the example world
 * runs. Gives the seconds that the commands of each page took.
 */
export async function playScenes(pages: readonly Scene[] = scenes): Promise<ReadonlyMap<string, number>> {
  await using home = await mkdtempDisposable(join(tmpdir(), "tenon-pages-"));
  const folder = join(home.path, "tenon");
  await mkdir(folder);
  await copyCheckout(folder);
  const programs = join(home.path, "programs");
  await mkdir(programs);
  await symlink(await ensureHelm(new AbortController().signal), join(programs, "helm"));
  const env = await personAt(home.path, [join(home.path, ".cache", "tenon", "bin"), programs]);
  await using stage = await Stage.build(folder, home.path, env);
  const seconds = new Map<string, number>();
  const failures: unknown[] = [];
  for (const scene of pages) {
    // One run shows every page that is wrong.
    const spentMs = await stage.play(scene).catch((error: unknown) => void failures.push(error));
    const problem = spentMs === undefined ? describeError(failures.at(-1)) : "as it says";
    process.stdout.write(`${scene.page}: ${problem}\n`);
    if (spentMs !== undefined) seconds.set(scene.page, spentMs / 1000);
  }
  reportSeconds(seconds);
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} pages differ from what they show`);
  return seconds;
}

/** What the pages share. */
class Stage implements AsyncDisposable {
  readonly #folder: string;
  readonly #home: string;
  readonly #env: NodeJS.ProcessEnv;
  #registry: Promise<TestRegistry> | undefined;
  #gitea: (GiteaAccess & AsyncDisposable) | undefined;

  private constructor(folder: string, home: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#home = home;
    this.#env = env;
  }

  static async build(folder: string, home: string, env: NodeJS.ProcessEnv): Promise<Stage> {
    const stage = new Stage(folder, home, env);
    await stage.#type(["./bin/tenon up"]);
    await cp(join(stage.#world, "data"), join(home, "data-as-it-came"), { recursive: true });
    return stage;
  }

  get #world(): string {
    return join(this.#home, ".local", "share", "tenon", "clusters", "default", "world");
  }

  async play(scene: Scene): Promise<number> {
    const after = () => this.#type(scene.after ?? []);
    const spentMs = await this.#playPage(scene).catch(async (error: unknown) => {
      // What a page did not get to make cannot be removed either; why it stopped is the news.
      await after().catch(() => undefined);
      throw error;
    });
    await after();
    return spentMs;
  }

  async #playPage({ page, in: where, before = {}, files = {}, ...scene }: Scene): Promise<number> {
    const standIns = await this.#find(scene.standIns ?? {});
    const folder = where === "world" ? await this.#resetWorld() : this.#folder;
    const blocks = await readYamlBlocks(page);
    for (const [file, number] of Object.entries(files)) {
      const text = blocks[number - 1];
      if (text === undefined) throw new Error(`${page} has no YAML block ${number}`);
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), applyStandIns(text, standIns));
    }
    await using reader = await Reader.sitDown({ folder, env: this.#env, standIns });
    await reader.prepare("export KUBECONFIG=$(tenon cluster kubeconfig)");
    for (const block of await readPage(page)) {
      for (const typed of before[block.number] ?? []) await reader.prepare(typed);
      await reader.follow(block);
    }
    await reader.interruptOthers();
    return reader.spentMs;
  }

  async #find(standIns: StandIns): Promise<StandIns> {
    const found = Object.entries(standIns).map(async ([said, there]): Promise<[string, string]> => {
      let text = there.replaceAll("{home}", this.#home);
      if (text.includes("{registry}")) text = text.replace("{registry}", await this.#registryHost());
      if (text.includes("{gitops}")) text = text.replace("{gitops}", await this.#createGitops());
      return [said, text];
    });
    return Object.fromEntries(await Promise.all(found));
  }

  async #registryHost(): Promise<string> {
    this.#registry ??= startWithImages();
    return (await this.#registry).host;
  }

  /** A repository on a Gitea; its token and the certificate of the Gitea are in the folder `gitea` of the home. */
  async #createGitops(): Promise<string> {
    this.#gitea ??= await startGitea();
    await using gitea = new TestGitea(this.#gitea);
    const web = await readFile(join(this.#folder, "test", "pages", "manifests", "web.yaml"), "utf8");
    const file = web.replace("registry.invalid", await this.#registryHost());
    const { address, owner } = await gitea.createRepository({ "apps/stage/web.yaml": file });
    const folder = join(this.#home, "gitea");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "token"), owner.token);
    await writeFile(join(folder, "ca.crt"), this.#gitea.certificateAuthority);
    return address;
  }

  async #resetWorld(): Promise<string> {
    for (const name of ["data", ".git"]) await rm(join(this.#world, name), { recursive: true, force: true });
    await cp(join(this.#home, "data-as-it-came"), join(this.#world, "data"), { recursive: true });
    await this.#type([
      `cd ${this.#world}`,
      "export KUBECONFIG=$(tenon cluster kubeconfig)",
      // Annotations and fields that a page changed in the cluster go with the workloads.
      "kubectl delete deployments --all-namespaces --selector tenon.dev/shard",
      "tenon apply --yes --confirm-deletions",
    ]);
    return this.#world;
  }

  async #type(commands: readonly string[]): Promise<void> {
    await using reader = await Reader.sitDown({ folder: this.#folder, env: this.#env });
    for (const typed of commands) await reader.prepare(typed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gitea?.[Symbol.asyncDispose]();
    await (await this.#registry)?.[Symbol.asyncDispose]();
    await this.#type(["./bin/tenon cluster stop --name default"]);
  }
}

/** The images that pages name, and one that cosign signed. The registry takes what is recorded of that: no layers. */
async function startWithImages(): Promise<TestRegistry> {
  const registry = await startLibraryRegistry();
  const web = new SamplePusher(registry.url, "acme/web");
  await web.image("amd64", undefined, "released");
  await web.index("build-7");
  const [signed] = await readRecordedSignatures();
  if (!signed) throw new Error("no signatures are recorded");
  const pusher = new SamplePusher(registry.url, "acme/signed");
  await replaySignatures(signed, pusher);
  await pusher.manifest(ociManifest, signed.manifest, "7");
  await new SamplePusher(registry.url, "acme/built").index("7");
  return registry;
}

if (import.meta.main) {
  const pages = process.argv.slice(2);
  const unknown = pages.filter((page) => !scenes.some((scene) => scene.page === page));
  if (unknown.length > 0) throw new Error(`test/pages/scenes.ts does not list ${unknown.join(", ")}`);
  await playScenes(pages.length > 0 ? scenes.filter((scene) => pages.includes(scene.page)) : scenes);
}
