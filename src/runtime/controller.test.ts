import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLogger, createMetrics, InputError } from "#base";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { type ControllerOptions, type ControllerRun, createController } from "./controller.ts";
import { fakeObject, FakeReflector } from "./fake-reflector.fixture.ts";
import { done, requeueAfter, type Result, TerminalError } from "./result.ts";
import { runtimeMetrics } from "./runtime-metrics.ts";
import { type ControllerSource, mapToOwners, mapToReferrers } from "./controller-source.ts";

type Outcome = Result | Error | Promise<Result>;

interface Start {
  readonly key: string;
  readonly at: number;
}

/** A controller over made-up sources; `outcomes` says how the reconciles of a key end, the last one again and again. */
function openWorld(
  options: Partial<ControllerOptions> & { outcomes?: Record<string, Outcome[]>; run?: Partial<ControllerRun> } = {},
) {
  const { outcomes = {}, run = {}, ...rest } = options;
  const clock = new FakeClock();
  const reflector = new FakeReflector();
  const metrics = createMetrics();
  const lines: string[] = [];
  const starts: Start[] = [];
  const signals = new Map<string, AbortSignal>();
  const stop = new AbortController();
  const kill = new AbortController();
  const controller = createController({
    name: "plugs",
    sources: [{ reflector }],
    clock,
    random: () => 0,
    log: createLogger({ destination: { write: (line) => lines.push(line) }, clock }),
    metrics,
    async reconcile(key, signal) {
      starts.push({ key, at: clock.monotonic() });
      signals.set(key, signal);
      const left = outcomes[key] ?? [];
      const outcome = left.length > 1 ? left.shift() : left[0];
      if (outcome instanceof Error) throw outcome;
      return (await outcome) ?? done;
    },
    ...rest,
  });
  const running = controller.run({ stop: stop.signal, kill: kill.signal, ...run });
  onTestFinished(async () => {
    stop.abort();
    kill.abort();
    await running;
  });
  return {
    clock,
    reflector,
    controller,
    starts,
    signals,
    stop,
    kill,
    running,
    lines,
    keys: () => starts.map(({ key }) => key),
    sample: async (name: string) => {
      const { body } = await runtimeMetrics(metrics).expose();
      return body.split("\n").filter((line) => line.startsWith(name) && !line.includes("_bucket"));
    },
  };
}

function openMapped(keysOf: NonNullable<ControllerSource["keysOf"]>) {
  const mapped = new FakeReflector();
  const world = openWorld({ sources: [{ reflector: mapped, keysOf }] });
  mapped.sync();
  return { ...world, mapped };
}

const a = fakeObject("a");

describe("createController", () => {
  it("waits for all its sources before the first reconcile", async () => {
    const late = new FakeReflector();
    const first = new FakeReflector();
    const { clock, keys } = openWorld({ sources: [{ reflector: first }, { reflector: late }] });
    first.put(a);
    first.sync();
    await clock.advance(60_000);
    expect(keys()).toEqual([]);
    late.sync();
    await setImmediate();
    expect(keys()).toEqual(["shop/a"]);
  });

  it("reconciles objects that existed before it started, after live changes", async () => {
    const reflector = new FakeReflector();
    reflector.put(a);
    reflector.put(fakeObject("b"));
    reflector.sync();
    const { keys } = openWorld({ sources: [{ reflector }] });
    reflector.put(fakeObject("c"));
    await setImmediate();
    expect(keys()).toEqual(["shop/c", "shop/a", "shop/b"]);
  });

  it("reconciles live changes before objects of the first list", async () => {
    const { reflector, keys } = openWorld();
    reflector.put(a);
    reflector.put(fakeObject("b"));
    reflector.sync();
    reflector.put(fakeObject("c"));
    await setImmediate();
    expect(keys()).toEqual(["shop/c", "shop/a", "shop/b"]);
  });

  it("reconciles a key again when its object changes and when it is deleted", async () => {
    const { reflector, keys } = openWorld();
    reflector.sync();
    reflector.put(a);
    await setImmediate();
    reflector.put(a);
    await setImmediate();
    reflector.delete("shop/a");
    await setImmediate();
    expect(keys()).toEqual(["shop/a", "shop/a", "shop/a"]);
  });

  it("runs as many keys at once as it may, and no key twice at once", async () => {
    const held = Promise.withResolvers<Result>();
    const { reflector, keys } = openWorld({
      concurrency: 2,
      outcomes: { "shop/a": [held.promise], "shop/b": [held.promise], "shop/c": [held.promise] },
    });
    reflector.sync();
    for (const name of ["a", "b", "c"]) reflector.put(fakeObject(name));
    await setImmediate();
    reflector.put(a);
    await setImmediate();
    expect(keys()).toEqual(["shop/a", "shop/b"]);
    held.resolve(done);
    await setImmediate();
    expect(keys()).toEqual(["shop/a", "shop/b", "shop/c", "shop/a"]);
  });

  it("tries again after a failure, later each time, until it succeeds", async () => {
    const odd = new Error("odd");
    const { reflector, clock, starts, sample, lines } = openWorld({
      backoff: { baseMs: 100, capMs: 10_000 },
      outcomes: { "shop/a": [odd, odd, odd, done, odd, done] },
    });
    reflector.sync();
    reflector.put(a);
    await clock.advance(10_000);
    expect(starts.map(({ at }) => at)).toEqual([0, 100, 300, 700]);
    reflector.put(a);
    await clock.advance(10_000);
    expect(starts.slice(4).map(({ at }) => at - 10_000)).toEqual([0, 100]);
    expect(await sample("controller_runtime_reconcile_errors_total")).toEqual([
      'controller_runtime_reconcile_errors_total{controller="plugs"} 4',
    ]);
    expect(lines.filter((line) => line.includes("retrying"))).toHaveLength(4);
  });

  it("reconciles again after the requested delay, or earlier when something changes", async () => {
    const { reflector, clock, starts } = openWorld({ outcomes: { "shop/a": [requeueAfter(1_000), done] } });
    reflector.sync();
    reflector.put(a);
    await clock.advance(400);
    reflector.put(a);
    await clock.advance(5_000);
    expect(starts.map(({ at }) => at)).toEqual([0, 400]);
  });

  it.each([
    { error: new InputError("no such chart"), reason: "an InputError" },
    { error: new TerminalError("no such chart"), reason: "a TerminalError" },
  ])("does not retry after $reason until something changes, and logs it", async ({ error }) => {
    const { reflector, clock, keys, sample, lines } = openWorld({ outcomes: { "shop/a": [error, done] } });
    reflector.sync();
    reflector.put(a);
    await clock.advance(60 * 60_000);
    expect(keys()).toEqual(["shop/a"]);
    expect(lines.filter((line) => line.includes("no retry until something changes"))).toHaveLength(1);
    expect(await sample("controller_runtime_terminal_reconcile_errors_total")).toEqual([
      'controller_runtime_terminal_reconcile_errors_total{controller="plugs"} 1',
    ]);
    reflector.put(a);
    await setImmediate();
    expect(keys()).toEqual(["shop/a", "shop/a"]);
  });

  it("reconciles each key again after the resync time, give or take a tenth, while the object exists", async () => {
    const chances = [0, 0.999];
    const { reflector, clock, starts } = openWorld({
      resyncMs: 1_000,
      random: () => chances.shift() ?? 0.5,
    });
    reflector.sync();
    reflector.put(a);
    await clock.advance(3_100);
    expect(starts.map(({ at }) => Math.round(at))).toEqual([0, 900, 2_000, 3_000]);
    reflector.delete("shop/a");
    await clock.advance(10_000);
    expect(starts).toHaveLength(5);
  });

  it("reconciles live changes before a resync", async () => {
    const held = Promise.withResolvers<Result>();
    const { reflector, clock, keys } = openWorld({
      resyncMs: 1_000,
      random: () => 0.5,
      outcomes: { "shop/busy": [held.promise] },
    });
    reflector.sync();
    for (const name of ["a", "b"]) reflector.put(fakeObject(name));
    await clock.advance(500);
    reflector.put(fakeObject("busy"));
    await clock.advance(600);
    reflector.put(fakeObject("c"));
    held.resolve(done);
    await setImmediate();
    expect(keys()).toEqual(["shop/a", "shop/b", "shop/busy", "shop/c", "shop/a", "shop/b"]);
  });

  it("aborts a reconcile that takes too long, and tries again", async () => {
    const started: string[] = [];
    const { reflector, clock, lines } = openWorld({
      timeoutMs: 1_000,
      async reconcile(key, signal) {
        started.push(key);
        await clock.sleep(60_000, signal);
        return done;
      },
    });
    reflector.sync();
    reflector.put(a);
    await clock.advance(1_010);
    expect(started).toEqual(["shop/a", "shop/a"]);
    expect(lines.join("")).toContain("the reconcile of shop/a by plugs took longer than 1 s");
  });

  it("reports a reconcile that ignores its signal: which key, and since when", async () => {
    const held = Promise.withResolvers<Result>();
    const { reflector, clock, controller } = openWorld({ timeoutMs: 1_000, outcomes: { "shop/a": [held.promise] } });
    const check = controller.checks.find(({ probe }) => probe === "healthz");
    reflector.sync();
    const since = clock.now();
    reflector.put(a);
    await clock.advance(31_000);
    expect(check?.examine()).toMatchObject({ isGood: true });
    await clock.advance(1_000);
    expect(check?.examine()).toEqual({
      isGood: false,
      message: "still running after the abort: shop/a for 32 s",
      since,
    });
    held.resolve(done);
    await setImmediate();
    expect(check?.examine()).toEqual({ isGood: true, message: "0 running" });
  });

  it("is not ready before its sources are, and says why", () => {
    const { reflector, controller } = openWorld();
    const check = controller.checks.find(({ probe }) => probe === "readyz");
    reflector.problem = "cannot watch Plug: 403";
    expect(check?.examine()).toEqual({
      isGood: false,
      message: "1 of 1 have not synced yet; cannot watch Plug: 403",
    });
    reflector.sync();
    expect(check?.examine()).toEqual({ isGood: true, message: "1 synced" });
  });

  it("starts no reconcile while mayStart says no, and loses no key", async () => {
    let isLeader = false;
    const { reflector, clock, keys } = openWorld({ run: { mayStart: () => isLeader } });
    reflector.sync();
    reflector.put(a);
    reflector.put(fakeObject("b"));
    await clock.advance(10_000);
    expect(keys()).toEqual([]);
    isLeader = true;
    await clock.advance(1_000);
    expect(keys().toSorted()).toEqual(["shop/a", "shop/b"]);
  });

  it("stops: takes no new key, waits for running reconciles, aborts them when killed, and leaves nothing behind", async () => {
    const held = Promise.withResolvers<Result>();
    const { reflector, clock, keys, signals, stop, kill, running, controller } = openWorld({
      outcomes: { "shop/a": [held.promise] },
      resyncMs: 1_000,
    });
    reflector.sync();
    reflector.put(a);
    reflector.put(fakeObject("b"));
    await setImmediate();
    stop.abort();
    reflector.put(fakeObject("c"));
    await clock.advance(5_000);
    expect(keys()).toEqual(["shop/a"]);
    expect(controller.running()).toEqual(["shop/a"]);
    expect(signals.get("shop/a")?.aborted).toBe(false);
    kill.abort(new Error("enough"));
    expect(signals.get("shop/a")?.reason).toEqual(new Error("enough"));
    held.resolve(done);
    await running;
    expect(keys()).toEqual(["shop/a"]);
    expect(reflector.subscribers).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("does not start a key that the queue hands out in the moment of the stop", async () => {
    const { reflector, keys, stop, running } = openWorld();
    reflector.sync();
    await setImmediate();
    reflector.put(a);
    stop.abort();
    await running;
    expect(keys()).toEqual([]);
  });

  it("removes its listener on the kill signal when a reconcile ends", async () => {
    const { reflector, keys, kill } = openWorld();
    reflector.sync();
    for (const name of ["a", "b", "c"]) reflector.put(fakeObject(name));
    await setImmediate();
    expect(keys()).toHaveLength(3);
    expect(getEventListeners(kill.signal, "abort")).toEqual([]);
  });

  it("stops while it waits for its sources", async () => {
    const { stop, running, reflector } = openWorld();
    stop.abort();
    await running;
    expect(reflector.subscribers).toBe(0);
  });

  it("measures under controller-runtime's names", async () => {
    const { reflector, clock, sample } = openWorld({
      concurrency: 3,
      async reconcile(key, signal) {
        await clock.sleep(2_000, signal);
        return key === "shop/b" ? requeueAfter(60_000) : done;
      },
    });
    reflector.sync();
    reflector.put(a);
    reflector.put(fakeObject("b"));
    await clock.advance(1_000);
    expect(await sample("controller_runtime_active_workers")).toEqual([
      'controller_runtime_active_workers{controller="plugs"} 2',
    ]);
    await clock.advance(1_000);
    expect(await sample("controller_runtime_")).toEqual([
      'controller_runtime_reconcile_total{controller="plugs",result="success"} 1',
      'controller_runtime_reconcile_total{controller="plugs",result="requeue_after"} 1',
      'controller_runtime_reconcile_time_seconds_sum{controller="plugs"} 4',
      'controller_runtime_reconcile_time_seconds_count{controller="plugs"} 2',
      'controller_runtime_active_workers{controller="plugs"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="plugs"} 3',
    ]);
  });
});

describe("the keys of a change", () => {
  const owner = { apiVersion: "integration.rock8s.com/v1beta1", kind: "Plug", uid: "1" };

  it.each([
    {
      reason: "an owner of the kind, in the object's namespace",
      owners: [{ ...owner, name: "p" }],
      keys: ["shop/p"],
    },
    {
      reason: "whatever version the reference names",
      owners: [{ ...owner, apiVersion: "integration.rock8s.com/v1", name: "p" }],
      keys: ["shop/p"],
    },
    { reason: "no owner of another kind", owners: [{ ...owner, kind: "Socket", name: "p" }], keys: [] },
    { reason: "no owner of another group", owners: [{ ...owner, apiVersion: "apps/v1", name: "p" }], keys: [] },
    {
      reason: "several owners",
      owners: [
        { ...owner, name: "p" },
        { ...owner, name: "q" },
      ],
      keys: ["shop/p", "shop/q"],
    },
  ])("mapToOwners: $reason", async ({ owners, keys }) => {
    expect([...mapToOwners(owner)(fakeObject("a", { ownerReferences: owners }))]).toEqual(keys);
  });

  it("mapToOwners: an owner without a namespace", () => {
    const object = fakeObject("a", { ownerReferences: [{ ...owner, name: "p" }] });
    expect([...mapToOwners({ ...owner, isClusterScoped: true })(object)]).toEqual(["p"]);
  });

  it("mapToReferrers: the objects that an index lists under the object's key", () => {
    const referrers = new FakeReflector();
    referrers.put(fakeObject("p", { labels: { secret: "shop/a" } }));
    referrers.put(fakeObject("q", { labels: { secret: "shop/b" } }));
    expect([...mapToReferrers(referrers.store, "secret")(a)]).toEqual(["shop/p"]);
  });

  it("include those from before the change, so that a former owner is reconciled too", async () => {
    const { mapped, keys } = openMapped(mapToOwners(owner));
    mapped.put(fakeObject("a", { ownerReferences: [{ ...owner, name: "p" }] }));
    await setImmediate();
    mapped.put(fakeObject("a", { ownerReferences: [{ ...owner, name: "q" }] }));
    await setImmediate();
    mapped.delete("shop/a");
    await setImmediate();
    expect(keys()).toEqual(["shop/p", "shop/q", "shop/p", "shop/q"]);
  });

  it("an error of the mapping is logged and counted, and affects no other change", async () => {
    const { mapped, keys, lines, sample } = openMapped((object) => {
      if (object.metadata.name === "bad") throw new Error("odd labels");
      return [object.metadata.name];
    });
    mapped.put(fakeObject("bad"));
    mapped.put(fakeObject("good"));
    await setImmediate();
    expect(keys()).toEqual(["good"]);
    expect(lines.join("")).toContain("odd labels");
    expect(await sample("tenon_controller_mapping_errors_total")).toEqual([
      'tenon_controller_mapping_errors_total{controller="plugs"} 1',
    ]);
  });
});
