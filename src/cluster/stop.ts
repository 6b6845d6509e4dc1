import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { CommandFailed, InputError, systemClock } from "#base";
import { inspectBinary } from "./cluster-programs.ts";
import type { ClusterHome } from "./home.ts";
import { isRunning } from "./process.ts";
import { readRun } from "./status.ts";

export interface InstanceOptions {
  readonly home: ClusterHome;
  readonly name: string;
}

/** The supervisor gives each of its four components 10 s before it kills them. */
const stopTimeoutMs = 60_000;

/**
 * Stops an instance, waits until all its processes are gone, and leaves the machine as it was, also after a supervisor that
 * was killed. Its data stays.
 */
export async function stopCluster(
  options: InstanceOptions,
  signal: AbortSignal,
): Promise<"stopped" | "was not running"> {
  const dataDir = join(options.home.data, options.name);
  const run = await readRun(dataDir);
  if (!run || !(await isRunning(run))) {
    await undoNode(options, run?.binary, signal);
    return "was not running";
  }
  process.kill(run.pid, "SIGTERM");
  const deadline = systemClock.monotonic() + stopTimeoutMs;
  while (await isRunning(run)) {
    if (systemClock.monotonic() > deadline) {
      throw new CommandFailed(
        `instance ${options.name} (pid ${run.pid}) did not stop within ${stopTimeoutMs / 1000} s`,
        {
          next: `end it with \`kill -9 ${run.pid}\`; no data is lost`,
        },
      );
    }
    await systemClock.sleep(25, signal);
  }
  await undoNode(options, run.binary, signal);
  return "stopped";
}

const runFile = promisify(execFile);

/** `node.json` lists what a real node has changed on the machine, until it is undone; see cluster/machine. */
async function undoNode(options: InstanceOptions, binary: string | undefined, signal: AbortSignal): Promise<void> {
  const dataDir = join(options.home.data, options.name);
  const record = join(dataDir, "node.json");
  if (!existsSync(record)) return;
  const program = binary !== undefined && existsSync(binary) ? binary : (await inspectBinary(options.home)).path;
  try {
    await runFile(program, ["undo", "--data-dir", dataDir], { signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new CommandFailed(`could not undo what the node of instance ${options.name} changed on this machine`, {
      where: record,
      next: `as root, run \`tenon cluster start --name ${options.name}\` and \`tenon cluster stop --name ${options.name}\``,
      cause,
    });
  }
}

/** Stops an instance and deletes its data directory, whatever state that is in. */
export async function resetCluster(options: InstanceOptions, signal: AbortSignal): Promise<void> {
  const dataDir = join(options.home.data, options.name);
  const files = await readdir(dataDir).catch(() => []);
  if (!isDataDirectory(files)) {
    throw new InputError(`instance ${options.name} not found: ${dataDir} is not a data directory of Tenon`, {
      next: "see `tenon cluster status`",
    });
  }
  await stopCluster(options, signal);
  await rm(dataDir, { recursive: true, force: true });
}

/** An instance has its settings; one whose first start failed has at most a lock, logs and an incomplete settings file. */
function isDataDirectory(files: readonly string[]): boolean {
  if (files.includes("instance.json")) return true;
  return files.length > 0 && files.every((file) => ["lock", "log", "instance.json.new"].includes(file));
}
