import { hostname } from "node:os";
import { CommandFailed, createMetrics, packageFile, silentLogger, systemClock } from "#base";
import { buildGraph, describeWait, Plug, readCoupledState, Socket } from "#coupling";
import { connect, createClient, describeRef, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { Health } from "#runtime";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { readCouplingSettings } from "./coupling-settings.ts";
import { drawTree } from "./draw-graph.ts";
import { readManifests } from "./read-manifests.ts";
import { startCoupling } from "./coupling-job.ts";

const plugOf = (namespace: string) => ({ apiVersion: Plug.apiVersion, kind: Plug.kind, namespace, name: "database" });
const [tracking, billing] = [plugOf("parcels-tracking"), plugOf("parcels-billing")];
const newSocket = "parcels-database/postgres-17";
/** The namespaces of the example. */
export const coupledNamespaces = ["parcels-database", "parcels-tracking", "parcels-billing"];
const patienceMs = 60_000;
const pauseMs = 100;

/**
 * Runs the example of two applications and their database, and prints each state: both are coupled, then one moves to another
 * database and one is deleted. It runs the job `couple` meanwhile, unless another process leads. A second run changes nothing.
 */
export async function coupleWorld({ context, kubeconfig }: ClusterChoice, shell: Shell): Promise<void> {
  const access = await loadAccess({ context, kubeconfig, env: shell.env });
  await using transport = connect(access);
  await using leaseTransport = connect(access);
  const client = createClient(transport);
  const ending = new AbortController();
  const signal = AbortSignal.any([shell.signal, ending.signal]);
  const running = startCoupling(
    {
      client,
      proxyClient: client,
      server: access.server,
      isInCluster: false,
      leaseClient: createClient(leaseTransport),
      namespace: access.namespace,
      identity: `${hostname()}_${crypto.randomUUID()}`,
      health: new Health(systemClock),
      clock: systemClock,
      random: Math.random,
      log: silentLogger,
      metrics: createMetrics(),
    },
    readCouplingSettings({ installCrds: true }, {}),
    signal,
  );
  try {
    const early = running.then(() => Promise.reject(new Error("the job couple ended before the example did")));
    await Promise.race([runExample(client, shell, signal), early]);
  } finally {
    ending.abort(new Error("the example has ended"));
    await running.catch(() => {});
  }
}

async function runExample(client: KubeClient, shell: Shell, signal: AbortSignal): Promise<void> {
  for (const { apiVersion, kind } of [Plug, Socket]) await client.discovery.whenServed({ apiVersion, kind }, signal);
  const before = await client.find(tracking, signal);
  const isFinished = before && readCoupledState(before).target === newSocket && !(await client.find(billing, signal));
  if (!isFinished) {
    await apply("1-sockets.yaml", client, shell, signal);
    await apply("2-plugs.yaml", client, shell, signal);
    await untilCoupled(tracking, client, signal);
    await untilCoupled(billing, client, signal);
    shell.stdout.write(`\nTwo applications are coupled to their database:\n${await drawWorld(client, signal)}`);
    await apply("3-move.yaml", client, shell, signal);
    await client.delete(billing, {}, signal);
    await until(billing, (found) => found === undefined, client, signal);
    await untilCoupled(tracking, client, signal);
  }
  shell.stdout.write(`\nOne has moved to the new database, one is deleted:\n${await drawWorld(client, signal)}`);
}

async function apply(file: string, client: KubeClient, shell: Shell, signal: AbortSignal): Promise<void> {
  for (const { object } of await readManifests(packageFile("examples", "coupling", "world", file), "default", shell)) {
    await client.apply(object, { fieldManager: "tenon-up", force: true }, signal);
  }
}

function untilCoupled(ref: typeof tracking, client: KubeClient, signal: AbortSignal): Promise<void> {
  return until(ref, isSettled, client, signal);
}

/** Coupled, and to the socket that it names now. */
function isSettled(found: KubeObject | undefined): boolean {
  const state = found && readCoupledState(found);
  return state?.isCoupled === true && state.leaves === undefined;
}

async function until(
  ref: typeof tracking,
  isReached: (found: KubeObject | undefined) => boolean,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  const end = systemClock.monotonic() + patienceMs;
  for (;;) {
    const found = await client.find(ref, signal);
    if (isReached(found)) return;
    if (systemClock.monotonic() > end) {
      const wait = found ? (describeWait(readCoupledState(found)) ?? readCoupledState(found).state) : "not found";
      throw new CommandFailed(`not ready after ${patienceMs / 1000} s: ${wait}`, {
        where: describeRef(ref),
        next: "`tenon get plugs --all-namespaces` shows its state",
      });
    }
    await systemClock.sleep(pauseMs, signal);
  }
}

async function drawWorld(client: KubeClient, signal: AbortSignal): Promise<string> {
  const [plugs, sockets] = await Promise.all(
    [Plug, Socket].map(({ apiVersion, kind }) => client.list({ apiVersion, kind }, signal)),
  );
  const tree = drawTree(buildGraph(plugs?.items ?? [], sockets?.items ?? [], "parcels-database"));
  return tree.replaceAll(/^(?=.)/gm, "  ");
}
