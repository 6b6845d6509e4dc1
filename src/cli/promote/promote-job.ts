import { readFile } from "node:fs/promises";
import { z } from "zod";
import { InputError, Secret } from "#base";
import { installKinds } from "#crd";
import { gitCache } from "#git";
import { createLeaderElection } from "#kube";
import {
  createEnvironments,
  createIntake,
  createKonfluxWatch,
  createOnboarding,
  createPromotionSources,
  createPropagation,
  createReleases,
  createTesting,
  defaultPromoteParts,
  installEnvironments,
  installPromotion,
  type KonfluxService,
  type KonfluxWatch,
  promoteLeases,
  type PromotePart,
  promoteParts,
  promoteRivals,
  type PromotionSources,
  Propagation,
  readReleaseSettings,
  readReportSettings,
  readSweepLimits,
  rememberInstallation,
  RemoteClusters,
  timeoutsOf,
} from "#promotion";
import { electionChecks, runControllers, runTogether } from "#runtime";
import { type HomeCluster, serverOfPods } from "../control/home-cluster.ts";
import type { JobContext } from "../control/jobs.ts";

const Choice = z.object({
  promote: z
    .array(z.enum(promoteParts))
    .default([...defaultPromoteParts])
    .readonly(),
  installCrds: z.boolean().default(false),
  leaderElection: z.boolean().default(true),
  plainHttp: z.array(z.string()).default([]),
  webhookPort: z.int().exactOptional(),
  buildsPort: z.int().exactOptional(),
  requireChains: z.enum(["auto", "always", "never"]).default("auto"),
  webhookSecretFile: z.string().exactOptional(),
});

/** What the parts of the job share. */
interface PromoteRun {
  readonly context: JobContext;
  readonly choice: z.infer<typeof Choice>;
  readonly home: HomeCluster;
  /** Watches that the parts share. */
  readonly sources: PromotionSources;
  /** Services of Konflux that do the work of the parts. */
  readonly rivals: ReadonlyMap<KonfluxService, KonfluxWatch>;
}

/** The job `promote` of `tenon run`. Each part has a leader of its own. When one fails, all end. */
export async function runPromoteJob(context: JobContext, signal: AbortSignal): Promise<void> {
  const choice = Choice.parse(context.options);
  const parts = promoteParts.filter((part) => choice.promote.includes(part));
  if (choice.webhookPort !== undefined && !parts.includes("propagation")) {
    throw new InputError("webhooks are for propagation, which does not run", {
      where: "--webhook-port",
      next: "add propagation to --promote, or leave the option out",
    });
  }
  if (choice.buildsPort !== undefined && !parts.includes("builds")) {
    throw new InputError("builds are declared to the part builds, which does not run", {
      where: "--builds-port",
      next: "add builds to --promote, or leave the option out",
    });
  }
  const snapshotParts = parts.filter(isOfSnapshots);
  const home = await context.home();
  const { clock, random, log, metrics } = context;
  const shared = { client: home.client, clock, random, log, metrics };
  const services = new Set(parts.flatMap((part) => promoteRivals[part]));
  const rivals = new Map([...services].map((service) => [service, createKonfluxWatch({ ...shared, service })]));
  context.health.add(...[...rivals.values()].map(({ check }) => check));
  const sources = createPromotionSources(shared, snapshotParts);
  const run: PromoteRun = { context, choice, home, sources, rivals };
  log.info("parts", { parts });
  if (choice.installCrds && parts.some((part) => promoteRivals[part].length > 0)) {
    await installPromotion(home.client, log, signal);
  }
  await runTogether(
    [
      ...[...rivals.values()].map((watch) => (each: AbortSignal) => watch.run(each)),
      ...(parts.includes("propagation") ? [(each: AbortSignal) => runPropagation(run, each)] : []),
      ...(snapshotParts.length > 0 ? [(each: AbortSignal) => runSnapshots(run, snapshotParts, each)] : []),
      ...(parts.includes("releases") ? [(each: AbortSignal) => runReleases(run, each)] : []),
      ...(parts.includes("environments") ? [(each: AbortSignal) => runEnvironments(run, each)] : []),
    ],
    signal,
  );
}

type SnapshotPart = Extract<PromotePart, "builds" | "tests">;

function isOfSnapshots(part: PromotePart): part is SnapshotPart {
  return part === "builds" || part === "tests";
}

/** Follows image tags into GitOps repositories. */
async function runPropagation(run: PromoteRun, signal: AbortSignal): Promise<void> {
  const { context, choice, home, sources } = run;
  const { shell, clock, random, log, metrics, health } = context;
  const { client } = home;
  if (choice.installCrds) {
    for (const { crdName, change } of await installKinds(client, [Propagation], { signal })) {
      if (change !== "unchanged") log.info("kind installed", { kind: crdName, change });
    }
  }
  const election = electionOf("propagation", run);
  await using propagation = createPropagation({
    client,
    cache: gitCache(shell.env),
    plainHttp: choice.plainHttp,
    releases: sources.releases,
    ...(election ? { mayWrite: () => election.isLeader() } : {}),
    clock,
    random,
    log,
    metrics,
  });
  await using stack = new AsyncDisposableStack();
  if (choice.webhookPort !== undefined) {
    const { serveWebhooks } = await import("#server");
    const secret = await readWebhookSecret(choice.webhookSecretFile);
    const wake = propagation.wake.bind(propagation);
    const server = stack.use(await serveWebhooks({ port: choice.webhookPort, secret, wake, log }));
    log.info("serving webhooks", { port: server.port });
  }
  const { controllers } = propagation;
  health.add(...controllers.flatMap(({ checks }) => checks));
  await runControllers({ controllers, ...(election ? { election } : {}), clock, log }, signal);
}

/** Turns builds into Snapshots, and tests them; never beside Konflux's integration-service. */
async function runSnapshots(run: PromoteRun, parts: readonly SnapshotPart[], signal: AbortSignal): Promise<void> {
  const { context, choice, home, sources } = run;
  const { shell, clock, random, log, metrics, health } = context;
  const { client } = home;
  const shared = { client, clock, random, log, metrics };
  const sweepLimits = readSweepLimits(shell.env);
  const { timeouts, problems } = timeoutsOf(shell.env);
  for (const problem of problems) log.warn("a timeout is ignored", { problem });
  const works = parts.map((part) => async (each: AbortSignal) => {
    const election = electionOf(part, run);
    const options = { ...shared, sources, mayWrite: () => election?.isLeader() ?? true };
    const reports = readReportSettings(shell.env);
    const controllers =
      part === "builds"
        ? createIntake({ ...options, requireChains: choice.requireChains, sweepLimits })
        : createTesting({ ...options, reports, timeouts });
    health.add(...controllers.flatMap(({ checks }) => checks));
    await runControllers({ controllers, ...(election ? { election } : {}), clock, log: log.child({ part }) }, each);
  });
  await using stack = new AsyncDisposableStack();
  if (choice.buildsPort !== undefined) {
    // By every replica: what a build needs is in the cluster, and not in the process.
    const { serveBuilds } = await import("#server");
    const server = stack.use(await serveBuilds({ port: choice.buildsPort, client, clock, log }));
    log.info("serving builds", { port: server.port });
  }
  await runTogether(works, signal);
}

/** Releases Snapshots, and gives Applications their default plans; never beside Konflux's services that do. */
async function runReleases(run: PromoteRun, signal: AbortSignal): Promise<void> {
  const { context, choice, home, sources } = run;
  const { shell, clock, random, metrics, health } = context;
  const { client, namespace } = home;
  const log = context.log.child({ part: "releases" });
  const shared = { client, clock, random, log, metrics };
  const election = electionOf("releases", run);
  const options = { ...shared, sources, mayWrite: () => election?.isLeader() ?? true };
  const controllers = [
    ...createReleases({
      ...options,
      ...readReleaseSettings(shell.env),
      serviceNamespace: namespace,
      registries: { plainHttp: choice.plainHttp },
    }),
    ...createOnboarding(options),
  ];
  health.add(...controllers.flatMap(({ checks }) => checks));
  await runControllers({ controllers, ...(election ? { election } : {}), clock, log }, signal);
}

/** Makes ephemeral environments, and removes them. */
async function runEnvironments(run: PromoteRun, signal: AbortSignal): Promise<void> {
  const { context, choice, home } = run;
  const { clock, random, metrics, health } = context;
  const { client, namespace, certificateAuthority } = home;
  const log = context.log.child({ part: "environments" });
  if (choice.installCrds) await installEnvironments(client, log, signal);
  const installation = rememberInstallation(client);
  const election = electionOf("environments", run);
  await using clusters = new RemoteClusters({ client, namespace, installation });
  const controllers = createEnvironments({
    client,
    clock,
    random,
    log,
    metrics,
    server: serverOfPods(home),
    certificateAuthority,
    clusters,
    installation,
    ...(election ? { mayWrite: () => election.isLeader() } : {}),
  });
  health.add(...controllers.flatMap(({ checks }) => checks));
  await runControllers({ controllers, ...(election ? { election } : {}), clock, log }, signal);
}

type Election = ReturnType<KonfluxWatch["standAside"]>;

/** Won only while no service of Konflux does the work of the part; undefined if nothing has to be won. */
function electionOf(part: PromotePart, run: PromoteRun): Election | undefined {
  return promoteRivals[part].reduce<Election | undefined>(
    (election, service) => run.rivals.get(service)?.standAside(election) ?? election,
    run.choice.leaderElection ? leaderOf(part, run) : undefined,
  );
}

function leaderOf(part: PromotePart, { context, home }: PromoteRun) {
  const { identity, clock, random, log, metrics, health } = context;
  const { namespace } = home;
  const lease = { client: home.openClient(), namespace, name: promoteLeases[part], identity };
  const election = createLeaderElection({ ...lease, clock, random, log, metrics });
  health.add(...electionChecks(election, clock));
  return election;
}

async function readWebhookSecret(file: string | undefined): Promise<Secret> {
  const where = "--webhook-secret-file";
  if (file === undefined) {
    throw new InputError("--webhook-port needs a secret, by which requests are verified", {
      where,
      next: "name a file",
    });
  }
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new InputError(`cannot read ${file}`, { where, next: "check the path and its permissions", cause });
  });
  if (text.trim().length >= 8) return new Secret(text.trim());
  throw new InputError(`expected a secret of 8 characters or more in ${file}`, { where });
}
