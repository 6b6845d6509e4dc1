import type { TestProject } from "vitest/node";
import { startCluster } from "#cluster";
import { reportBuild } from "./report-build.ts";
import { temporaryHome } from "./temporary-home.ts";

declare module "vitest" {
  interface ProvidedContext {
    kubeconfig: string;
  }
}

/** One control plane a run, or the one that TENON_TEST_KUBECONFIG names. Test files take a namespace each of it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TENON_TEST_KUBECONFIG"];
  if (given) {
    project.provide("kubeconfig", given);
    return async () => {};
  }
  const home = await temporaryHome();
  const name = `test-${process.pid}`;
  const onProgress = reportBuild(30_000);
  const cluster = await startCluster(
    { home, name, fakeNodes: 2, endsWithUs: true, onProgress },
    new AbortController().signal,
  );
  project.provide("kubeconfig", cluster.kubeconfig);
  return async () => {
    await home[Symbol.asyncDispose]();
  };
}
