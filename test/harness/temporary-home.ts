import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterHome, clusterHome, listClusters, stopCluster } from "#cluster";

/** The user's cache of binaries with a data directory of its own, which is stopped and deleted at the end. */
export async function temporaryHome(): Promise<ClusterHome & AsyncDisposable> {
  const data = await mkdtemp(join(tmpdir(), "tenon-test-"));
  const home = { cache: clusterHome().cache, data };
  return {
    ...home,
    async [Symbol.asyncDispose]() {
      const never = new AbortController().signal;
      for (const { name } of await listClusters(home)) await stopCluster({ home, name }, never);
      await rm(data, { recursive: true, force: true });
    },
  };
}
