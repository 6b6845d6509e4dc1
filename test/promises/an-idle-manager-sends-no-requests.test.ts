import { beforeAll, expect, test } from "vitest";
import { createMetrics } from "#base";
import { never } from "#harness";
import { Health } from "#runtime";
import { FakeClock } from "../../src/base/fake-clock.fixture.ts";
import { useManagerWorld } from "./manager/manager-world.ts";
import { startManager } from "./manager/running-manager.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;

beforeAll(async () => {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: there });
  await world.data.integration("a", [{ namespace: "n1" }, { namespace: "n2" }]);
  await world.data.integration("b", [{ namespace: "n1", spec: { cron: "0 3 * * *" } }]);
});

test("G8-12: a dry run plans everything, writes nothing and remembers nothing", async () => {
  await using manager = await startManager(world, { isDryRun: true });
  const [first] = manager.runs;
  expect(first?.outcomes.map(({ kind, state }) => `${kind} ${state}`).toSorted()).toEqual([
    "CronJob planned",
    "Deployment planned",
    "Deployment planned",
    "Service planned",
    "Service planned",
  ]);
  const writes = manager.calls.filter((call) => !/ (GET|WATCH) |selfsubjectaccessreviews/.test(call));
  expect(writes).toEqual([]);
  expect(await world.memory.read(never)).toEqual([]);
});

test("for 60 s without changes, the manager sends no request to clusters, however often the source is read", async () => {
  const clock = new FakeClock();
  const metrics = createMetrics();
  const health = new Health(clock);
  await using manager = await startManager(world, { clock, metrics, health, intervalMs: 20_000, watchesData: false });
  expect(manager.calls.filter((call) => call.includes(" WATCH ")).length).toBeGreaterThan(0);
  manager.runs.length = 0;
  manager.calls.length = 0;
  for (let run = 0; run < 3; run += 1) {
    const read = manager.next();
    await clock.advance(20_000);
    await read;
  }
  expect(manager.runs).toMatchObject(
    Array.from({ length: 3 }, () => ({ why: "data", isSuccess: true, outcomes: [], waiting: [] })),
  );
  expect(manager.calls.filter((call) => !call.includes(" WATCH "))).toEqual([]);
  expect(health.report("readyz")).toMatchObject({ isGood: true });

  const { body } = await metrics.expose();
  const labels = 'integration="integrations-manager",shards="1",shard_id="0-1"';
  expect(body, "E-12: the metrics have the names of qontract-reconcile").toContain(
    `qontract_reconcile_last_run_status{${labels}} 0`,
  );
  expect(body).toContain(`qontract_reconcile_last_run_seconds{${labels}} 0`);
  expect(body).toMatch(new RegExp(`qontract_reconcile_execution_counter_total\\{${labels}\\} \\d`));
});
