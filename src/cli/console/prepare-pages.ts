import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, glob, mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CommandFailed, InputError, packageFile } from "#base";
import { clusterHome, takeBuildLock } from "#cluster";
import type { Shell } from "../shell.ts";

const run = promisify(execFile);

/** What the pages are built from. */
const sources = ["console/*.{json,html,ts}", "console/{src,public}/**/*", "src/server/console/*-api.ts"];

/**
 * The folder with the built pages: in a checkout one in the cache, which is built first if the sources have changed; else that of
 * the published package. A checkout may have a package in `dist`, of other sources.
 */
export async function preparePages(shell: Pick<Shell, "env" | "stderr" | "signal">): Promise<string> {
  if (!(await exists(packageFile("console", "package.json")))) {
    const published = packageFile("dist", "console");
    if (await exists(published)) return published;
    throw new InputError("the pages of the console are not in this package", {
      where: packageFile(),
      next: "install the package again, or use a checkout",
    });
  }
  const cache = join(dirname(clusterHome(shell.env).cache), "console");
  const folder = join(cache, await hashSources());
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  await using _ = await takeBuildLock(
    folder,
    () => shell.stderr.write("waiting for another build of the pages\n"),
    shell.signal,
  );
  if (await exists(folder)) return folder;
  await buildPages(folder, shell);
  return folder;
}

/** Builds the pages into a folder, which appears by one rename. */
async function buildPages(
  folder: string,
  { env, stderr, signal }: Pick<Shell, "env" | "stderr" | "signal">,
): Promise<void> {
  const workspace = packageFile("console");
  const begun = performance.now();
  stderr.write("building the pages of the console, once: it takes up to a minute\n");
  const unfinished = `${folder}.building`;
  await rm(unfinished, { recursive: true, force: true });
  // Tests set another NODE_ENV, with which Vite would build pages for development.
  const options = { cwd: workspace, env: { ...env, NODE_ENV: "production" }, signal, maxBuffer: 2 ** 24 };
  if (await lacksPackages(workspace)) {
    const words = [
      "install",
      "--no-save",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
      // Without the packages of the browser tests, unless they are there: npm would remove them.
      (await exists(join(workspace, "node_modules", "playwright-core"))) ? "--include=dev" : "--omit=dev",
      "--loglevel=error",
    ];
    await run("npm", words, options).catch((error: unknown) =>
      fail("npm cannot install the packages of the console", workspace, error),
    );
  }
  const vite = join(workspace, "node_modules", "vite", "bin", "vite.js");
  const words = [vite, "build", "--outDir", unfinished, "--emptyOutDir", "--logLevel", "warn"];
  await run(process.execPath, words, options).catch((error: unknown) =>
    fail("the pages of the console cannot be built", workspace, error),
  );
  await rename(unfinished, folder);
  stderr.write(`built the pages of the console in ${Math.round((performance.now() - begun) / 1_000)} s\n`);
}

function fail(what: string, where: string, cause: unknown): never {
  const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
  throw new CommandFailed(said === "" ? what : `${what}: ${said}`, {
    where,
    next: "correct what it says, and start again",
    cause,
  });
}

/** Whether they were never installed, or for an older lock file. */
async function lacksPackages(workspace: string): Promise<boolean> {
  const modified = async (file: string) =>
    (await stat(join(workspace, file)).catch(() => undefined))?.mtimeMs ?? -Infinity;
  return (await modified("node_modules/.package-lock.json")) < (await modified("package-lock.json"));
}

async function hashSources(): Promise<string> {
  const files = (await Array.fromAsync(glob(sources, { cwd: packageFile(), withFileTypes: true })))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file.slice(packageFile().length)}\n`).update(await readFile(file));
  return hash.digest("hex").slice(0, 20);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
