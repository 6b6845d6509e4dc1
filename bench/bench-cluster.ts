import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterHome, type InstanceOptions, startCluster, stopCluster } from "#cluster";

export interface BenchCluster extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly instance: InstanceOptions;
}

/** A control plane of its own for a measurement, deleted at the end; with a node that runs pods, if asked, which needs root. */
export async function benchCluster(fakeNodes = 0, node = false): Promise<BenchCluster> {
  const never = new AbortController().signal;
  const data = await mkdtemp(join(tmpdir(), "tenon-bench-"));
  const instance = { home: { cache: clusterHome().cache, data }, name: "bench" };
  const { kubeconfig } = await startCluster({ ...instance, fakeNodes, node, endsWithUs: true }, never);
  return {
    kubeconfig,
    instance,
    async [Symbol.asyncDispose]() {
      await stopCluster(instance, never);
      await rm(data, { recursive: true });
    },
  };
}
