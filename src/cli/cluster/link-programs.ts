import { access, constants, mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { clusterHome, inspectBinary } from "#cluster";
import { callAgain } from "../call-again.ts";
import type { Shell } from "../shell.ts";

/**
 * Links the programs that are not on the PATH in one folder of the cache: Tenon, if it runs from a checkout, and the kubectl that
 * was built with the cluster. Gives the folder, unless there is nothing to add to the PATH.
 */
export async function linkPrograms(env: Shell["env"]): Promise<string | undefined> {
  const home = clusterHome(env);
  const folder = join(dirname(home.cache), "bin");
  const hasTenon = callAgain(env) === "tenon";
  const missing = {
    ...(hasTenon ? {} : { tenon: resolve(env["TENON_CALLED_AS"] ?? "") }),
    ...((await isOnPath("kubectl", env, folder)) ? {} : { kubectl: (await inspectBinary(home)).kubectl }),
  };
  if (Object.keys(missing).length === 0) return undefined;
  await mkdir(folder, { recursive: true });
  for (const [name, target] of Object.entries(missing)) {
    const link = join(folder, name);
    await rm(link, { force: true });
    await symlink(target, link);
  }
  return (env["PATH"] ?? "").split(":").includes(folder) ? undefined : folder;
}

async function isOnPath(program: string, env: Shell["env"], except: string): Promise<boolean> {
  const folders = (env["PATH"] ?? "").split(":").filter((folder) => folder !== except);
  const candidates = folders.map((folder) => join(folder || ".", program));
  const checks = await Promise.allSettled(candidates.map((path) => access(path, constants.X_OK)));
  return checks.some(({ status }) => status === "fulfilled");
}
