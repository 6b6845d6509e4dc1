import { describe, expect, test } from "vitest";
import { createMetrics, InputError, silentLogger } from "#base";
import { LeadershipLostError } from "#kube";
import { Health } from "#runtime";
import { loadChart } from "#template";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { manageIntegrations, type ManageOptions } from "./manage-integrations.ts";

const chart = loadChart(new URL("../../../charts/integrations", import.meta.url).pathname);

function failing(clock: FakeClock, more: Partial<ManageOptions> = {}): ManageOptions {
  return {
    source: {
      description: "a broken source",
      load: () => Promise.reject(new InputError("is not data", { where: "a.yml:3" })),
    },
    desire: () => ({ chart, processEnv: {}, resolveRef: async () => "" }),
    clusters: {},
    intervalMs: 600_000,
    retryMs: 10_000,
    clock,
    random: () => 0,
    log: silentLogger,
    ...more,
  };
}

describe("a manager whose runs fail", () => {
  test("E-11: a manager whose run failed tries again after SLEEP_ON_ERROR, then after twice as long, up to the interval", async () => {
    const clock = new FakeClock();
    const end = new AbortController();
    const times: number[] = [];
    const onRun = (): void => void times.push(clock.monotonic() / 1000);
    const managing = manageIntegrations(failing(clock, { onRun }), end.signal);
    await clock.advance(3_000_000);
    end.abort();
    expect(await managing).toBe(false);
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(waits.slice(0, 8)).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test("E-12: a failed run shows in the metrics and in the health checks", async () => {
    const clock = new FakeClock();
    const metrics = createMetrics();
    const health = new Health(clock);
    const env = { SHARDS: "3", SHARD_ID: "2" };
    expect(
      await manageIntegrations(failing(clock, { isRunOnce: true, metrics, health, env }), new AbortController().signal),
    ).toBe(false);
    const { body } = await metrics.expose();
    const labels = 'integration="integrations-manager",shards="3",shard_id="2-3"';
    expect(body).toContain(`qontract_reconcile_last_run_status{${labels}} 1`);
    expect(body).toContain(`qontract_reconcile_execution_counter_total{${labels}} 1`);
    expect(health.report("readyz").checks[0]?.message).toContain("a.yml:3: is not data");
    expect(health.report("healthz").isGood).toBe(true);
  });
});

describe("a manager among several", () => {
  test("does nothing before it leads, and ends when it no longer does", async () => {
    const clock = new FakeClock();
    const lost = new LeadershipLostError("the lease is lost");
    const runs: string[] = [];
    const lead = Promise.withResolvers<void>();
    const leading = new AbortController();
    const election: ManageOptions["election"] = {
      async run(onLead) {
        await lead.promise;
        await onLead(leading.signal);
        throw lost;
      },
    };
    const onRun: ManageOptions["onRun"] = ({ why }) => void runs.push(why);
    const managing = manageIntegrations(failing(clock, { election, onRun }), new AbortController().signal);
    await clock.advance(100_000);
    expect(runs).toEqual([]);
    lead.resolve();
    await clock.advance(0);
    expect(runs).toEqual(["data"]);
    leading.abort(lost);
    await expect(managing).rejects.toThrow("the lease is lost");
    expect(clock.pending).toBe(0);
  });
});
