import { execFile } from "node:child_process";
import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import {
  type ClusterBinary,
  type ClusterStatus,
  clusterHome,
  findMissingForNode,
  goVersion,
  inspectBinary,
  listClusters,
  type MissingForNode,
} from "#cluster";
import type { Shell } from "../shell.ts";

/** A directory that Tenon creates when it needs it, and the space there. */
export interface DirectorySpace {
  readonly path: string;
  readonly freeBytes: number;
  /** Why Tenon cannot write there. */
  readonly obstacle?: string;
}

/** What `tenon doctor` checks. The version of a program is undefined if it is not on the PATH. */
export interface Machine {
  readonly platform: string;
  readonly node: string;
  readonly git: string | undefined;
  readonly make: string | undefined;
  readonly go: string | undefined;
  readonly binary: ClusterBinary;
  readonly cache: DirectorySpace;
  readonly data: DirectorySpace;
  readonly instances: readonly ClusterStatus[];
  readonly isRoot: boolean;
  readonly missingForNode: MissingForNode;
}

export async function readMachine(env: Shell["env"], signal: AbortSignal): Promise<Machine> {
  const home = clusterHome(env);
  const [git, make, go, binary, cache, data, instances, missingForNode] = await Promise.all([
    readVersion("git", env, signal),
    readVersion("make", env, signal),
    goVersion(),
    inspectBinary(home),
    readSpace(home.cache),
    readSpace(home.data),
    listClusters(home),
    findMissingForNode(),
  ]);
  return {
    platform: process.platform,
    node: process.versions.node,
    git,
    make,
    go,
    binary,
    cache,
    data,
    instances,
    isRoot: process.geteuid?.() === 0,
    missingForNode,
  };
}

const runFile = promisify(execFile);

async function readVersion(program: string, env: Shell["env"], signal: AbortSignal): Promise<string | undefined> {
  try {
    const { stdout } = await runFile(program, ["--version"], { env, signal, timeout: 10_000 });
    return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? "unknown version";
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function readSpace(path: string): Promise<DirectorySpace> {
  const ancestor = await nearestExisting(path);
  const { bavail, bsize } = await statfs(ancestor);
  const obstacle = await findObstacle(ancestor);
  return { path, freeBytes: bavail * bsize, ...(obstacle === undefined ? {} : { obstacle }) };
}

async function nearestExisting(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  return exists || path === dirname(path) ? path : nearestExisting(dirname(path));
}

async function findObstacle(path: string): Promise<string | undefined> {
  if (!(await stat(path)).isDirectory()) return `${path} is not a directory`;
  return access(path, constants.W_OK | constants.X_OK).then(
    () => undefined,
    () => `no permission to write to ${path}`,
  );
}
