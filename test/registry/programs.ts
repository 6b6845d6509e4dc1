import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "#base";
import { type GoProgram, hashModule, readBuildFlags } from "#cluster";
import { ensureTestProgram } from "../harness/ensure-test-program.ts";

const library = join(import.meta.dirname, "library");
const embedded = join(import.meta.dirname, "embedded", "main.go");
const cluster = packageFile("cluster");

/** The path of go-containerregistry's registry, built first if need be: half a minute of processor time. */
export async function ensureLibraryRegistry(signal: AbortSignal): Promise<string> {
  return ensure({ name: "library-registry", title: "go-containerregistry's registry", directory: library }, signal);
}

/** The path of the registry of the embedded cluster. Its main file is outside the module whose packages it is built from. */
export async function ensureEmbeddedRegistry(signal: AbortSignal): Promise<string> {
  return ensure(
    { name: "embedded-registry", title: "the embedded registry", directory: cluster, package: embedded },
    signal,
  );
}

/** The path of `crane`, of the version of go-containerregistry that the registry has, for measurements beside it. */
export async function ensureCrane(signal: AbortSignal): Promise<string> {
  const crane = "github.com/google/go-containerregistry/cmd/crane";
  return ensure({ name: "crane", title: "crane", directory: library, package: crane }, signal);
}

async function ensure(program: Omit<GoProgram, "hash" | "goBuildFlags">, signal: AbortSignal): Promise<string> {
  const goBuildFlags = await readBuildFlags({});
  const sources = program.directory === cluster ? join(cluster, "registry") : library;
  const hash = createHash("sha256").update(await hashModule(sources, goBuildFlags));
  if (program.package === embedded) hash.update(await readFile(embedded));
  const entry = { ...program, goBuildFlags, hash: `${program.name}-${hash.digest("hex").slice(0, 20)}` };
  return ensureTestProgram("registry", entry, signal);
}
