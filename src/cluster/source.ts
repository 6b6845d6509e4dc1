import { createHash } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The Go module that the cluster binary is built from. */
export interface ClusterSource {
  readonly directory: string;
  /** Of everything that decides what the binary does, so that it names the binary in the cache. */
  readonly hash: string;
  readonly goBuildFlags: readonly string[];
}

const sourceDirectory = join(import.meta.dirname, "..", "..", "cluster");

/**
 * Reads and hashes the module. The version of Go is left out of the hash on purpose: a machine that has the binary
 * needs no Go to find it.
 */
export async function readSource(directory = sourceDirectory): Promise<ClusterSource> {
  const found = await Array.fromAsync(glob(["**/*.go", "go.mod", "go.sum"], { cwd: directory }));
  const files = found.filter((file) => !file.endsWith("_test.go")).toSorted();
  const contents = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  const goBuildFlags = buildFlags(kubernetesVersion(contents[files.indexOf("go.mod")] ?? ""));
  const hash = createHash("sha256");
  for (const part of [process.platform, process.arch, ...goBuildFlags]) hash.update(`${part}\0`);
  for (const [index, file] of files.entries()) hash.update(`${file}\0${contents[index]}\0`);
  return { directory, hash: hash.digest("hex").slice(0, 20), goBuildFlags };
}

function kubernetesVersion(goMod: string): string {
  const version = /^\tk8s\.io\/kubernetes v(\S+)$/m.exec(goMod)?.[1];
  if (!version) throw new Error("cluster/go.mod does not require k8s.io/kubernetes");
  return version;
}

/** Kubernetes takes its version from the linker; a build from modules would call itself v0.0.0-master. */
function buildFlags(version: string): string[] {
  const [major, minor] = version.split(".");
  const stamps = {
    "k8s.io/client-go/pkg/version.gitVersion": `v${version}`,
    "k8s.io/component-base/version.gitVersion": `v${version}`,
    "k8s.io/component-base/version.gitMajor": major,
    "k8s.io/component-base/version.gitMinor": minor,
    "k8s.io/component-base/version.gitTreeState": "clean",
  };
  const linker = ["-s", "-w", ...Object.entries(stamps).map(([name, value]) => `-X ${name}=${value}`)];
  return ["-trimpath", "-buildvcs=false", "-ldflags", linker.join(" ")];
}
