import type { TestProject } from "vitest/node";
import { type StartProgress, startCluster } from "#cluster";
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

/** The first run on a machine builds the cluster; who waits for the tests should know, but not read 3,000 lines. */
function reportBuild(everyMs: number): (progress: StartProgress) => void {
  let next = 0;
  return (progress) => {
    if (progress.kind !== "build" || Date.now() < next) return;
    next = Date.now() + everyMs;
    const { phase, done, total, remainingMs = 0 } = progress;
    const minutes = (remainingMs / 60_000).toFixed(1);
    process.stderr.write(`building the embedded cluster: ${phase} ${done} of ${total || "?"}, ${minutes} min left\n`);
  };
}
