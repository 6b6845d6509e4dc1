import { createHash } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "#base";

/** A program in Go, and how it is built. */
export interface GoProgram {
  /** The name of its binary. */
  readonly name: string;
  /** What messages call it. */
  readonly title: string;
  /** Whose sources take most of the build, as its progress says; left out, the title. */
  readonly project?: string;
  /** What to do on a machine without Go, beside installing it. */
  readonly withoutGo?: string;
  readonly directory: string;
  /** The package to build; left out, the one in the directory. */
  readonly package?: string;
  /** Of everything that decides what the binary does, so that it names the binary in the cache. */
  readonly hash: string;
  readonly goBuildFlags: readonly string[];
  /** Other names of the binary. */
  readonly links?: readonly string[];
  /** Packages of programs that are built with it and stand beside it; Go names each after the last part of its path. */
  readonly companions?: readonly string[];
  /** Folders beside it with YAML files that one of its modules has, by their name there. */
  readonly manifests?: Readonly<Record<string, { readonly module: string; readonly folder: string }>>;
}

/**
 * Hashes what a Go module's binaries are made of. The version of Go is left out on purpose: a machine that has the binary
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

/**
 * The flags of `go build` for each program of ours, with these variables set by the linker. Go compiles a package again for
 * other flags, so programs that differ in them would share nothing in its cache.
 */
export async function readBuildFlags(
  variables: Readonly<Record<string, string>>,
  directory = packageFile("cluster"),
): Promise<string[]> {
  const lines = (await readFile(join(directory, "gcflags"), "utf8")).split("\n");
  const compiler = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => `-gcflags=${line}`);
  const linker = ["-s", "-w", ...Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)];
  return ["-trimpath", "-buildvcs=false", ...compiler, "-ldflags", linker.join(" ")];
}
