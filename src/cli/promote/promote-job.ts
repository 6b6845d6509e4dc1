import { readFile } from "node:fs/promises";
import { z } from "zod";
import { InputError, type Logger, Secret } from "#base";
import { installKinds } from "#crd";
import { gitCache } from "#git";
import { createLeaderElection, type KubeClient } from "#kube";
import { createPropagation, promoteLease, Propagation } from "#promotion";
import { electionChecks, runControllers } from "#runtime";
import type { JobContext } from "../control/jobs.ts";

const Choice = z.object({
  installCrds: z.boolean().default(false),
  leaderElection: z.boolean().default(true),
  plainHttp: z.array(z.string()).default([]),
  webhookPort: z.int().exactOptional(),
  webhookSecretFile: z.string().exactOptional(),
});

/** The job `promote` of `tenon run`: follows image tags into GitOps repositories. Of several replicas, one is the leader. */
export async function runPromoteJob(context: JobContext, signal: AbortSignal): Promise<void> {
  const { shell, identity, health, clock, random, log, metrics } = context;
  const choice = Choice.parse(context.options);
  const home = await context.home();
  const { client, namespace } = home;
  await preparePropagation(client, choice.installCrds, log, signal);
  const shared = { clock, random, log, metrics };
  const election = choice.leaderElection
    ? createLeaderElection({ client: home.openClient(), namespace, name: promoteLease, identity, ...shared })
    : undefined;
  await using propagation = createPropagation({
    client,
    cache: gitCache(shell.env),
    plainHttp: choice.plainHttp,
    ...(election ? { mayWrite: () => election.isLeader() } : {}),
    ...shared,
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
  health.add(...controllers.flatMap(({ checks }) => checks), ...(election ? electionChecks(election, clock) : []));
  await runControllers({ controllers, ...(election ? { election } : {}), clock, log }, signal);
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

async function preparePropagation(
  client: KubeClient,
  installs: boolean,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { apiVersion, kind } = Propagation;
  if (installs) {
    for (const { crdName, change } of await installKinds(client, [Propagation], { signal })) {
      if (change !== "unchanged") log.info("kind installed", { kind: crdName, change });
    }
    await client.discovery.whenServed({ apiVersion, kind }, signal);
  } else await requirePropagation(client, signal);
}

/** Fails with advice if the cluster does not have the CRD. */
export async function requirePropagation(
  { discovery }: Pick<KubeClient, "discovery">,
  signal: AbortSignal,
): Promise<void> {
  const { apiVersion, kind } = Propagation;
  try {
    await discovery.find({ apiVersion, kind }, signal);
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause;
    throw new InputError(`the cluster does not have the kind ${kind} of ${apiVersion}`, {
      next: "install it with `tenon run --only promote --install-crds`, or choose another cluster with --context",
      cause,
    });
  }
}
