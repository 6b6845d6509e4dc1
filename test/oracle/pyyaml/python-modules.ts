import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { clusterHome } from "#cluster";

const run = promisify(execFile);

type PythonModules = { readonly directory: string } | { readonly missing: string };

/** Where the modules of a requirements file are, which pip puts into the cache of this user on first use, or why there are none. */
export async function ensurePythonModules(file: string): Promise<PythonModules> {
  const python = await run("python3", ["-c", "import sys; print(sys.implementation.cache_tag)"]).catch(() => undefined);
  if (!python) return { missing: "python3 not found" };
  const wanted = (await readFile(file, "utf8")).trim();
  const cache = join(dirname(clusterHome().cache), "oracle");
  const name = wanted.replaceAll("==", "-").replaceAll(/\s+/g, "+");
  const directory = join(cache, `${name}-${python.stdout.trim()}`);
  if (await stat(directory).catch(() => undefined)) return { directory };
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(`${directory}.`);
  try {
    const words = ["install", "--quiet", "--disable-pip-version-check", "--no-compile", "--target", unfinished];
    await run("python3", ["-m", "pip", ...words, "--requirement", file]);
    // Two at a time put the same files there, and the first one stays.
    await rename(unfinished, directory).catch(() => undefined);
    return { directory };
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim().split("\n").at(-1) : "";
    return { missing: `pip cannot install ${wanted}: ${said}` };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
