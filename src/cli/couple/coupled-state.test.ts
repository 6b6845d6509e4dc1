import { describe, expect, test } from "vitest";
import { advisePlug, adviseSocket } from "./advise.ts";
import { describeAge } from "./age.ts";
import { readState } from "./coupled-state.ts";
import { describeWait } from "./get-coupled.ts";
import { coupledStatus, sampleCoupled } from "./sample-coupled.ts";

const env = { TENON_CALLED_AS: "tenon" };
const onSocket = { socket: { name: "pg", namespace: "data" } };
const failing = (isStalled: boolean) => ({
  phase: "Failed",
  lastError: {
    at: "2026-01-01T00:01:00Z",
    since: "2026-01-01T00:00:30Z",
    attempts: 3,
    retryAt: "2026-01-01T00:01:08Z",
  },
  conditions: [
    { type: "Coupled", status: "False", reason: "Error", message: "coupling failed" },
    { type: "Failed", status: "True", reason: "Error", message: "plug config property 'database' is required" },
    { type: "Stalled", status: isStalled ? "True" : "False" },
  ],
});

describe("a plug", () => {
  test.for([
    {
      status: undefined,
      state: "New",
      waits: "the operator",
      next: /run --only couple/,
      reason: "nobody has seen it",
    },
    {
      status: coupledStatus("Waiting", "SocketNotCreated"),
      state: "Waiting",
      waits: "Socket data/pg",
      next: /create the socket/,
      reason: "there is no socket",
    },
    {
      status: coupledStatus("Waiting", "LimitReached"),
      state: "Waiting",
      waits: "a place at Socket data/pg",
      next: /raise spec.limit/,
      reason: "the socket is full",
    },
    {
      status: coupledStatus("Waiting", "NamespaceNotAllowed", "namespace shop is blacklisted"),
      state: "Waiting",
      waits: "namespace shop is blacklisted",
      next: /spec.allowedPlugs/,
      reason: "the socket does not want it",
    },
    {
      status: failing(true),
      state: "Failed",
      waits: "plug config property 'database' is required",
      next: /^correct it.*couple retry shop\/db/,
      reason: "somebody must change something",
    },
    {
      status: failing(false),
      state: "Failed",
      waits: "plug config property 'database' is required",
      next: /^wait.*couple retry shop\/db/,
      reason: "it will be tried again",
    },
    {
      status: coupledStatus("Coupled", "CouplingSucceeded"),
      state: "Coupled",
      waits: undefined,
      next: /^nothing$/,
      reason: "all is well",
    },
  ])("is $state: $reason", ({ status, state, waits, next }) => {
    const read = readState(sampleCoupled("Plug", "shop/db", { spec: onSocket, ...(status && { status }) }));
    expect(read.state).toBe(state);
    expect(describeWait(read)).toBe(waits);
    expect(advisePlug(read, env) ?? "nothing").toMatch(next);
  });

  test("that fails says since when, how often, and when it is tried again", () => {
    const read = readState(sampleCoupled("Plug", "shop/db", { spec: onSocket, status: failing(false) }));
    expect(read).toMatchObject({ since: "2026-01-01T00:00:30Z", attempts: 3, retryAt: "2026-01-01T00:01:08Z" });
  });

  test("that is stuck in its deletion is told how to give up", () => {
    const metadata = { deletionTimestamp: "2026-01-02T00:00:00Z" };
    const read = readState(sampleCoupled("Plug", "shop/db", { spec: onSocket, status: failing(false), metadata }));
    expect(read.state).toBe("Deleting");
    expect(advisePlug(read, env)).toContain("tenon couple release plug/shop/db");
  });

  test("that moves says from where", () => {
    const status = {
      ...coupledStatus("Decoupling", "Decoupling"),
      pairing: { socket: { name: "old", namespace: "data" } },
    };
    const read = readState(sampleCoupled("Plug", "shop/db", { spec: onSocket, status }));
    expect(read).toMatchObject({ target: "data/pg", leaves: "data/old" });
  });

  test("in its socket's namespace need not name it", () => {
    expect(readState(sampleCoupled("Plug", "shop/db", { spec: { socket: { name: "pg" } } })).target).toBe("shop/pg");
  });

  test("that makes no sense is read all the same", () => {
    const read = readState(
      sampleCoupled("Plug", "shop/db", { status: { conditions: "none", lastError: 3, phase: 1 } }),
    );
    expect(read).toMatchObject({ state: "New", reason: undefined, target: undefined });
  });
});

describe("a socket", () => {
  test("without plugs waits for nothing", () => {
    const read = readState(sampleCoupled("Socket", "data/pg", { status: coupledStatus("Waiting", "SocketEmpty") }));
    expect(describeWait(read)).toBeUndefined();
    expect(adviseSocket(read, env)).toBeUndefined();
  });

  test("that is being deleted names its plugs and the way out", () => {
    const metadata = { deletionTimestamp: "2026-01-02T00:00:00Z" };
    const status = coupledStatus("Decoupling", "SocketDeleting", "waiting for plug shop/db");
    const read = readState(sampleCoupled("Socket", "data/pg", { status, metadata }));
    expect(describeWait(read)).toBe("waiting for plug shop/db");
    expect(adviseSocket(read, env)).toContain("tenon couple release socket/data/pg");
  });
});

test.for([
  ["2026-01-01T00:00:00Z", "10s"],
  ["2025-12-31T23:59:00Z", "1m"],
  ["2025-12-31T21:00:00Z", "3h"],
  ["2025-12-01T00:00:00Z", "31d"],
  ["2027-01-01T00:00:00Z", "0s"],
  [undefined, ""],
] as const)("the age of %s is %s", ([since, age]) => {
  expect(describeAge(since, Date.parse("2026-01-01T00:00:10Z"))).toBe(age);
});
