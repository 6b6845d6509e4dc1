import { hostname } from "node:os";
import { createLogger, createMetrics, InputError, systemClock as clock } from "#base";
import { connect, createClient, createLeaderElection, createReflector, describeRef, loadAccess } from "#kube";
import {
  addFinalizer,
  createController,
  done,
  electionChecks,
  hasFinalizer,
  Health,
  removeFinalizer,
  type Result,
  runControllers,
  serveHealth,
  watchEventLoop,
} from "#runtime";

/** Copies the ConfigMaps labelled `example.tenon.dev/copy` from one namespace to another, and keeps the copies up to date. */
const [from = "default", to = "copies"] = process.argv.slice(2);
const configMap = { apiVersion: "v1", kind: "ConfigMap" };
const finalizer = "example.tenon.dev/copy";

const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => stopping.abort(new Error(`ended by ${name}`)));
const log = createLogger();
const metrics = createMetrics();
const shared = { clock, random: Math.random, log, metrics };
const access = await loadAccess();
await using transport = connect(access, { metrics });
await using leaseTransport = connect(access, { metrics });
const client = createClient(transport);
const originals = createReflector({ client, selection: { ...configMap, namespace: from }, ...shared });
const copies = createReflector({ client, selection: { ...configMap, namespace: to }, ...shared });

async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
  const original = originals.store.get(key);
  if (!original) return done; // its finalizer was removed after its copy was deleted
  const { name, labels = {}, deletionTimestamp } = original.metadata;
  const isSelected = labels["example.tenon.dev/copy"] !== undefined && deletionTimestamp === undefined;
  if (!isSelected && !hasFinalizer(original, finalizer)) return done;
  const ref = { ...configMap, namespace: to, name };
  const found = await client.find(ref, signal); // not from the store, which may not have our last write yet
  const isOurs = found?.metadata.labels?.["example.tenon.dev/copied-from"] === from;
  if (!isSelected) {
    if (found && isOurs) await client.delete(ref, { uid: found.metadata.uid }, signal);
    await removeFinalizer(original, finalizer, client, signal);
    return done;
  }
  if (found && !isOurs)
    throw new InputError(`${describeRef(ref)} is not a copy of this controller`, { next: "rename one of the two" });
  const held = await addFinalizer(original, finalizer, client, signal);
  if (!held || !hasFinalizer(held, finalizer)) return done; // deleted meanwhile
  const { data, binaryData } = original;
  const metadata = { namespace: to, name, labels: { "example.tenon.dev/copied-from": from } };
  await client.apply({ ...configMap, metadata, data, binaryData }, { fieldManager: "copy-config-maps" }, signal);
  return done;
}

const name = "copy-config-maps";
const controller = createController({
  name,
  reconcile,
  sources: [{ reflector: originals }, { reflector: copies, keysOf: (copy) => [`${from}/${copy.metadata.name}`] }],
  ...shared,
});
const leaseClient = createClient(leaseTransport);
const identity = `${hostname()}-${crypto.randomUUID()}`;
const election = createLeaderElection({ client: leaseClient, namespace: to, name, identity, ...shared });

const health = new Health(clock);
using eventLoop = watchEventLoop({ clock });
health.add(eventLoop, ...controller.checks, ...electionChecks(election, clock));
await using server = await serveHealth({ health, metrics, port: Number(process.env["PORT"] ?? "8080") });
log.info("serving health and metrics", { port: server.port });
await runControllers({ controllers: [controller], election, clock, log }, stopping.signal);
