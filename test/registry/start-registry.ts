import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureEmbeddedRegistry, ensureLibraryRegistry } from "./programs.ts";

/** A real registry on loopback, empty and without authentication. */
export interface TestRegistry extends AsyncDisposable {
  /** Host and port, as in an image reference. */
  readonly host: string;
  readonly url: URL;
  readonly pid: number;
}

export interface LibraryOptions {
  /** Default true. */
  readonly hasReferrers?: boolean;
}

/** go-containerregistry's registry: in memory, lenient, with the referrers API; it never mounts, but shares blobs between repositories. */
export async function startLibraryRegistry({ hasReferrers = true }: LibraryOptions = {}): Promise<TestRegistry> {
  const program = await ensureLibraryRegistry(new AbortController().signal);
  const serving = await startServing(program, hasReferrers ? [] : ["--no-referrers"]);
  const { host, pid } = serving;
  return { host, url: new URL(`http://${host}`), pid, [Symbol.asyncDispose]: () => serving.end() };
}

/** A registry that keeps its images on disk. */
export interface LastingRegistry extends TestRegistry {
  /** Kills it and starts it again at the same address with what it had. */
  restart(): Promise<void>;
}

/** The embedded cluster's registry: on disk, strict, mounts, continues uploads, has no referrers API. */
export async function startEmbeddedRegistry(): Promise<LastingRegistry> {
  const program = await ensureEmbeddedRegistry(new AbortController().signal);
  const directory = await mkdtemp(join(tmpdir(), "tenon-registry-"));
  let serving = await startServing(program, [directory, "0"]);
  const { host } = serving;
  return {
    host,
    url: new URL(`http://${host}`),
    get pid() {
      return serving.pid;
    },
    async restart() {
      await serving.end("SIGKILL");
      serving = await startServing(program, [directory, host.split(":")[1] ?? ""]);
    },
    async [Symbol.asyncDispose]() {
      await serving.end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startServing(program: string, words: readonly string[]) {
  const child: ChildProcess = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  if (!child.stdout) throw new Error("no standard output");
  const introduced = once(createInterface(child.stdout), "line");
  const [host]: string[] = await Promise.race([introduced, closed.then(() => [])]);
  if (host === undefined || child.pid === undefined) throw new Error(`${program} does not start`);
  return {
    host,
    pid: child.pid,
    async end(signal?: NodeJS.Signals) {
      child.kill(signal);
      await closed;
    },
  };
}
