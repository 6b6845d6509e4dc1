import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterHome, startCluster, stopCluster } from "#cluster";

export interface BenchCluster extends AsyncDisposable {
  readonly kubeconfig: string;
}

/** A control plane of its own for a measurement, deleted at the end. */
export async function benchCluster(fakeNodes = 0): Promise<BenchCluster> {
  const never = new AbortController().signal;
  const data = await mkdtemp(join(tmpdir(), "tenon-bench-"));
  const home = { cache: clusterHome().cache, data };
  const { kubeconfig } = await startCluster({ home, name: "bench", fakeNodes, endsWithUs: true }, never);
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await stopCluster({ home, name: "bench" }, never);
      await rm(data, { recursive: true });
    },
  };
}
