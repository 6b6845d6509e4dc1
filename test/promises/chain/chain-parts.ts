import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HttpProxy, startHttpProxy } from "#faults";
import { type ForgeProxy, type StartedGitea, startForgeProxy, startGitea, TestGitea } from "#gitea";
import { type LastingRegistry, readRaw, SamplePusher, startEmbeddedRegistry } from "#registry";

/** A registry and a Gitea, each behind a proxy that Tenon reaches it by, and each able to restart with what it has. */
export class ChainParts implements AsyncDisposable {
  /** What images are named by. */
  readonly registry: HttpProxy;
  readonly forge: ForgeProxy;
  readonly gitea: TestGitea;
  /** The certificate of `forge`, for git. */
  readonly certificateFile: string;
  readonly #registryServer: LastingRegistry;
  readonly #giteaServer: StartedGitea;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    servers: { readonly registry: LastingRegistry; readonly gitea: StartedGitea },
    proxies: { readonly registry: HttpProxy; readonly forge: ForgeProxy; readonly gitea: TestGitea },
    certificateFile: string,
    stack: AsyncDisposableStack,
  ) {
    this.#registryServer = servers.registry;
    this.#giteaServer = servers.gitea;
    this.registry = proxies.registry;
    this.forge = proxies.forge;
    this.gitea = proxies.gitea;
    this.certificateFile = certificateFile;
    this.#stack = stack;
  }

  /** In a folder that outlives them. */
  static async start(folder: string): Promise<ChainParts> {
    await using stack = new AsyncDisposableStack();
    const registry = stack.use(await startEmbeddedRegistry());
    const started = stack.use(await startGitea());
    const gitea = stack.use(new TestGitea(started));
    const forge = stack.use(await startForgeProxy(gitea));
    const images = stack.use(await startHttpProxy({ target: registry.url }));
    const file = join(folder, "forge.crt");
    await writeFile(file, forge.certificateAuthority);
    return new ChainParts({ registry, gitea: started }, { registry: images, forge, gitea }, file, stack.move());
  }

  /** Kills one of them, and starts it again. */
  async restart(part: "registry" | "forge"): Promise<void> {
    await (part === "registry" ? this.#registryServer : this.#giteaServer).restart();
  }

  /** Pushes an image of one layer, as a build does, and returns its digest. */
  async build(repository: string, name: string): Promise<string> {
    return (await new SamplePusher(this.#registryServer.url, repository).image(name)).digest;
  }

  /** The digest behind each tag. */
  async tags(repository: string, names: readonly string[]): Promise<(string | undefined)[]> {
    const found = names.map((name) => readRaw(this.#registryServer.url, repository, name));
    return (await Promise.all(found)).map((image) => image?.digest);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
