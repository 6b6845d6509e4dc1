import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createLogger, systemClock } from "#base";
import {
  ApiError,
  connect,
  createClient,
  createLeaderElection,
  createReflector,
  type KubeObject,
  LeadershipLostError,
  loadAccess,
} from "#kube";
import { createController } from "./controller.ts";
import { done, requeueAfter, type Result } from "./result.ts";
import { runControllers } from "./run-controllers.ts";

/**
 * The process of the failover tests: one of several candidates. It signs each ConfigMap labelled `work` and prints on
 * standard output what it does. With `--hold` it reads, waits for a line on standard input, and only then writes. The
 * ConfigMap `tick` keeps a worker busy with reconciles that follow each other without a pause.
 */
const { values } = parseArgs({
  options: {
    kubeconfig: { type: "string", default: "" },
    namespace: { type: "string", default: "" },
    identity: { type: "string", default: "" },
    hold: { type: "boolean", default: false },
    leaseMs: { type: "string", default: "3000" },
  },
});
const { kubeconfig, namespace, identity, hold } = values;
const clock = systemClock;
const log = createLogger();
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort(new Error("SIGTERM")));
const released = Promise.withResolvers<void>();
createInterface(process.stdin).once("line", () => released.resolve());

function say(event: string, fields: Record<string, unknown> = {}): void {
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
}

const access = await loadAccess({ kubeconfig });
await using transport = connect(access);
await using electionTransport = connect(access);
const client = createClient(transport);
const selection = { apiVersion: "v1", kind: "ConfigMap", namespace };
const reflector = createReflector({
  client,
  selection: { ...selection, labelSelector: "work" },
  clock,
  random: Math.random,
  log,
});
const election = createLeaderElection({
  client: createClient(electionTransport),
  namespace,
  name: "failover",
  identity,
  leaseDurationMs: Number(values.leaseMs),
  renewDeadlineMs: 2_000,
  retryPeriodMs: 500,
  clock,
  random: Math.random,
  log,
});

async function sign(object: KubeObject): Promise<void> {
  if (hold) {
    say("holds", { name: object.metadata.name });
    await released.promise;
  }
  try {
    // Without the signal: what is on its way when leadership is lost must be stopped by the server.
    await client.replace({ ...object, data: { writer: identity } });
    say("wrote", { name: object.metadata.name });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say("refused", { name: object.metadata.name, status: error.status });
  }
}

async function reconcile(key: string): Promise<Result> {
  say("starts", { key });
  if (key === `${namespace}/tick`) {
    await clock.sleep(20);
    return requeueAfter(0);
  }
  const object = reflector.store.get(key);
  if (object && JSON.stringify(object.data) !== JSON.stringify({ writer: identity })) await sign(object);
  return done;
}

const controller = createController({
  name: "signer",
  reconcile,
  sources: [{ reflector }],
  concurrency: 2,
  clock,
  random: Math.random,
  log,
});
const announced = {
  isLeader: () => election.isLeader(),
  run: (onLead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) =>
    election.run((leading) => {
      say("leads");
      return onLead(leading);
    }, signal),
};
try {
  await runControllers({ controllers: [controller], election: announced, clock, log }, stopping.signal);
  say("ended");
} catch (error) {
  if (!(error instanceof LeadershipLostError)) throw error;
  say("lost");
  process.exitCode = 3;
}
process.stdin.destroy();
