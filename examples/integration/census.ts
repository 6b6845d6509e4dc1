import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMetrics, systemClock } from "#base";
import { runTypedQuery, openQueryableSource, type TypedQuery } from "#bundle";
import { Health, serveHealth } from "#runtime";

/** Counts the namespaces of the data. With a volume, which `state: true` gives it, it knows what it counted the last time. */
const { DATA = ".", STATE, RUN_ONCE, SLEEP_DURATION_SECS = "300", PROMETHEUS_PORT = "9090" } = process.env;
const namespacesQuery: TypedQuery<{ all: { name: string }[] }, object> = {
  document: "{ all: namespaces_v1 { name } }",
};

const metrics = createMetrics();
const counted = metrics.gauge("census_namespaces", "Namespaces of the data.", []);
await using _ = await serveHealth({ health: new Health(systemClock), metrics, port: Number(PROMETHEUS_PORT) });
// PID 1 of a container ignores this signal unless it handles it.
process.once("SIGTERM", () => process.exit());
const { signal } = new AbortController();

for (;;) {
  const { all } = await runTypedQuery(await openQueryableSource(DATA).load(signal), namespacesQuery, {}, signal);
  counted.set(all.length);
  process.stdout.write(`${all.length} namespaces${await compareWithLast(all.length)}\n`);
  if (RUN_ONCE) break;
  await systemClock.sleep(Number(SLEEP_DURATION_SECS) * 1000, signal);
}

async function compareWithLast(count: number): Promise<string> {
  if (STATE === undefined) return "";
  const file = join(STATE, "counts");
  const before = (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  await writeFile(file, [...before, count].map((line) => `${line}\n`).join(""));
  return before.length === 0 ? ", the first count" : `, ${before.at(-1)} the last time, count ${before.length + 1}`;
}
