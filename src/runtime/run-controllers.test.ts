import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { silentLogger } from "#base";
import { LeadershipLostError } from "#kube";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { type Controller, createController } from "./controller.ts";
import { fakeObject, FakeReflector } from "./fake-reflector.fixture.ts";
import { done, type Result } from "./result.ts";
import { runControllers, type RunControllersOptions } from "./run-controllers.ts";

type Election = NonNullable<RunControllersOptions["election"]>;

/** Two controllers over one source; each reconcile goes on until the test ends it or its signal is aborted. */
function openWorld(options: Partial<RunControllersOptions> & { heedsSignal?: boolean; others?: Controller[] } = {}) {
  const { heedsSignal = true, others = [], ...rest } = options;
  const clock = new FakeClock();
  const reflector = new FakeReflector();
  const happened: string[] = [];
  const ends = new Map<string, () => void>();
  const signal = new AbortController();
  let watches = 0;
  const sources = [
    {
      reflector: Object.assign(reflector, {
        async run(until: AbortSignal) {
          watches++;
          await new Promise((resolve) => {
            until.addEventListener("abort", resolve);
          });
          happened.push("stopped watching");
        },
      }),
    },
  ];
  const controllers = ["one", "two"].map((name) =>
    createController({
      name,
      sources,
      clock,
      random: () => 0,
      log: silentLogger,
      reconcile(key, until) {
        happened.push(`${name} starts ${key}`);
        return new Promise<Result>((resolve, reject) => {
          ends.set(name, () => resolve(done));
          if (heedsSignal) until.addEventListener("abort", () => reject(until.reason));
        }).finally(() => happened.push(`${name} ends ${key}`));
      },
    }),
  );
  const outcome = runControllers(
    {
      controllers: [...controllers, ...others],
      graceMs: 10_000,
      flush: [async () => void happened.push("flushed")],
      clock,
      log: silentLogger,
      ...rest,
    },
    signal.signal,
  ).then(
    () => happened.push("returned"),
    (error: unknown) => {
      happened.push("rejected");
      return error;
    },
  );
  return { clock, reflector, happened, ends, signal, outcome, watches: () => watches };
}

function forever(): Promise<void> {
  return new Promise(() => {});
}

/** Leads when the test says so. */
function fakeElection() {
  const start = Promise.withResolvers<void>();
  const lost = new AbortController();
  const state = { isLeader: true, isReleased: false };
  const election: Election = {
    isLeader: () => state.isLeader,
    async run(onLead, signal) {
      await start.promise;
      await onLead(AbortSignal.any([signal, lost.signal]));
      if (lost.signal.aborted) throw lost.signal.reason;
      state.isReleased = true;
    },
  };
  return { election, state, lead: start.resolve, lose: () => lost.abort(new LeadershipLostError("late")) };
}

describe("runControllers", () => {
  it("watches a source once, even if several controllers use it", async () => {
    const { reflector, happened, watches, signal, outcome, clock } = openWorld();
    reflector.sync();
    reflector.put(fakeObject("a"));
    await setImmediate();
    expect(watches()).toBe(1);
    expect(happened).toEqual(["one starts shop/a", "two starts shop/a"]);
    signal.abort();
    await clock.advance(10_000);
    await outcome;
  });

  it("stops in order: no new key, running reconciles end, flush, stop watching", async () => {
    const { reflector, happened, ends, signal, outcome, clock } = openWorld();
    reflector.sync();
    reflector.put(fakeObject("a"));
    await setImmediate();
    signal.abort();
    reflector.put(fakeObject("b"));
    await clock.advance(9_000);
    ends.get("one")?.();
    ends.get("two")?.();
    await outcome;
    expect(happened.slice(2)).toEqual([
      "one ends shop/a",
      "two ends shop/a",
      "flushed",
      "stopped watching",
      "returned",
    ]);
    expect(clock.pending).toBe(0);
  });

  it("aborts reconciles that still run after the grace period, and resolves if they end", async () => {
    const { reflector, happened, signal, outcome, clock } = openWorld();
    reflector.sync();
    reflector.put(fakeObject("a"));
    await setImmediate();
    signal.abort();
    await clock.advance(9_999);
    expect(happened).toHaveLength(2);
    await clock.advance(1);
    await outcome;
    expect(happened.slice(2)).toEqual([
      "one ends shop/a",
      "two ends shop/a",
      "flushed",
      "stopped watching",
      "returned",
    ]);
  });

  it("names reconciles that do not end, and then does not release the lease", async () => {
    const { election, state, lead } = fakeElection();
    const { reflector, signal, outcome, clock } = openWorld({ heedsSignal: false, election });
    lead();
    reflector.sync();
    reflector.put(fakeObject("a"));
    await setImmediate();
    signal.abort();
    await clock.advance(15_000);
    expect(await outcome).toEqual(new Error("reconciles still running after the abort: one shop/a, two shop/a"));
    expect(state.isReleased).toBe(false);
  });

  it("watches as a standby, reconciles as the leader, and releases the lease when all has ended", async () => {
    const { election, state, lead } = fakeElection();
    const { reflector, happened, watches, ends, signal, outcome, clock } = openWorld({ election });
    reflector.sync();
    reflector.put(fakeObject("a"));
    await clock.advance(60_000);
    expect(watches()).toBe(1);
    expect(happened).toEqual([]);
    lead();
    await setImmediate();
    expect(happened).toEqual(["one starts shop/a", "two starts shop/a"]);
    signal.abort();
    await setImmediate();
    expect(state.isReleased).toBe(false);
    ends.get("one")?.();
    ends.get("two")?.();
    await outcome;
    expect(state.isReleased).toBe(true);
  });

  it("aborts at once when the lease is lost", async () => {
    const { election, lead, lose } = fakeElection();
    const { reflector, happened, outcome } = openWorld({ election });
    lead();
    reflector.sync();
    reflector.put(fakeObject("a"));
    await setImmediate();
    lose();
    expect(await outcome).toBeInstanceOf(LeadershipLostError);
    expect(happened.slice(2, 4)).toEqual(["one ends shop/a", "two ends shop/a"]);
  });

  it("starts no reconcile when the lease has run out, even before the election reports it", async () => {
    const { election, state, lead, lose } = fakeElection();
    const { reflector, happened, outcome, clock } = openWorld({ election });
    lead();
    reflector.sync();
    await setImmediate();
    state.isLeader = false;
    reflector.put(fakeObject("a"));
    await clock.advance(5_000);
    expect(happened).toEqual([]);
    lose();
    await outcome;
    expect(happened).toEqual(["flushed", "stopped watching", "rejected"]);
  });

  it("stops all controllers when one fails, and says why", async () => {
    const failing = Promise.withResolvers<void>();
    const broken = { name: "broken", sources: [], checks: [], running: () => [], run: () => failing.promise };
    const { clock, reflector, happened, outcome } = openWorld({ others: [broken] });
    reflector.sync();
    reflector.put(fakeObject("a"));
    await setImmediate();
    failing.reject(new Error("odd"));
    await clock.advance(10_000);
    expect(await outcome).toEqual(new Error("odd"));
    expect(happened.slice(2, 4)).toEqual(["one ends shop/a", "two ends shop/a"]);
    expect(clock.pending).toBe(0);
  });

  it("a standby stops when the signal is aborted", async () => {
    const aborted: Election = {
      isLeader: () => false,
      run: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve());
        }),
    };
    const { happened, signal, outcome } = openWorld({ election: aborted });
    await setImmediate();
    signal.abort();
    await outcome;
    expect(happened).toEqual(["stopped watching", "returned"]);
  });

  it("ends in time even if a flush hangs", async () => {
    const { signal, outcome, happened, clock } = openWorld({ flush: [forever] });
    await setImmediate();
    signal.abort();
    await clock.advance(5_000);
    await outcome;
    expect(happened).toEqual(["stopped watching", "returned"]);
  });
});
