import { createHash } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "#base";

/** A program of ours in Go, and how it is built. */
export interface GoProgram {
  /** The name of its binary. */
  readonly name: string;
  /** What messages call it. */
  readonly title: string;
  /** What to do on a machine without Go, beside installing it. */
  readonly withoutGo?: string;
  readonly directory: string;
  /** The package to build; left out, the one in the directory. */
  readonly package?: string;
  /** Of everything that decides what the binary does, so that it names the binary in the cache. */
  readonly hash: string;
  readonly goBuildFlags: readonly string[];
  /** Names the binary is also called by. */
  readonly links?: readonly string[];
  /** Small programs that stand beside it, by the package each is built from. */
  readonly companions?: Readonly<Record<string, string>>;
}

/** Reads and hashes the module of the embedded cluster. */
export async function readSource(directory = packageFile("cluster")): Promise<GoProgram> {
  const goMod = await readFile(join(directory, "go.mod"), "utf8");
  const goBuildFlags = buildFlags(kubernetesVersion(goMod));
  return {
    name: "tenon-cluster",
    title: "the embedded cluster",
    withoutGo: "use a cluster of your own with --context",
    directory,
    hash: await hashModule(directory, goBuildFlags),
    goBuildFlags,
    links: ["kubectl"],
    companions: { pause: "./pause" },
  };
}

/**
 * Hashes what a Go module's binary is made of. The version of Go is left out on purpose: a machine that has the binary
 * needs no Go to find it.
 */
export async function hashModule(directory: string, goBuildFlags: readonly string[]): Promise<string> {
  const found = await Array.fromAsync(glob(["**/*.go", "**/*.s", "go.mod", "go.sum"], { cwd: directory }));
  const files = found.filter((file) => !file.endsWith("_test.go")).toSorted();
  const contents = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  const hash = createHash("sha256");
  for (const part of [process.platform, process.arch, ...goBuildFlags]) hash.update(`${part}\0`);
  for (const [index, file] of files.entries()) hash.update(`${file}\0${contents[index]}\0`);
  return hash.digest("hex").slice(0, 20);
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
