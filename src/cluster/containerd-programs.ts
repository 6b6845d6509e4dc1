import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packageFile } from "#base";
import type { OnBuildProgress } from "./build-program.ts";
import { type GoProgram, hashModule, readBuildFlags } from "./go-program.ts";
import type { ClusterHome } from "./home.ts";
import { ensureProgram } from "./program-cache.ts";

const module = "github.com/containerd/containerd/v2";

/** Reads the module of containerd and describes its programs, in which nothing is ours. */
export async function readContainerdPrograms(directory = packageFile("containerd")): Promise<GoProgram> {
  const version = versionOf(await readFile(join(directory, "go.mod"), "utf8"));
  const goBuildFlags = await readBuildFlags({ [`${module}/version.Version`]: version });
  return {
    name: "containerd",
    title: "containerd",
    withoutGo: "start without --cdi",
    directory,
    package: `${module}/cmd/containerd`,
    companions: ["containerd-shim-runc-v2", "ctr"].map((name) => `${module}/cmd/${name}`),
    hash: await hashModule(directory, goBuildFlags),
    goBuildFlags,
  };
}

/** Gives the folder of containerd's programs in the cache, or builds them first, which takes minutes. */
export async function ensureContainerd(
  home: ClusterHome,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<string> {
  const program = await readContainerdPrograms();
  const { path } = await ensureProgram(join(dirname(home.cache), "containerd"), program, onProgress, signal);
  return dirname(path);
}

function versionOf(goMod: string): string {
  const version = new RegExp(`${module} (v\\S+)`).exec(goMod)?.[1];
  if (version === undefined) throw new Error(`containerd/go.mod does not require ${module}`);
  return version;
}
