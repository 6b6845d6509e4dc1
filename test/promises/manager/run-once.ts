import { join } from "node:path";
import { createLogger, systemClock } from "#base";
import { openQueryableSource } from "#bundle";
import { manageIntegrations, stateFile } from "#integrations";
import { loadChart } from "#template";

/** One run of the manager in a process of its own: `run-once.ts DATA STATE CLUSTER...`; each cluster is the context of its name. */
const [, , data = "", state = "", ...clusters] = process.argv;
const chart = loadChart(join(import.meta.dirname, "..", "..", "..", "charts", "integrations"));
const isSuccess = await manageIntegrations(
  {
    source: openQueryableSource(data),
    desire: () => ({ chart, processEnv: {}, resolveRef: async () => "0".repeat(40) }),
    clusters: { reaches: new Map(clusters.map((name) => [name, { context: name }])) },
    memory: stateFile(state),
    isRunOnce: true,
    intervalMs: 600_000,
    retryMs: 10_000,
    clock: systemClock,
    random: Math.random,
    log: createLogger({ level: "error" }),
  },
  new AbortController().signal,
);
process.exitCode = isSuccess ? 0 : 1;
