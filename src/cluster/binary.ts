import { dirname, join } from "node:path";
import type { OnBuildProgress } from "./build.ts";
import type { ClusterHome } from "./home.ts";
import { ensureProgram, inspectProgram, type ProgramBinary } from "./program.ts";
import { readSource } from "./source.ts";

/** The binary in the cache: its path, that of the kubectl it also is, and whether it can be used. */
export interface ClusterBinary extends ProgramBinary {
  readonly kubectl: string;
}

/** Looks into the cache, without building anything. */
export async function inspectBinary(home: ClusterHome): Promise<ClusterBinary> {
  return withKubectl(await inspectProgram(home.cache, await readSource()));
}

/** Gives the binary from the cache, or builds it first: minutes the first time, seconds when little changed. */
export async function ensureBinary(
  home: ClusterHome,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<ClusterBinary> {
  return withKubectl(await ensureProgram(home.cache, await readSource(), onProgress, signal));
}

function withKubectl(binary: ProgramBinary): ClusterBinary {
  return { ...binary, kubectl: join(dirname(binary.path), "kubectl") };
}
