import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readlink, symlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { clusterHome } from "#cluster";
import { checkout } from "./read-page.ts";

const run = promisify(execFile);

/** Copies what git knows of this checkout, changes that are not committed included, and shares its packages. */
export async function copyCheckout(folder: string): Promise<void> {
  const listed = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: checkout,
    maxBuffer: 1e8,
  });
  for (const file of listed.stdout.split("\0").filter((name) => name !== "" && name !== "node_modules")) {
    await cp(join(checkout, file), join(folder, file), { recursive: true }).catch(ignoreDeleted);
  }
  await sharePackages(folder);
}

function ignoreDeleted(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}

/** The packages of this checkout, as `make install` would install them: they are newer than the manifest. */
export async function sharePackages(folder: string): Promise<void> {
  const own = join(checkout, "node_modules");
  await symlink(await readlink(own).catch(() => own), join(folder, "node_modules"));
  // Of the console too, if they are installed here.
  const pages = join(checkout, "console", "node_modules");
  if (existsSync(pages)) await symlink(pages, join(folder, "console", "node_modules"));
  for (const file of ["package.json", "package-lock.json", "console/package-lock.json"]) {
    await utimes(join(folder, file), 0, 0);
  }
}

/** The environment of a person with this home, who has built the cluster before. */
export async function personAt(home: string, path: readonly string[] = []): Promise<NodeJS.ProcessEnv> {
  await mkdir(join(home, ".cache", "tenon"), { recursive: true });
  await symlink(clusterHome().cache, join(home, ".cache", "tenon", "cluster"));
  // Without what npm adds, so that `node` is the one of the machine.
  const system = (process.env["PATH"] ?? "").split(":").filter((part) => !part.includes("node_modules"));
  return {
    HOME: home,
    PATH: [...path, ...system].join(":"),
    LANG: "C.UTF-8",
    PWD: dirname(home),
    // Another program of the machine may have the usual port of metrics.
    PROMETHEUS_PORT: "0",
  };
}
