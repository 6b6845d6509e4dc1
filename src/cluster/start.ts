import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { CommandFailed, InputError } from "#base";
import type { BuildProgress } from "./build-program.ts";
import { ensureContainerd } from "./containerd-programs.ts";
import { ensureBinary, ensureNodeBinary } from "./cluster-programs.ts";
import type { ClusterHome } from "./home.ts";
import { requireNodeNeeds } from "./node-needs.ts";
import { requireWritable } from "./require-writable.ts";
import { type ClusterStatus, readStatus } from "./status.ts";

/** How far a start is: what is built, and then what starts. */
export type StartProgress =
  | BuildProgress
  | { readonly kind: "start"; readonly project: string; readonly message: string; readonly ms: number };

export interface StartOptions {
  readonly home: ClusterHome;
  readonly name: string;
  /** 0 picks a free port; left out, the instance keeps the one it had. */
  readonly port?: number;
  /** The same for the registry of a real node. */
  readonly registryPort?: number;
  /** Left out, the instance keeps the number it had. */
  readonly fakeNodes?: number;
  /** A real node, which needs root and programs of the machine; left out, the instance has one if it had one. */
  readonly node?: boolean;
  /**
   * The node runs the containerd of ours, which applies CDI; that of the machine may be too old. Left out, the node keeps the
   * one that it had; it never goes back, because an older containerd may not read what a newer one has written.
   */
  readonly cdi?: true;
  /** Stops when this process ends, however it ends; for tests and measurements. */
  readonly endsWithUs?: boolean;
  readonly onProgress?: (progress: StartProgress) => void;
}

export interface StartedCluster extends ClusterStatus {
  /** False when it was running already. */
  readonly isNew: boolean;
  readonly readyMs: number;
}

/** Starts an instance in the background and waits until pods can be made in it. */
export async function startCluster(options: StartOptions, signal: AbortSignal): Promise<StartedCluster> {
  if (process.platform !== "linux") {
    throw new InputError(`the embedded cluster runs on Linux only, not on ${process.platform}`, {
      next: "use a cluster of your own with --context",
    });
  }
  const before = await readStatus(options.home, options.name);
  if (before?.state === "running") {
    refuseChange(options, before);
    return { ...before, isNew: false, readyMs: 0 };
  }
  await requireWritable(options.home);
  const hasNode = options.node ?? before?.node ?? false;
  if (hasNode) await requireNodeNeeds();
  else if (options.cdi) throw new InputError("CDI is for the containers of a real node", { next: "add --node" });
  else if (options.registryPort !== undefined) {
    throw new InputError(`instance ${options.name} has no registry, because it has no real node`, {
      next: "add --node, or leave out --registry-port",
    });
  }
  const report = options.onProgress ?? (() => {});
  const hasCdi = hasNode && (options.cdi ?? before?.cdi ?? false);
  const programs: Programs = {
    cluster: (await ensureBinary(options.home, report, signal)).path,
    ...(hasNode ? { node: (await ensureNodeBinary(options.home, report, signal)).path } : {}),
    ...(hasCdi ? { containerd: await ensureContainerd(options.home, report, signal) } : {}),
  };
  const readyMs = await superviseUntilReady(programs, options, report, signal);
  const status = await readStatus(options.home, options.name);
  if (!status) throw new Error(`the data directory of instance ${options.name} disappeared during its start`);
  return { ...status, isNew: true, readyMs };
}

function refuseChange(options: StartOptions, running: ClusterStatus): void {
  const next = `stop it first with \`tenon cluster stop --name ${running.name}\``;
  if (options.port && !running.server.endsWith(`:${options.port}`)) {
    throw new InputError(`instance ${running.name} is running, with its API server at ${running.server}`, { next });
  }
  if (options.registryPort && running.registry && !running.registry.endsWith(`:${options.registryPort}`)) {
    throw new InputError(`instance ${running.name} is running, with its registry at ${running.registry}`, { next });
  }
  if (options.fakeNodes !== undefined && options.fakeNodes !== running.fakeNodes) {
    throw new InputError(`instance ${running.name} is running, with ${running.fakeNodes} fake nodes`, { next });
  }
  if (options.cdi && !running.cdi) {
    throw new InputError(`instance ${running.name} is running, with the containerd of the machine`, { next });
  }
  if (options.node !== undefined && options.node !== running.node) {
    throw new InputError(`instance ${running.name} is running, ${running.node ? "with" : "without"} a real node`, {
      next,
    });
  }
}

/** Paths of binaries; that of tenon-node only where the instance has a real node. */
interface Programs {
  readonly cluster: string;
  readonly node?: string;
  /** The folder of our containerd, where the node does not run that of the machine. */
  readonly containerd?: string;
}

/** One line of the supervisor's standard output; see cluster/event.go. */
const SupervisorEvent = z.object({
  event: z.enum(["progress", "ready", "failed"]),
  message: z.string().default(""),
  next: z.string().optional(),
  ms: z.number(),
});

async function superviseUntilReady(
  programs: Programs,
  options: StartOptions,
  report: (progress: StartProgress) => void,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const dataDir = join(options.home.data, options.name);
  const supervisor = await spawnSupervisor(programs, dataDir, options);
  const onAbort = () => supervisor.kill("SIGTERM");
  signal.addEventListener("abort", onAbort, { once: true });
  const exit = once(supervisor, "exit");
  try {
    if (!supervisor.stdout) throw new Error("the supervisor has no standard output");
    for await (const line of createInterface(supervisor.stdout)) {
      const { event, message, next, ms } = SupervisorEvent.parse(JSON.parse(line));
      if (event === "ready") return ms;
      if (event === "failed") {
        await exit; // which also frees the lock on the data directory
        throw new CommandFailed(message, next ? { next } : {});
      }
      report({ kind: "start", project: "Kubernetes", message, ms });
    }
    await exit;
    signal.throwIfAborted();
    throw new CommandFailed(`the embedded cluster ended during its start (exit code ${supervisor.exitCode})`, {
      next: `see ${join(dataDir, "log")}`,
    });
  } finally {
    signal.removeEventListener("abort", onAbort);
    supervisor.stdout?.destroy();
    supervisor.unref();
  }
}

async function spawnSupervisor(programs: Programs, dataDir: string, options: StartOptions): Promise<ChildProcess> {
  await mkdir(join(dataDir, "log"), { recursive: true, mode: 0o700 });
  await using log = await open(join(dataDir, "log", "supervisor.log"), "a", 0o600);
  const flags = ["--data-dir", dataDir, "--name", options.name];
  if (options.port !== undefined) flags.push("--port", `${options.port}`);
  if (options.registryPort !== undefined) flags.push("--registry-port", `${options.registryPort}`);
  if (options.fakeNodes !== undefined) flags.push("--fake-nodes", `${options.fakeNodes}`);
  if (options.node !== undefined) flags.push("--node", options.node ? "on" : "off");
  if (programs.node !== undefined) flags.push("--node-program", programs.node);
  if (programs.containerd !== undefined) flags.push("--containerd", programs.containerd);
  if (options.endsWithUs) flags.push("--until-stdin-ends");
  const stdin = options.endsWithUs ? "pipe" : "ignore";
  // In a session of its own, so that closing the terminal does not stop it.
  const supervisor = spawn(programs.cluster, ["up", ...flags], { detached: true, stdio: [stdin, "pipe", log.fd] });
  await once(supervisor, "spawn");
  if (supervisor.stdin instanceof Socket) supervisor.stdin.unref();
  return supervisor;
}
