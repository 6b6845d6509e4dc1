import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packageFile } from "#base";
import type { OnBuildProgress } from "./build-program.ts";
import { type GoProgram, hashModule, readBuildFlags } from "./go-program.ts";
import type { ClusterHome } from "./home.ts";
import { ensureProgram, inspectProgram, type ProgramBinary } from "./program-cache.ts";

/** The binary in the cache: its path, that of the kubectl it also is, and whether it can be used. */
export interface ClusterBinary extends ProgramBinary {
  readonly kubectl: string;
}

/** Looks into the cache, without building anything. */
export async function inspectBinary(home: ClusterHome): Promise<ClusterBinary> {
  return withKubectl(await inspectProgram(home.cache, (await readClusterPrograms()).cluster));
}

/** Gives the binary from the cache, or builds it first: minutes the first time, seconds when little changed. */
export async function ensureBinary(
  home: ClusterHome,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<ClusterBinary> {
  return withKubectl(await ensureProgram(home.cache, (await readClusterPrograms()).cluster, onProgress, signal));
}

/** Gives the program of real nodes from the cache, or builds it first, which few people ever need. */
export async function ensureNodeBinary(
  home: ClusterHome,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<ProgramBinary> {
  return ensureProgram(home.cache, (await readClusterPrograms()).node, onProgress, signal);
}

/**
 * Reads and hashes the module of the embedded cluster, and describes its two programs. They talk to each other, so a change
 * of either gives both a new hash; the one that did not change is only linked again.
 */
export async function readClusterPrograms(
  directory = packageFile("cluster"),
): Promise<{ readonly cluster: GoProgram; readonly node: GoProgram }> {
  const goMod = await readFile(join(directory, "go.mod"), "utf8");
  const goBuildFlags = await readBuildFlags(versionVariables(kubernetesVersion(goMod)), directory);
  const hash = await hashModule(directory, goBuildFlags);
  const cluster: GoProgram = {
    name: "tenon-cluster",
    title: "the embedded cluster",
    project: "Kubernetes",
    withoutGo: "use a cluster of your own with --context",
    directory,
    hash,
    goBuildFlags,
    links: ["kubectl"],
  };
  const node: GoProgram = {
    name: "tenon-node",
    title: "the program of real nodes",
    project: "Kubernetes",
    withoutGo: "start without --node",
    directory,
    package: "./tenon-node",
    hash: `${hash}-node`,
    goBuildFlags,
    companions: ["./pause", "./gate"],
  };
  return { cluster, node };
}

function withKubectl(binary: ProgramBinary): ClusterBinary {
  return { ...binary, kubectl: join(dirname(binary.path), "kubectl") };
}

function kubernetesVersion(goMod: string): string {
  const version = /^\tk8s\.io\/kubernetes v(\S+)$/m.exec(goMod)?.[1];
  if (!version) throw new Error("cluster/go.mod does not require k8s.io/kubernetes");
  return version;
}

/** Kubernetes takes its version from the linker; a build from modules would call itself v0.0.0-master. */
function versionVariables(version: string): Record<string, string> {
  const [major = "", minor = ""] = version.split(".");
  return {
    "k8s.io/client-go/pkg/version.gitVersion": `v${version}`,
    "k8s.io/component-base/version.gitVersion": `v${version}`,
    "k8s.io/component-base/version.gitMajor": major,
    "k8s.io/component-base/version.gitMinor": minor,
    "k8s.io/component-base/version.gitTreeState": "clean",
  };
}
