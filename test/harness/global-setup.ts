import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startCluster } from "#cluster";
import { startGitea } from "../gitea/start-gitea.ts";
import { reportBuild } from "./report-build.ts";
import { reportCosts } from "./report-costs.ts";
import { temporaryHome } from "./temporary-home.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where ask-run.ts asks for programs that test files share. */
    runSocket: string;
  }
}

/**
 * What test files share starts when the first of them asks for it: one control plane a worker, of which each file takes a
 * namespace, and one Gitea a run. With TENON_TEST_KUBECONFIG no worker asks for a control plane.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Control planes of tests live for minutes: they collect garbage less often, for a tenth of their processor time.
  process.env["GOGC"] ??= "400";
  const home = await temporaryHome();
  const onProgress = reportBuild(30_000);
  const stack = new AsyncDisposableStack();
  stack.use(home);
  const startControlPlane = async (worker: string) => {
    const name = `test-${process.pid}-${worker}`;
    const never = new AbortController().signal;
    return (await startCluster({ home, name, fakeNodes: 2, endsWithUs: true, onProgress }, never)).kubeconfig;
  };
  const programs = new Map<string, Promise<string>>();
  const start = (path: string) =>
    path === "/gitea"
      ? startGitea().then((gitea) => JSON.stringify(stack.use(gitea)))
      : startControlPlane(path.slice("/clusters/".length));
  const server = createServer(({ url = "" }, response) => {
    const started = programs.get(url) ?? start(url);
    programs.set(url, started);
    started.then(
      (answer) => response.end(answer),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  const socket = join(home.data, "run.sock");
  await once(server.listen(socket), "listening");
  project.provide("runSocket", socket);
  return async () => {
    server.close();
    await Promise.allSettled(programs.values());
    await stack.disposeAsync();
    const costs = process.env["TENON_TEST_COSTS"];
    if (costs) await reportCosts(costs);
  };
}
