import { createLogger, createMetrics, systemClock as clock } from "#base";
import { createCoupling } from "#coupling";
import { connect, createClient, loadAccess, type Transport } from "#kube";
import { runControllers } from "#runtime";

/** An operator in a process of its own, which says over IPC what it has cost so far. */
const [kubeconfig = ""] = process.argv.slice(2);
const counts = { reads: 0, writes: 0, events: 0 };
const log = createLogger({ level: "warn" });
const transport = connect(await loadAccess({ kubeconfig }));
const client = createClient(counted(transport));
const metrics = createMetrics();
const fingerprintKey = Buffer.from("the key of the benchmarks");
const coupling = createCoupling({
  client,
  clock,
  random: Math.random,
  log,
  metrics,
  fingerprintKey,
  instance: "bench",
});

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ ...counts, cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 });
});
process.send?.("ready");
const stopping = new AbortController();
process.on("disconnect", () => stopping.abort(new Error("the benchmark is over")));
await runControllers({ controllers: coupling.controllers, clock, log, graceMs: 0 }, stopping.signal).catch(() => {});
await coupling.flush(AbortSignal.timeout(5_000));
coupling[Symbol.dispose]();
await transport[Symbol.asyncDispose]();

/** Watches are not counted, because every operator has them. */
function counted(inner: Transport): Transport {
  return {
    cluster: inner.cluster,
    send: (request, signal) => {
      if (request.path.includes("/events")) counts.events++;
      else if (request.method === "GET") counts.reads++;
      else counts.writes++;
      return inner.send(request, signal);
    },
    open: (request, signal) => inner.open(request, signal),
    impersonate: (identity) => counted(inner.impersonate(identity)),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}
