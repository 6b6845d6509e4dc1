import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startCluster } from "#cluster";
import { reportBuild } from "./report-build.ts";
import { temporaryHome } from "./temporary-home.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where worker-setup.ts asks for the control plane of its worker. */
    clusterSocket: string;
  }
}

/**
 * One control plane a worker, started when the worker's first test file asks for it; or, for all of them, the one that
 * TENON_TEST_KUBECONFIG names. Test files take a namespace each of it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env["TENON_TEST_KUBECONFIG"]) return async () => {};
  const home = await temporaryHome();
  const onProgress = reportBuild(30_000);
  const clusters = new Map<string, Promise<string>>();
  const start = async (worker: string) => {
    const name = `test-${process.pid}-${worker}`;
    const never = new AbortController().signal;
    return (await startCluster({ home, name, fakeNodes: 2, endsWithUs: true, onProgress }, never)).kubeconfig;
  };
  const server = createServer(({ url = "/1" }, response) => {
    const worker = url.slice(1);
    const started = clusters.get(worker) ?? start(worker);
    clusters.set(worker, started);
    started.then(
      (kubeconfig) => response.end(kubeconfig),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  const socket = join(home.data, "clusters.sock");
  await once(server.listen(socket), "listening");
  project.provide("clusterSocket", socket);
  return async () => {
    server.close();
    await Promise.allSettled(clusters.values());
    await home[Symbol.asyncDispose]();
  };
}
