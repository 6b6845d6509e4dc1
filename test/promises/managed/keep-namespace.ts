import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "#base";

const script = join(import.meta.dirname, "..", "..", "..", "examples", "inventory", "keep-namespace.ts");

export interface KeptNamespace extends AsyncDisposable {
  /** Starts the example in a process of its own; it ends by itself. */
  start(desired: readonly JsonObject[], ...flags: readonly string[]): Promise<Running>;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly log: string }>;
}

/** The example of `docs/how-to/build-an-integration.md`, with the desired objects in a file. */
export async function keepNamespace(kubeconfig: string, namespace: string): Promise<KeptNamespace> {
  const directory = await mkdtemp(join(tmpdir(), "tenon-keep-"));
  const file = join(directory, "objects.yaml");
  return {
    async start(desired, ...flags) {
      await writeFile(file, desired.map((object) => JSON.stringify(object)).join("\n---\n"));
      const env = { ...process.env, KUBECONFIG: kubeconfig };
      const child = spawn(process.execPath, [script, file, namespace, ...flags], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      let log = "";
      child.stdout.on("data", (chunk) => (output += String(chunk)));
      child.stderr.on("data", (chunk) => (log += String(chunk)));
      const ended = once(child, "close").then(() => ({ code: child.exitCode, output, log }));
      return { child, ended };
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
