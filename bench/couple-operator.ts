import { createLogger, createMetrics, systemClock as clock } from "#base";
import { createCoupling, defaultApparatusSettings } from "#coupling";
import { connect, createClient, loadAccess } from "#kube";
import { runControllers } from "#runtime";
import { CountedOperator } from "./counted-operator.ts";

/** An operator in a process of its own, which says over IPC what it has cost so far. */
const [kubeconfig = "", apparatus] = process.argv.slice(2);
const log = createLogger({ level: "warn" });
const transport = connect(await loadAccess({ kubeconfig }));
const metrics = createMetrics();
const fingerprintKey = Buffer.from("the key of the benchmarks");
const operator = new CountedOperator();
const coupling = createCoupling({
  client: createClient(operator.count(transport)),
  clock,
  random: Math.random,
  log,
  metrics,
  fingerprintKey,
  instance: "bench",
  ...(apparatus === undefined
    ? {}
    : { apparatusSettings: { ...defaultApparatusSettings, debugEndpoints: { socket: apparatus } } }),
});
await runControllers({ controllers: coupling.controllers, clock, log, graceMs: 0 }, operator.stopping).catch(() => {});
await coupling.flush(AbortSignal.timeout(5_000));
coupling[Symbol.dispose]();
await transport[Symbol.asyncDispose]();
