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
  return start(program, hasReferrers ? [] : ["--no-referrers"], async () => {});
}

/** The embedded cluster's registry: on disk, strict, mounts, continues uploads, has no referrers API. */
export async function startEmbeddedRegistry(): Promise<TestRegistry> {
  const program = await ensureEmbeddedRegistry(new AbortController().signal);
  const directory = await mkdtemp(join(tmpdir(), "tenon-registry-"));
  return start(program, [directory], () => rm(directory, { recursive: true, force: true }));
}

async function start(program: string, words: readonly string[], clean: () => Promise<void>): Promise<TestRegistry> {
  const child: ChildProcess = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  if (!child.stdout) throw new Error("no standard output");
  const [host]: string[] = await once(createInterface(child.stdout), "line");
  if (host === undefined || child.pid === undefined) throw new Error(`${program} does not start`);
  return {
    host,
    url: new URL(`http://${host}`),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill();
      await closed;
      await clean();
    },
  };
}
