import { statfs } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { CommandFailed, InputError } from "#base";
import { type GoResult, goEnvironment, goVersion, runGo } from "./go.ts";
import type { GoProgram } from "./go-program.ts";

/** How far a build is. In phase `waiting` another process builds the same; `total` is 0 while it is unknown. */
export interface BuildProgress {
  readonly kind: "build";
  /** Whose sources are built, such as Kubernetes. */
  readonly project: string;
  readonly phase: "waiting" | "download" | "compile" | "link";
  readonly done: number;
  readonly total: number;
  readonly remainingMs?: number;
}

export type OnBuildProgress = (progress: BuildProgress) => void;

/** Measured on a busy machine: 2,817 packages in 707 to 780 s of processor time, 3.2 GB of build cache, 0.6 GB of modules. */
const processorMsPerPackage = 275;
const cacheBytesPerPackage = 1.5e6;
const moduleBytes = 1e9;

/** Compiles the program and its companions into a folder, as far as Go's own cache does not have them already. */
export async function buildProgram(
  program: GoProgram,
  folder: string,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<void> {
  if (!(await goVersion())) {
    const install = "install Go 1.26 or newer (https://go.dev/doc/install)";
    throw new InputError(`building ${program.title} needs Go, but go is not on the PATH`, {
      next: program.withoutGo ? `${install}, or ${program.withoutGo}` : install,
    });
  }
  const stale = await findStalePackages(program, onProgress, signal);
  await requireSpace(stale);
  const begin = Date.now();
  let done = 0;
  const result = await runGo(
    {
      directory: program.directory,
      // With a slash at the end it is a folder, into which Go puts several programs at once.
      arguments: [
        "build",
        "-v",
        ...program.goBuildFlags,
        "-o",
        program.companions ? `${folder}/` : join(folder, program.name),
        ...packagesOf(program),
      ],
      onLine(line) {
        if (!isPackage(line)) return;
        done = Math.min(done + 1, stale);
        const phase = done === stale ? "link" : "compile";
        onProgress({
          kind: "build",
          project: projectOf(program),
          phase,
          done,
          total: stale,
          remainingMs: remaining(done, stale, Date.now() - begin),
        });
      },
    },
    signal,
  );
  if (!result.ok) throw buildError(program, result);
}

/** Downloads the modules that are missing and counts the packages that Go would compile. */
async function findStalePackages(
  program: GoProgram,
  onProgress: OnBuildProgress,
  signal: AbortSignal,
): Promise<number> {
  let downloads = 0;
  const listing = {
    directory: program.directory,
    arguments: [
      "list",
      ...program.goBuildFlags,
      "-deps",
      "-f",
      "{{if .Stale}}{{.ImportPath}}{{end}}",
      ...packagesOf(program),
    ],
    // Go prints nothing during a download, and the largest module is 35 MB.
    silenceMs: 300_000,
    onLine(line: string) {
      if (line.startsWith("go: downloading "))
        onProgress({ kind: "build", project: projectOf(program), phase: "download", done: ++downloads, total: 0 });
    },
  };
  let result = await runGo(listing, signal);
  for (let retries = 2; !result.ok && retries > 0; retries--) result = await runGo(listing, signal);
  if (!result.ok) throw buildError(program, result);
  return result.stdout.split("\n").filter((line) => line !== "").length;
}

function packagesOf({ package: first = ".", companions = [] }: GoProgram): string[] {
  return [first, ...companions];
}

/** What progress calls the sources of a program. */
export function projectOf({ project, title }: GoProgram): string {
  return project ?? title;
}

async function requireSpace(stale: number): Promise<void> {
  const [buildCache, moduleCache] = await goEnvironment("GOCACHE", "GOMODCACHE");
  await requireFreeBytes(buildCache, stale * cacheBytesPerPackage);
  await requireFreeBytes(moduleCache, stale > 0 ? moduleBytes : 0);
}

const moreSpace =
  "free some space, or use a larger disk with `export GOCACHE=DIRECTORY/build GOMODCACHE=DIRECTORY/mod`";

async function requireFreeBytes(directory: string | undefined, needed: number): Promise<void> {
  if (!directory) return;
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new CommandFailed(`${directory} has ${formatGB(free)} free, but the build needs ${formatGB(needed)} there`, {
    next: moreSpace,
  });
}

function formatGB(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** With -v Go prints the import path of each package it compiles, and nothing else but errors. */
function isPackage(line: string): boolean {
  return /^[\w.~-]+(\/[\w.~-]+)*$/.test(line);
}

/** By how fast it goes; at the beginning by what the packages took elsewhere, and by what else this machine does. */
function remaining(done: number, total: number, elapsedMs: number): number {
  const guess = ((total - done) * processorMsPerPackage * machineLoad()) / availableParallelism();
  if (done * 20 < total) return guess;
  return ((total - done) * elapsedMs) / done;
}

/** How many times as long everything takes as on an idle machine. */
export function machineLoad(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}

function buildError(program: GoProgram, result: GoResult): Error {
  const text = result.tail.filter((line) => !isPackage(line)).join("\n");
  if (text.includes("no space left on device")) {
    return new CommandFailed(`the disk is full: Go could not finish building ${program.title}`, {
      next: `${moreSpace}, and start again; Go continues where it stopped`,
    });
  }
  return new Error(`Go could not build ${program.title}:\n${text}`);
}
