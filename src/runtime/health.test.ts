import { describe, expect, it, onTestFinished } from "vitest";
import { createMetrics, Secret } from "#base";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { electionChecks } from "./election-checks.ts";
import { watchEventLoop } from "./event-loop-check.ts";
import { type HealthCheck, type HealthCheckResult, Health } from "./health.ts";
import { serveHealth } from "./health-server.ts";

function check(name: string, finding: () => HealthCheckResult, probe: HealthCheck["probe"] = "healthz"): HealthCheck {
  return { name, probe, examine: finding };
}

const good: HealthCheckResult = { isGood: true, message: "fine" };
const bad: HealthCheckResult = { isGood: false, message: "broken" };

describe("Health", () => {
  it("is good when all checks of the probe pass", () => {
    const health = new Health(new FakeClock());
    health.add(
      check("one", () => good),
      check("two", () => bad, "readyz"),
    );
    expect(health.report("healthz")).toEqual({ isGood: true, checks: [{ name: "one", ...good }] });
    expect(health.report("readyz").isGood).toBe(false);
  });

  it("remembers since when a check fails, and starts over after it passed", async () => {
    const clock = new FakeClock(0);
    const health = new Health(clock);
    let finding = bad;
    health.add(check("one", () => finding));
    const since = () => health.report("healthz").checks[0]?.since;
    expect(since()).toBe("1970-01-01T00:00:00.000Z");
    await clock.advance(5_000);
    expect(since()).toBe("1970-01-01T00:00:00.000Z");
    finding = good;
    expect(since()).toBeUndefined();
    finding = bad;
    expect(since()).toBe("1970-01-01T00:00:05.000Z");
    finding = { ...bad, since: 1_000 };
    expect(since(), "a check that knows better is believed").toBe("1970-01-01T00:00:01.000Z");
  });

  it("counts a check that throws as failing, and runs the others", () => {
    const health = new Health(new FakeClock());
    health.add(
      check("one", () => {
        throw new Error("odd");
      }),
      check("two", () => good),
    );
    expect(health.report("healthz")).toMatchObject({
      isGood: false,
      checks: [{ isGood: false, message: "the check itself failed: odd" }, { isGood: true }],
    });
  });

  it("masks secrets", () => {
    const secret = new Secret("correct-horse-battery");
    const health = new Health(new FakeClock());
    health.add(check("one", () => ({ ...bad, message: `refused ${secret.reveal()}` })));
    expect(health.report("healthz").checks[0]?.message).toBe("refused ***");
  });
});

async function openServer(...checks: HealthCheck[]) {
  const health = new Health(new FakeClock(0));
  health.add(...checks);
  const metrics = createMetrics();
  metrics.counter("tenon_things_total", "Things.", []).inc();
  const server = await serveHealth({ health, metrics, host: "127.0.0.1", port: 0 });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return async (path: string, method = "GET") => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return { status: answer.status, type: answer.headers.get("content-type"), body: await answer.text() };
  };
}

describe("serveHealth", () => {
  it("answers 200 and what each check says", async () => {
    const get = await openServer(check("one", () => good));
    expect(await get("/healthz")).toEqual({
      status: 200,
      type: "text/plain; charset=utf-8",
      body: "ok\n[+] one: fine\n",
    });
    expect(await get("/readyz")).toMatchObject({ status: 200, body: "ok\n" });
  });

  it("answers 503 and names each failing check, with since when", async () => {
    const get = await openServer(
      check("one", () => good),
      check("two", () => bad),
    );
    expect(await get("/healthz")).toMatchObject({
      status: 503,
      body: "failed\n[+] one: fine\n[-] two: broken (since 1970-01-01T00:00:00.000Z)\n",
    });
  });

  it("answers JSON when asked to be verbose", async () => {
    const get = await openServer(check("two", () => bad));
    const { status, type, body } = await get("/healthz?verbose");
    expect({ status, type }).toEqual({ status: 503, type: "application/json" });
    expect(JSON.parse(body)).toEqual({
      isGood: false,
      checks: [{ name: "two", isGood: false, message: "broken", since: "1970-01-01T00:00:00.000Z" }],
    });
  });

  it("serves the metrics", async () => {
    const get = await openServer();
    expect(await get("/metrics")).toMatchObject({ status: 200, body: expect.stringContaining("tenon_things_total 1") });
  });

  it.each([
    { reason: "another path", path: "/", method: "GET", status: 404 },
    { reason: "another method", path: "/healthz", method: "POST", status: 405 },
    { reason: "a path that is not a URL", path: "//", method: "GET", status: 500 },
  ])("refuses $reason", async ({ path, method, status }) => {
    const get = await openServer();
    expect(await get(path, method)).toMatchObject({ status });
  });
});

describe("watchEventLoop", () => {
  /** Timers fire late by as long as the loop was blocked. */
  class StallingClock extends FakeClock {
    stalledMs = 0;
    override monotonic(): number {
      return super.monotonic() + this.stalledMs;
    }
    override now(): number {
      return super.now() + this.stalledMs;
    }
  }

  it("reports for a while that the event loop was blocked, for how long and since when", async () => {
    const clock = new StallingClock(0);
    using loop = watchEventLoop({ clock, limitMs: 5_000, memoryMs: 30_000 });
    await clock.advance(10_000);
    expect(loop.examine()).toMatchObject({ isGood: true });
    clock.stalledMs = 12_000;
    expect(loop.examine(), "asked before the late timer fires").toEqual({
      isGood: false,
      message: "was blocked for 11 s",
      since: 11_000,
    });
    await clock.advance(20_000);
    expect(loop.examine()).toMatchObject({ isGood: false, since: 11_000 });
    await clock.advance(11_000);
    expect(loop.examine()).toMatchObject({ isGood: true });
  });

  it("notices a block by itself, and ignores short ones", async () => {
    const clock = new StallingClock(0);
    using loop = watchEventLoop({ clock, limitMs: 5_000 });
    clock.stalledMs = 4_000;
    await clock.advance(5_000);
    expect(loop.examine()).toMatchObject({ isGood: true });
    clock.stalledMs = 14_000;
    await clock.advance(5_000);
    expect(loop.examine()).toMatchObject({ isGood: false });
  });

  it("leaves no timer behind", async () => {
    const clock = new FakeClock();
    watchEventLoop({ clock })[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
});

describe("electionChecks", () => {
  const since = 0;
  it.each([
    { state: { kind: "standby", since, holder: "b" }, live: true, ready: true, message: "standby; b leads" },
    { state: { kind: "standby", since }, live: true, ready: true, message: "standby" },
    { state: { kind: "standby", since, problem: "403" }, live: true, ready: false, message: "standby; 403" },
    { state: { kind: "leader", since }, live: true, ready: true, message: "leader since 1970-01-01T00:00:00.000Z" },
    { state: { kind: "lost", since, why: "late" }, live: false, ready: false, message: "the lease is lost: late" },
    {
      state: { kind: "lost", since: 50_000, why: "late" },
      live: true,
      ready: false,
      message: "the lease is lost: late",
    },
    { state: { kind: "stopped", since }, live: true, ready: false, message: "stopped" },
  ] as const)("$state.kind since $state.since: $message", async ({ state, live, ready, message }) => {
    const clock = new FakeClock(60_000);
    const [life, role] = electionChecks({ state, isLeader: () => true }, clock);
    expect(life?.examine().isGood).toBe(live);
    expect(role?.examine()).toMatchObject({ isGood: ready, message });
  });

  it("is not ready when it leads but could not renew in time", () => {
    const [, role] = electionChecks({ state: { kind: "leader", since }, isLeader: () => false }, new FakeClock());
    expect(role?.examine().isGood).toBe(false);
  });
});
