import { describe, expect, test } from "vitest";
import { parseYamlDocuments } from "#yaml";
import { advisePlug, adviseSocket, readCoupledState, describeWait } from "./coupled-state.ts";
import { coupledStatus, sampleCoupled } from "./sample-coupled.fixture.ts";

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
      reason: "it was never reconciled",
    },
    {
      status: coupledStatus("Waiting", "SocketNotCreated"),
      state: "Waiting",
      waits: "Socket data/pg",
      next: /create the socket/,
      reason: "its socket does not exist",
    },
    {
      status: coupledStatus(
        "Waiting",
        "SocketNotCreated",
        "waiting for socket to be created: Socket data/pg does not exist; there is one of that name in namespace db: if you mean it, set spec.socket.namespace",
      ),
      state: "Waiting",
      waits: "Socket data/pg",
      next: /correct spec.socket: there is one of that name in namespace db$/,
      reason: "its socket is in another namespace",
    },
    {
      status: coupledStatus("Waiting", "LimitReached"),
      state: "Waiting",
      waits: "a free slot on Socket data/pg",
      next: /raise spec.limit/,
      reason: "the socket is full",
    },
    {
      status: coupledStatus("Waiting", "NamespaceNotAllowed", "namespace shop is blacklisted"),
      state: "Waiting",
      waits: "namespace shop is blacklisted",
      next: /spec.allowedPlugs/,
      reason: "the socket does not allow its namespace",
    },
    {
      status: failing(true),
      state: "Failed",
      waits: "plug config property 'database' is required",
      next: /^fix the error.*couple retry shop\/db/,
      reason: "the user must change something",
    },
    {
      status: failing(false),
      state: "Failed",
      waits: "plug config property 'database' is required",
      next: /^wait.*couple retry shop\/db/,
      reason: "Tenon retries",
    },
    {
      status: coupledStatus("Coupled", "CouplingSucceeded"),
      state: "Coupled",
      waits: undefined,
      next: /^nothing$/,
      reason: "nothing is left to do",
    },
  ])("a plug is $state: $reason", ({ status, state, waits, next }) => {
    const read = readCoupledState(sampleCoupled("Plug", "shop/db", { spec: onSocket, ...(status && { status }) }));
    expect(read.state).toBe(state);
    expect(describeWait(read)).toBe(waits);
    expect(advisePlug(read) ?? "nothing").toMatch(next);
  });

  test("a failing plug has the start, count and next time of its attempts", () => {
    const read = readCoupledState(sampleCoupled("Plug", "shop/db", { spec: onSocket, status: failing(false) }));
    expect(read).toMatchObject({ since: "2026-01-01T00:00:30Z", attempts: 3, retryAt: "2026-01-01T00:01:08Z" });
  });

  test("a plug stuck in its deletion gets the advice to release it", () => {
    const metadata = { deletionTimestamp: "2026-01-02T00:00:00Z" };
    const read = readCoupledState(
      sampleCoupled("Plug", "shop/db", { spec: onSocket, status: failing(false), metadata }),
    );
    expect(read.state).toBe("Deleting");
    expect(advisePlug(read)).toContain("tenon couple release plug/shop/db");
  });

  test("a moving plug has both its old and its new socket", () => {
    const status = {
      ...coupledStatus("Decoupling", "Decoupling"),
      pairing: { socket: { name: "old", namespace: "data" } },
    };
    const read = readCoupledState(sampleCoupled("Plug", "shop/db", { spec: onSocket, status }));
    expect(read).toMatchObject({ target: "data/pg", leaves: "data/old" });
  });

  test("the namespace of a socket defaults to that of the plug", () => {
    expect(readCoupledState(sampleCoupled("Plug", "shop/db", { spec: { socket: { name: "pg" } } })).target).toBe(
      "shop/pg",
    );
  });

  test("a malformed status is read without an error", () => {
    const read = readCoupledState(
      sampleCoupled("Plug", "shop/db", { status: { conditions: "none", lastError: 3, phase: 1 } }),
    );
    expect(read).toMatchObject({ state: "New", reason: undefined, target: undefined });
  });
});

describe("a socket", () => {
  test("a socket without plugs waits for nothing", () => {
    const read = readCoupledState(
      sampleCoupled("Socket", "data/pg", { status: coupledStatus("Waiting", "SocketEmpty") }),
    );
    expect(describeWait(read)).toBeUndefined();
    expect(adviseSocket(read)).toBeUndefined();
  });

  test("a socket in deletion names its plugs and the release command", () => {
    const metadata = { deletionTimestamp: "2026-01-02T00:00:00Z" };
    const status = coupledStatus("Decoupling", "SocketDeleting", "waiting for plug shop/db");
    const read = readCoupledState(sampleCoupled("Socket", "data/pg", { status, metadata }));
    expect(describeWait(read)).toBe("waiting for plug shop/db");
    expect(adviseSocket(read)).toContain("tenon couple release socket/data/pg");
  });
});

const denied = `secrets "a" is forbidden: User "system:serviceaccount:app:default" cannot patch resource "secrets" in API group "" in the namespace "app"`;
const failedStatus = (side: string | undefined, message = "broken") => ({
  phase: "Failed",
  conditions: [{ type: "Failed", status: "True", reason: "Error", message }],
  lastError: { ...(side ? { side } : {}), attempts: 1, at: "2026-01-01T00:00:00Z" },
});

test("the advice about a failed stage `created` is about the failure, and not about the operator", () => {
  const plug = readCoupledState(sampleCoupled("Plug", "app/p", { status: failedStatus("plug") }));
  expect(advisePlug(plug)).toMatch(/^fix the error, or retry now: \S+ couple retry app\/p$/);
  const socket = readCoupledState(sampleCoupled("Socket", "prov/s", { status: failedStatus("socket") }));
  expect(adviseSocket(socket)).toMatch(/couple retry socket\/prov\/s$/);
});

test("a failure of the socket's side is for the owner of the socket", () => {
  const spec = { socket: { name: "s", namespace: "prov" } };
  const plug = readCoupledState(sampleCoupled("Plug", "app/p", { spec, status: failedStatus("socket") }));
  expect(advisePlug(plug)).toMatch(/^ask the owner of Socket prov\/s to fix it/);
});

test("the Role of a missing right is YAML with all verbs of an apply", () => {
  const { role = "" } = readCoupledState(sampleCoupled("Plug", "app/p", { status: failedStatus("plug", denied) }));
  const [given, binding] = parseYamlDocuments(role).map(({ value }) => value);
  expect(given).toMatchObject({
    kind: "Role",
    metadata: { namespace: "app" },
    rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["patch", "create"] }],
  });
  expect(binding).toMatchObject({ kind: "RoleBinding", subjects: [{ name: "default", namespace: "app" }] });
});
