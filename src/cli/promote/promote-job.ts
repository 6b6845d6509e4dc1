import { readFile } from "node:fs/promises";
import { z } from "zod";
import { InputError, Secret } from "#base";
import { installKinds } from "#crd";
import { gitCache } from "#git";
import { createLeaderElection } from "#kube";
import {
  createIntake,
  createKonfluxWatch,
  createPromotionSources,
  createPropagation,
  createTesting,
  defaultPromoteParts,
  installPromotion,
  promoteLeases,
  type PromotePart,
  promoteParts,
  Propagation,
  readReportSettings,
} from "#promotion";
import { electionChecks, runControllers, runTogether } from "#runtime";
import type { HomeCluster } from "../control/home-cluster.ts";
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
  webhookSecretFile: z.string().exactOptional(),
});

/** What the parts of the job share. */
interface PromoteRun {
  readonly context: JobContext;
  readonly choice: z.infer<typeof Choice>;
  readonly home: HomeCluster;
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
  const run: PromoteRun = { context, choice, home: await context.home() };
  const snapshotParts = parts.filter(isOfSnapshots);
  context.log.info("parts", { parts });
  await runTogether(
    [
      ...(parts.includes("propagation") ? [(each: AbortSignal) => runPropagation(run, each)] : []),
      ...(snapshotParts.length > 0 ? [(each: AbortSignal) => runSnapshots(run, snapshotParts, each)] : []),
    ],
    signal,
  );
}

type SnapshotPart = Exclude<PromotePart, "propagation">;

function isOfSnapshots(part: PromotePart): part is SnapshotPart {
  return part !== "propagation";
}

/** Follows image tags into GitOps repositories. */
async function runPropagation(run: PromoteRun, signal: AbortSignal): Promise<void> {
  const { context, choice, home } = run;
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
  const { context, choice, home } = run;
  const { clock, random, log, metrics, health } = context;
  const { client } = home;
  if (choice.installCrds) await installPromotion(client, log, signal);
  const shared = { client, clock, random, log, metrics };
  const konflux = createKonfluxWatch(shared);
  const sources = createPromotionSources(shared, parts);
  health.add(konflux.check);
  const works = parts.map((part) => async (each: AbortSignal) => {
    const election = konflux.standAside(electionOf(part, run));
    const options = { ...shared, sources, mayWrite: () => election.isLeader() };
    const reports = readReportSettings(context.shell.env);
    const controllers = part === "builds" ? createIntake(options) : createTesting({ ...options, reports });
    health.add(...controllers.flatMap(({ checks }) => checks));
    await runControllers({ controllers, election, clock, log: log.child({ part }) }, each);
  });
  await runTogether([(each) => konflux.run(each), ...works], signal);
}

/** Undefined without leader election. */
function electionOf(part: PromotePart, { context, choice, home }: PromoteRun) {
  if (!choice.leaderElection) return undefined;
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
