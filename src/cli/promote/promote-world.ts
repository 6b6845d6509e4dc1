import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { createMetrics, packageFile, silentLogger, systemClock } from "#base";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { Application, Component, IntegrationTestScenario, Propagation, ReleasePlan, Snapshot } from "#promotion";
import { Health } from "#runtime";
import type { HomeCluster } from "../control/home-cluster.ts";
import type { ManagedWorld } from "../manage/manage-world.ts";
import type { Shell } from "../shell.ts";
import { explainRelease } from "./explain-release.ts";
import { runPromoteJob } from "./promote-job.ts";
import { openReleaseServers, type ReleaseServers } from "./release-servers.ts";
import { findToldRelease, ReleaseStory } from "./release-story.ts";

/**
 * Runs the example of a commit that becomes a running integration without Tekton, and tells each step as it happens: a build is
 * declared, tested by a Job, released by moving a tag, proposed to data files, merged and rolled out. It runs the job `promote`
 * meanwhile, unless another process leads. A second run changes nothing, and one that follows a kill goes on.
 */
export async function promoteWorld(world: ManagedWorld, shell: Shell, given: AbortSignal): Promise<void> {
  const { context, kubeconfig } = world;
  const access = await loadAccess({ context, kubeconfig, env: shell.env });
  await using stack = new AsyncDisposableStack();
  const openClient = () => createClient(stack.use(connect(access)));
  const home: HomeCluster = {
    client: openClient(),
    namespace: access.namespace,
    server: access.server,
    isInCluster: false,
    openClient,
    [Symbol.asyncDispose]: async () => {},
  };
  const told = await findToldRelease(home.client, given);
  const release = told ?? (await runExample(world, home, shell, given));
  if (told !== undefined) shell.stdout.write("\nA commit has become a running integration, without Tekton:\n");
  shell.stdout.write(`\n$ tenon explain release/${release}\n`);
  await explainRelease(
    release,
    { context, ...(kubeconfig === undefined ? {} : { kubeconfig }), output: "table" },
    shell,
  );
}

async function runExample(world: ManagedWorld, home: HomeCluster, shell: Shell, given: AbortSignal): Promise<string> {
  await using parts = await openReleaseServers(world, given);
  const ending = new AbortController();
  const signal = AbortSignal.any([given, ending.signal]);
  const running = runPromoteJob(
    {
      options: { promote: ["builds", "tests", "releases", "propagation"], installCrds: true },
      config: {},
      // Copies of repositories belong to the example, and go with it.
      shell: { ...shell, env: { ...shell.env, XDG_CACHE_HOME: join(dirname(world.folder), "cache") } },
      home: async () => home,
      identity: `${hostname()}_${crypto.randomUUID()}`,
      health: new Health(systemClock),
      metrics: createMetrics(),
      clock: systemClock,
      random: Math.random,
      log: silentLogger,
    },
    signal,
  );
  try {
    const early = running.then(() => Promise.reject(new Error("the job promote ended before the example did")));
    return await Promise.race([tell(parts, home.client, shell, signal), early]);
  } finally {
    ending.abort(new Error("the example has ended"));
    await running.catch(() => {});
  }
}

async function tell(parts: ReleaseServers, client: KubeClient, shell: Shell, signal: AbortSignal): Promise<string> {
  for (const { apiVersion, kind } of [
    Application,
    Component,
    IntegrationTestScenario,
    Snapshot,
    ReleasePlan,
    Propagation,
  ]) {
    await client.discovery.whenServed({ apiVersion, kind }, signal);
  }
  const story = new ReleaseStory(parts, client, shell, signal);
  await story.prepare(packageFile("examples", "promotion", "world.yaml"));
  return await story.tell();
}
