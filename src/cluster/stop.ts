import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { InputError, systemClock } from "#base";
import type { ClusterHome } from "./home.ts";
import { isRunning } from "./process.ts";
import { readRun } from "./status.ts";

export interface InstanceOptions {
  readonly home: ClusterHome;
  readonly name: string;
}

/** The supervisor gives each of its four components 10 s before it kills them. */
const patienceMs = 60_000;

/** Stops an instance and waits until all its processes are gone. Its data stays. */
export async function stopCluster(
  options: InstanceOptions,
  signal: AbortSignal,
): Promise<"stopped" | "was not running"> {
  const run = await readRun(join(options.home.data, options.name));
  if (!run || !(await isRunning(run))) return "was not running";
  process.kill(run.pid, "SIGTERM");
  const deadline = systemClock.monotonic() + patienceMs;
  while (await isRunning(run)) {
    if (systemClock.monotonic() > deadline) {
      throw new InputError(`instance ${options.name} (pid ${run.pid}) does not stop after ${patienceMs / 1000} s`, {
        next: `end it with \`kill -9 ${run.pid}\`; no data is lost`,
      });
    }
    await systemClock.sleep(25, signal);
  }
  return "stopped";
}

/** Stops an instance and deletes its data directory, whatever state that is in. */
export async function resetCluster(options: InstanceOptions, signal: AbortSignal): Promise<void> {
  const dataDir = join(options.home.data, options.name);
  const files = await readdir(dataDir).catch(() => []);
  if (!isDataDirectory(files)) {
    throw new InputError(`there is no instance ${options.name}: ${dataDir} is not a data directory of Tenon`, {
      next: "see `tenon cluster status`",
    });
  }
  await stopCluster(options, signal);
  await rm(dataDir, { recursive: true, force: true });
}

/** An instance has its memory; one whose first start failed has at most a lock, logs and half a memory. */
function isDataDirectory(files: readonly string[]): boolean {
  if (files.includes("instance.json")) return true;
  return files.length > 0 && files.every((file) => ["lock", "log", "instance.json.new"].includes(file));
}
