import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "#base";
import { readElfNeeds } from "./elf.ts";
import type { LayerEntry } from "./image-layer.ts";

const triplets: Readonly<Record<string, string>> = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" };

/**
 * Programs of this machine with the loader and the shared libraries they need, each at the path it has here.
 * What a program opens only while it runs is not seen.
 */
export async function programEntries(
  programs: Readonly<Record<string, string>> | readonly string[],
): Promise<LayerEntry[]> {
  const placed = Array.isArray(programs)
    ? programs.map((path: string) => [path, path] as const)
    : Object.entries(programs);
  const entries = new Map<string, LayerEntry>();
  const waiting: (readonly [path: string, from: string])[] = [...placed];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, copyOf] = next;
    if (entries.has(path)) continue;
    entries.set(path, { path, copyOf, mode: 0o755 });
    const needs = readElfNeeds(await readFile(copyOf));
    if (!needs) continue;
    if (needs.interpreter !== undefined) waiting.push([needs.interpreter, needs.interpreter]);
    for (const library of needs.libraries) {
      const found = await findLibrary(library, copyOf);
      waiting.push([found, found]);
    }
  }
  return [...entries.values()];
}

async function findLibrary(library: string, neededBy: string): Promise<string> {
  const triplet = triplets[process.arch] ?? "";
  for (const folder of [`/lib/${triplet}`, `/usr/lib/${triplet}`, "/lib64", "/usr/lib64", "/lib", "/usr/lib"]) {
    const path = join(folder, library);
    if (await isThere(path)) return path;
  }
  throw new InputError(`${neededBy} needs ${library}, and this machine does not have it`, {
    next: "install the package that has it",
  });
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
