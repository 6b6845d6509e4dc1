import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ClusterHome } from "./home.ts";
import { parseJson } from "./parse-json.ts";
import { isRunning } from "./process.ts";
import { type InstalledTekton, readTektonRecord } from "./tekton-record.ts";

export type ClusterState = "running" | "starting" | "stopped" | "damaged";

/** One instance on this machine, as its data directory and the kernel describe it. */
export interface ClusterStatus {
  readonly name: string;
  readonly state: ClusterState;
  readonly kubernetes: string;
  readonly server: string;
  readonly context: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly fakeNodes: number;
  /** Whether it has a real node, on which pods run. */
  readonly node: boolean;
  /** Whether that applies CDI, by a containerd of ours. */
  readonly cdi: boolean;
  /** The registry that the real node pulls images from, such as `127.0.0.1:20001`. */
  readonly registry?: string;
  /** Its Tekton, if it has one. */
  readonly tekton?: InstalledTekton;
  readonly pid?: number;
  readonly startedAt?: string;
}

/** All instances, by name. */
export async function listClusters(home: ClusterHome): Promise<ClusterStatus[]> {
  const entries = await readdir(home.data, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const all = await Promise.all(names.toSorted().map((name) => readStatus(home, name)));
  return all.filter((status) => status !== undefined);
}

/** One instance; undefined if it does not exist. */
export async function readStatus(home: ClusterHome, name: string): Promise<ClusterStatus | undefined> {
  const dataDir = join(home.data, name);
  const text = await readFile(join(dataDir, "instance.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const instance = parseJson(InstanceFile, text);
  const run = await readRun(dataDir);
  const tekton = await readTektonRecord(dataDir);
  const status = {
    name,
    state: "damaged" as ClusterState,
    kubernetes: instance?.kubernetes ?? "",
    server: instance ? `https://127.0.0.1:${instance.port}` : "",
    context: `tenon-${name}`,
    kubeconfig: join(dataDir, "pki", "admin.kubeconfig"),
    dataDir,
    fakeNodes: instance?.fakeNodes ?? 0,
    node: instance?.node ?? false,
    cdi: instance?.node === true && instance.containerd !== undefined,
    ...(instance?.node && instance.registryPort ? { registry: `127.0.0.1:${instance.registryPort}` } : {}),
    ...(tekton ? { tekton } : {}),
  };
  if (!instance) return status;
  if (!run || !(await isRunning(run))) return { ...status, state: "stopped" };
  return { ...status, state: run.ready ? "running" : "starting", pid: run.pid, startedAt: run.startedAt };
}

/** `instance.json`, written by cluster/instance/instance.go. */
const InstanceFile = z.object({
  kubernetes: z.string(),
  port: z.number(),
  fakeNodes: z.number(),
  node: z.boolean().default(false),
  registryPort: z.number().optional(),
  containerd: z.string().optional(),
});

/** `run.json`, written by cluster/instance/run.go. A supervisor that was killed leaves it behind. */
const RunFile = z.object({
  pid: z.number(),
  startTicks: z.string(),
  startedAt: z.string(),
  ready: z.boolean(),
  binary: z.string().optional(),
  nodePid: z.number().optional(),
});

/** The supervisor that was started last, running or killed; undefined if it stopped in order. */
export async function readRun(dataDir: string): Promise<z.infer<typeof RunFile> | undefined> {
  const text = await readFile(join(dataDir, "run.json"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : parseJson(RunFile, text);
}
