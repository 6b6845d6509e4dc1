import { execFile } from "node:child_process";
import { glob, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";

const checkout = join(import.meta.dirname, "..");

/** Writes the types of what other programs may import. */
export async function declare(directory: string): Promise<void> {
  const tsc = join(checkout, "node_modules", ".bin", "tsc");
  await promisify(execFile)(tsc, ["--project", join(import.meta.dirname, "tsconfig.json"), "--outDir", directory]);
  for await (const file of glob("**/*.d.ts", { cwd: directory })) {
    const path = join(directory, file);
    await writeFile(path, resolveImports(await readFile(path, "utf8"), relative(dirname(file), ".") || "."));
  }
}

/** What is published has no sources, and whoever reads its types does not know our names of rooms. */
function resolveImports(text: string, toRoot: string): string {
  return text.replaceAll(/(from |import\()"(#|\.)([^"]+)"/g, (_, before, kind, path) =>
    kind === "#" ? `${before}"./${join(toRoot, path, "index.js")}"` : `${before}".${path.replace(/\.ts$/, ".js")}"`,
  );
}
