import { createLogger, createMetrics, silentLogger, systemClock } from "#base";
import { runTypedQuery, openQueryableSource, type TypedQuery } from "#bundle";
import { isInShard, shardFromEnvironment, shardLabel } from "#integrations";
import { ClusterClients, describePlan, fetchCurrentState, ManagedObject, realizeData } from "#inventory";
import { connect, createClient, loadAccess } from "#kube";
import { Health, serveHealth } from "#runtime";

/** Publishes the name and cluster of each namespace of the data in its ConfigMap `whereabouts`. Each shard handles its part of the namespaces. */
const {
  DATA = ".",
  CLUSTER = "",
  DRY_RUN,
  RUN_ONCE,
  SLEEP_DURATION_SECS = "300",
  PROMETHEUS_PORT = "9090",
} = process.env;
const identity = { integration: "whereabouts", integrationVersion: "0.1.0" };
const shard = shardFromEnvironment(process.env);
const namespacesQuery: TypedQuery<
  { all: { name: string; cluster: { name: string }; environment: { name: string } }[] },
  object
> = { document: "{ all: namespaces_v1 { name cluster { name } environment { name } } }" };

const log = createLogger();
const metrics = createMetrics();
const kept = metrics.gauge("whereabouts_namespaces", "Namespaces that this shard looks after.", ["shard"]);
await using _ = await serveHealth({ health: new Health(systemClock), metrics, port: Number(PROMETHEUS_PORT) });
// PID 1 of a container ignores this signal unless it handles it.
process.once("SIGTERM", () => process.exit());
const { signal } = new AbortController();

for (;;) {
  const { all } = await runTypedQuery(await openQueryableSource(DATA).load(signal), namespacesQuery, {}, signal);
  const ours = all.filter(({ name, cluster }) => cluster.name === CLUSTER && isInShard(name, shard));
  kept.set(ours.length, { shard: shardLabel(shard) });

  const source = { name: CLUSTER, open: async () => createClient(connect(await loadAccess())) };
  await using clusters = await ClusterClients.connect([source], {}, signal);
  const namespaces = ours.map(({ name }) => ({ cluster: CLUSTER, namespace: name }));
  const { inventory } = await fetchCurrentState(
    { ...identity, namespaces, managedKinds: ["ConfigMap"], clusters, log },
    signal,
  );
  for (const { name, environment } of ours) {
    const data = { cluster: CLUSTER, environment: environment.name };
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "whereabouts" }, data };
    inventory.addDesiredResource(CLUSTER, name, new ManagedObject({ ...identity, body }));
  }
  const dryRun = DRY_RUN !== "--no-dry-run";
  const { plan, isSuccess } = await realizeData(
    { ...identity, inventory, clusters, dryRun, log: silentLogger },
    signal,
  );
  process.stdout.write(describePlan(plan));
  process.exitCode = isSuccess ? 0 : 1;
  if (RUN_ONCE) break;
  await systemClock.sleep(Number(SLEEP_DURATION_SECS) * 1000, signal);
}
