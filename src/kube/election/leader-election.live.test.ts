import { setImmediate } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createLogger, createMetrics } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { createClient } from "../client/client.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { createLeaderElection, type LeaderElectionOptions, LeadershipLostError } from "./leader-election.ts";
import { readLease } from "./lease.ts";
import { connect } from "../transport/transport.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
afterAll(() => transport[Symbol.asyncDispose]());
const client = createClient(transport);

const year = 365 * 24 * 60 * 60_000;

type ElectionClient = LeaderElectionOptions["client"];

interface CandidateOptions extends Partial<LeaderElectionOptions> {
  readonly clock?: FakeClock;
  readonly work?: (signal: AbortSignal) => Promise<void>;
}

/** The API server for one candidate: tells when it has answered, and when cut off it never does. */
function openWire() {
  const calls = new Set<Promise<unknown>>();
  const wire = { isCut: false };

  function call<Result>(send: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    if (wire.isCut) {
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    }
    const answer = send();
    const over = answer.catch(() => {}).finally(() => calls.delete(over));
    calls.add(over);
    return answer;
  }

  async function settled(): Promise<void> {
    await setImmediate();
    while (calls.size > 0) {
      await Promise.all(calls);
      await setImmediate();
    }
  }

  const answering: ElectionClient = {
    find: (target, signal) => call(() => client.find(target, signal), signal),
    create: (object, options, signal) => call(() => client.create(object, options, signal), signal),
    replace: (object, options, signal) => call(() => client.replace(object, options, signal), signal),
  };
  return Object.assign(wire, { client: answering, settled });
}

/** Time stands still for a candidate unless the test moves it; the API server is real. */
function stand(lease: string, identity: string, { work, clock = new FakeClock(), ...options }: CandidateOptions = {}) {
  const lines: string[] = [];
  const metrics = createMetrics();
  const wire = openWire();
  const election = createLeaderElection({
    client: wire.client,
    namespace,
    name: lease,
    identity,
    clock,
    random: () => 0,
    log: createLogger({ destination: { write: (line) => lines.push(line) }, clock }),
    metrics,
    ...options,
  });
  const stop = new AbortController();
  const leading = Promise.withResolvers<AbortSignal>();
  const outcome = election
    .run(async (signal) => {
      leading.resolve(signal);
      await (work ?? aborted)(signal);
    }, stop.signal)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  onTestFinished(async () => {
    stop.abort();
    await outcome;
  });
  return {
    election,
    clock,
    wire,
    stop,
    leading: leading.promise,
    outcome,
    lines,
    isLeading: async () => (await metrics.expose()).body.includes(`leader_election_master_status{name="${lease}"} 1`),
    /** Lets so much time pass, a retry period at a time, and gives each request the time it needs. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 2_000) {
        await clock.advance(Math.min(2_000, ms - passed));
        await wire.settled();
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve());
  });
}

function ref(name: string) {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace, name };
}

async function record(name: string) {
  return readLease(await client.get(ref(name)));
}

describe("who leads", () => {
  test("the first candidate leads, with a Lease in client-go's format", async () => {
    const a = stand("first", "a");
    await a.leading;
    const { spec } = await client.get(ref("first"));
    const now = "2026-01-01T00:00:00.000000Z";
    expect(spec).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    });
    expect(a.election.isLeader()).toBe(true);
    expect(a.election.state).toEqual({ kind: "leader", since: a.clock.now() });
    expect(await a.isLeading()).toBe(true);
  });

  test("the second candidate stands by and knows the leader", async () => {
    const a = stand("second", "a");
    await a.leading;
    const b = stand("second", "b");
    await b.wire.settled();
    expect(b.election.state).toEqual({ kind: "standby", since: b.clock.now(), holder: "a" });
    for (let passed = 0; passed < 30_000; passed += 10_000) {
      await a.pass(10_000);
      await b.pass(10_000);
    }
    expect(b.election.isLeader(), "a renews").toBe(false);
    expect(await b.isLeading()).toBe(false);
  });

  test("one of several concurrent candidates leads", async () => {
    const candidates = ["a", "b", "c", "d", "e"].map((identity) => stand("rush", identity));
    await Promise.all(candidates.map(({ wire }) => wire.settled()));
    await Promise.all(candidates.map(({ pass }) => pass(4_000)));
    expect(candidates.filter(({ election }) => election.isLeader())).toHaveLength(1);
  });

  test("a leader renews and keeps its acquireTime", async () => {
    const a = stand("renewals", "a");
    await a.leading;
    await a.pass(20_000);
    expect(a.election.isLeader()).toBe(true);
    expect(await record("renewals")).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:20.000000Z",
      transitions: 0,
    });
  });

  test("a leader creates its Lease again after a deletion", async () => {
    const a = stand("deleted", "a");
    await a.leading;
    await client.delete(ref("deleted"));
    await a.pass(2_000);
    expect(await record("deleted")).toMatchObject({ holder: "a" });
    expect(a.election.isLeader()).toBe(true);
  });

  test("a leader renews a Lease that was changed by others", async () => {
    const a = stand("labelled", "a");
    await a.leading;
    await client.patch(ref("labelled"), { type: "merge", body: { metadata: { labels: { team: "x" } } } });
    await a.pass(4_000);
    expect(a.election.isLeader()).toBe(true);
    expect(await client.get(ref("labelled"))).toMatchObject({ metadata: { labels: { team: "x" } } });
  });
});

describe("taking over", () => {
  test("a standby takes over when the record has not changed for its duration by its own clock, not before", async () => {
    const a = stand("expiry", "a");
    await a.leading;
    const b = stand("expiry", "b");
    await b.wire.settled();
    expect(b.election.state).toMatchObject({ holder: "a" });
    await b.pass(14_000);
    expect(b.election.isLeader()).toBe(false);
    await b.pass(2_000);
    expect(b.election.isLeader()).toBe(true);
    expect(await record("expiry")).toMatchObject({ holder: "b", transitions: 1 });
  });

  test.each([
    { reason: "is a year ahead", epoch: Date.UTC(2026, 0, 1) + year },
    { reason: "is a year behind", epoch: Date.UTC(2026, 0, 1) - year },
  ])("a takeover does not depend on equal clocks: the standby's clock $reason", async ({ epoch, reason }) => {
    const lease = `skew-${reason.replaceAll(" ", "-")}`;
    const a = stand(lease, "a");
    await a.leading;
    const b = stand(lease, "b", { clock: new FakeClock(epoch) });
    await b.wire.settled();
    expect(b.election.state).toMatchObject({ holder: "a" });
    for (let passed = 0; passed < 40_000; passed += 2_000) {
      await a.pass(2_000);
      await b.pass(2_000);
    }
    expect(b.election.isLeader()).toBe(false);
    await b.pass(18_000);
    expect(b.election.isLeader()).toBe(true);
  });

  test("a standby takes over at once when the leader has released the lease", async () => {
    const a = stand("release", "a");
    const signal = await a.leading;
    const b = stand("release", "b");
    await b.wire.settled();
    expect(b.election.state).toMatchObject({ holder: "a" });
    a.stop.abort("enough");
    expect(signal.reason).toBe("enough");
    expect(await a.outcome).toBeUndefined();
    expect(a.election.state.kind).toBe("stopped");
    expect(a.election.isLeader()).toBe(false);
    expect(await record("release")).toMatchObject({ holder: "", durationMs: 1_000 });
    await b.pass(2_000);
    expect(b.election.isLeader()).toBe(true);
  });

  test("a leader does not release the lease while its work may still run", async () => {
    const stuck = new Error("one reconcile does not end");
    const a = stand("stuck", "a", { work: () => Promise.reject(stuck) });
    expect(await a.outcome).toBe(stuck);
    expect(await record("stuck")).toMatchObject({ holder: "a" });
    expect(a.election.isLeader()).toBe(false);
  });
});

describe("a leader that stops", () => {
  test("a stopping leader renews until its work has ended", async () => {
    const working = Promise.withResolvers<void>();
    onTestFinished(() => working.resolve());
    const a = stand("last-work", "a", { work: () => working.promise });
    await a.leading;
    a.stop.abort();
    await a.pass(20_000);
    expect(await record("last-work")).toMatchObject({ holder: "a", renewTime: "2026-01-01T00:00:20.000000Z" });
    working.resolve();
    await a.outcome;
    expect(await record("last-work")).toMatchObject({ holder: "" });
    expect(a.clock.pending).toBe(0);
  });
});

describe("a leader that cannot renew", () => {
  test("a leader that cannot renew aborts its work at the deadline, before another can lead", async () => {
    const a = stand("cut-off", "a");
    const signal = await a.leading;
    a.wire.isCut = true;
    await a.pass(9_900);
    expect(signal.aborted).toBe(false);
    expect(a.election.isLeader()).toBe(true);
    await a.pass(100);
    expect(a.election.isLeader()).toBe(false);
    expect(signal.reason).toBeInstanceOf(LeadershipLostError);
    expect(await a.outcome).toBeInstanceOf(LeadershipLostError);
    expect(a.election.state).toMatchObject({ kind: "lost", why: "it was not renewed for 10 s" });
    expect(await a.isLeading()).toBe(false);
  });

  test("a leader survives a pause shorter than the deadline", async () => {
    const a = stand("short-cut", "a");
    await a.leading;
    a.wire.isCut = true;
    await a.pass(6_000);
    a.wire.isCut = false;
    await a.pass(6_000);
    expect(a.election.isLeader()).toBe(true);
  });

  test("isLeader is false when a suspended leader resumes, before any timer fires", async () => {
    const a = stand("asleep", "a");
    await a.leading;
    let awake = a.clock.monotonic();
    vi.spyOn(a.clock, "monotonic").mockImplementation(() => awake);
    awake += 10_000;
    expect(a.election.isLeader()).toBe(false);
  });

  test("isLeader is false after a sleep of the machine, which stops the monotonic clock", async () => {
    const a = stand("suspended", "a");
    await a.leading;
    const woken = a.clock.now() + 60_000;
    vi.spyOn(a.clock, "now").mockImplementation(() => woken);
    expect(a.election.isLeader()).toBe(false);
    await a.pass(2_000);
    expect(a.election.isLeader(), "no other process took over meanwhile, and it could renew").toBe(true);
  });

  test("a leader loses the lease at once when it finds another holder", async () => {
    const a = stand("overtaken", "a");
    const signal = await a.leading;
    await client.patch(ref("overtaken"), { type: "merge", body: { spec: { holderIdentity: "b" } } });
    await a.pass(2_000);
    expect(signal.reason).toBeInstanceOf(LeadershipLostError);
    expect(await a.outcome).toMatchObject({
      message: `the lease ${namespace}/overtaken is lost: it is held by b`,
    });
    expect(await record("overtaken"), "what the other wrote stays").toMatchObject({ holder: "b" });
  });
});

describe("a standby", () => {
  test("a standby logs once why it cannot lead, and retries", async () => {
    const a = stand("lost-namespace", "a", { namespace: "no-such-namespace" });
    await a.wire.settled();
    expect(a.election.state).toMatchObject({ kind: "standby", problem: expect.stringContaining("not found") });
    await a.pass(20_000);
    expect(a.lines.filter((line) => line.includes("cannot read or take the lease"))).toHaveLength(1);
  });

  test("an aborted standby stops and leaves no timer", async () => {
    const a = stand("quiet", "a");
    await a.leading;
    const b = stand("quiet", "b");
    await b.wire.settled();
    expect(b.election.state).toMatchObject({ holder: "a" });
    b.stop.abort();
    expect(await b.outcome).toBeUndefined();
    expect(b.clock.pending).toBe(0);
    expect(await record("quiet")).toMatchObject({ holder: "a" });
  });
});

test.each([
  { reason: "a deadline after the lease", times: { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 } },
  { reason: "hardly a second try before the deadline", times: { renewDeadlineMs: 2_000, retryPeriodMs: 1_900 } },
  { reason: "a lease that its record cannot tell", times: { leaseDurationMs: 15_500 } },
])("refuses $reason", ({ times }) => {
  expect(() => stand("refused", "a", times)).toThrow(RangeError);
});
