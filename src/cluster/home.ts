import { homedir } from "node:os";
import { join } from "node:path";

/** Where the embedded cluster keeps its binaries (may be lost, costs a build) and its instances' data (must not be lost). */
export interface ClusterHome {
  readonly cache: string;
  readonly data: string;
}

/** The user's directories by the XDG base directory rules: https://specifications.freedesktop.org/basedir-spec/latest/ */
export function clusterHome(env: NodeJS.ProcessEnv = process.env): ClusterHome {
  const cache = env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const data = env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
  return { cache: join(cache, "tenon", "cluster"), data: join(data, "tenon", "clusters") };
}
