import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";

const main = join(import.meta.dirname, "..", "..", "..", "src", "cli", "main.ts");

export interface PromoteProcess extends AsyncDisposable {
  /** What it has logged. */
  readonly log: () => string;
  /** Programs that it has started go on. */
  kill(): Promise<void>;
}

/** `tenon run --only promote` in a process of its own, with more words. `directory` has a kubeconfig, and gets the copies of git repositories. */
export function startPromote(
  directory: string,
  context: string,
  more: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): PromoteProcess {
  const words = ["run", "--only", "promote", "--no-leader-election", "--port", "0", "--context", context, ...more];
  const child: ChildProcess = spawn(process.execPath, [main, ...words], {
    // Most of what a child does is loading modules, and one that is killed leaves nothing compiled to the next.
    env: {
      PATH: process.env["PATH"],
      HOME: directory,
      XDG_CACHE_HOME: directory,
      KUBECONFIG: join(directory, "kubeconfig"),
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...variables,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr?.on("data", (chunk) => (log += String(chunk)));
  const closed = once(child, "close");
  const kill = async () => {
    child.kill("SIGKILL");
    await closed;
  };
  return { log: () => log, kill, [Symbol.asyncDispose]: kill };
}

/** Processes that work below a directory. After a kill, git goes on there for a while. */
export async function processesIn(directory: string): Promise<string[]> {
  const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(all.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")));
  return all.filter((_, index) => places[index]?.startsWith(`${directory}/`));
}
