import { createLogger, createMetrics, systemClock as clock } from "#base";
import { connect, createClient, loadAccess } from "#kube";
import { createIntake, createPromotionSources, createTesting } from "#promotion";
import { runControllers } from "#runtime";
import { CountedOperator } from "./counted-operator.ts";

/** The parts `builds` and `tests` of promote in a process of their own, which says over IPC what it has cost so far. */
const [kubeconfig = ""] = process.argv.slice(2);
const log = createLogger({ level: "error" });
const transport = connect(await loadAccess({ kubeconfig }));
const operator = new CountedOperator();
const client = createClient(operator.count(transport));
const shared = { client, clock, random: Math.random, log, metrics: createMetrics() };
const sources = createPromotionSources(shared, ["builds", "tests"]);
const controllers = [...createIntake({ ...shared, sources }), ...createTesting({ ...shared, sources })];
await runControllers({ controllers, clock, log, graceMs: 0 }, operator.stopping).catch(() => {});
await transport[Symbol.asyncDispose]();
