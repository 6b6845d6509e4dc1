import { basename, dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { type ClusterHome, clusterHome, listClusters, startCluster } from "#cluster";
import { reportBuild } from "../harness/report-build.ts";
import { temporaryHome } from "../harness/temporary-home.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The run's instance with a real node, for tests that load images into it; see use-node.ts. */
    node: { readonly home: ClusterHome; readonly name: string; readonly registry: string };
  }
}

/** One instance with a real node a run, or the running one whose data directory TENON_TEST_NODE names. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TENON_TEST_NODE"];
  if (given) {
    await provide(project, { cache: clusterHome().cache, data: dirname(given) }, basename(given));
    return async () => {};
  }
  const home = await temporaryHome();
  const name = `e2e-${process.pid}`;
  const never = new AbortController().signal;
  await startCluster({ home, name, node: true, endsWithUs: true, onProgress: reportBuild(30_000) }, never);
  await provide(project, { cache: home.cache, data: home.data }, name);
  return async () => {
    await home[Symbol.asyncDispose]();
  };
}

async function provide(project: TestProject, home: ClusterHome, name: string): Promise<void> {
  const instance = (await listClusters(home)).find((status) => status.name === name);
  if (instance?.state !== "running" || instance.registry === undefined) {
    throw new Error(`instance ${name} in ${home.data} has no real node that runs`);
  }
  process.env["TENON_TEST_KUBECONFIG"] = instance.kubeconfig; // workers inherit it
  project.provide("node", { home, name, registry: instance.registry });
}
