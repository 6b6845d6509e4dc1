import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HttpProxy, startHttpProxy } from "#faults";
import { type GitServer, runGit, startGitServer } from "#git";
import {
  type LoopbackRegistry,
  startLoopbackRegistry,
  storeImage,
} from "../../../src/cli/promote/loopback-registry.ts";

const never = new AbortController().signal;
const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
const authorization = `Basic ${Buffer.from("tenon:secret").toString("base64")}`;

/** A registry and a git server with a proxy before each; both can be stopped and started again where they were. */
export class ChainParts implements AsyncDisposable {
  readonly registry: HttpProxy;
  readonly git: HttpProxy;
  readonly #folder: string;
  #registryServer: LoopbackRegistry;
  #gitServer: GitServer;

  constructor(folder: string, servers: [LoopbackRegistry, GitServer], proxies: [HttpProxy, HttpProxy]) {
    this.#folder = folder;
    [this.#registryServer, this.#gitServer] = servers;
    [this.registry, this.git] = proxies;
  }

  static async start(folder: string): Promise<ChainParts> {
    await mkdir(join(folder, "git"), { recursive: true });
    const registry = await startLoopbackRegistry({ folder: join(folder, "images") });
    const git = await startGitServer(join(folder, "git"), { authorization });
    const proxies = [registry.host, new URL(git.url).host].map((host) =>
      startHttpProxy({ target: new URL(`http://${host}`) }),
    );
    const [images, forge] = await Promise.all(proxies);
    if (!images || !forge) throw new Error("no proxies");
    return new ChainParts(folder, [registry, git], [images, forge]);
  }

  /** Both are away for a moment, and come back with what they had. */
  async restart(): Promise<void> {
    const ports = [this.#registryServer.port, Number(new URL(this.#gitServer.url).port)];
    await this.#registryServer[Symbol.asyncDispose]();
    await this.#gitServer[Symbol.asyncDispose]();
    this.#registryServer = await startLoopbackRegistry({ folder: join(this.#folder, "images") }, ports[0]);
    this.#gitServer = await startGitServer(join(this.#folder, "git"), { authorization, port: ports[1] ?? 0 });
  }

  async build(repository: string, number: number): Promise<string> {
    return await storeImage({ folder: join(this.#folder, "images") }, repository, { build: `${number}` });
  }

  async tags(repository: string, names: readonly string[]): Promise<(string | null)[]> {
    const answers = names.map((name) =>
      fetch(`http://${this.#registryServer.host}/v2/${repository}/manifests/${name}`),
    );
    return (await Promise.all(answers)).map(({ headers }) => headers.get("docker-content-digest"));
  }

  /** The data files of the example as a repository of one commit, with a file of settings for `tenon run`. */
  async makeData(name: string, replace: (text: string) => string): Promise<DataRepository> {
    const folder = join(this.#folder, "git", name);
    await cp(join(import.meta.dirname, "..", "..", "..", "examples", "promotion", "data"), join(folder, "data"), {
      recursive: true,
    });
    for (const file of ["environments/stage.yml", "namespaces/parcels-stage.yml"]) {
      const path = join(folder, "data", file);
      await writeFile(path, replace(await readFile(path, "utf8")));
    }
    const git = async (...words: string[]) =>
      String(await runGit([...identity, ...words], { directory: folder }, never)).trim();
    await git("init", "--quiet", "--initial-branch", "main");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "first");
    const config = join(this.#folder, `${name}.yaml`);
    await writeFile(config, `data: ${folder}\nstateFile: ${join(this.#folder, `${name}-state.json`)}\n`);
    return { config, url: `${this.git.url.origin}/${name}`, git };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of [this.registry, this.git, this.#registryServer, this.#gitServer]) {
      await each[Symbol.asyncDispose]();
    }
  }
}

export interface DataRepository {
  /** A tenon.yaml. */
  readonly config: string;
  readonly url: string;
  git(...words: string[]): Promise<string>;
}
