import { connect } from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMetrics, Secret, silentLogger, systemClock } from "#base";
import { runTypedQuery, openServerSource } from "#bundle";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { type DataServer, type DataServerOptions, serveData } from "./serve-data.ts";
import { appBundle, FakeBundleSource } from "./data-server.fixture.ts";

const first = appBundle({ data: { "/a.yml": { name: "one" } }, commit: "aaa" });
const second = appBundle({ data: { "/a.yml": { name: "two" } }, commit: "bbb" });
const third = appBundle({ data: { "/a.yml": { name: "three" } } });
const names = { document: "{ apps_v1 { name } }" };
const { signal } = new AbortController();

let source: FakeBundleSource;
let clock: FakeClock;
let opened: DataServer[];

beforeEach(() => {
  [source, clock, opened] = [new FakeBundleSource(first), new FakeClock(), []];
});
afterEach(() => Promise.all(opened.map((server) => server[Symbol.asyncDispose]())));

async function serve(options: Partial<DataServerOptions> = {}): Promise<DataServer> {
  const shared = { initial: [], source, ttlMs: 1_000, clock, log: silentLogger, metrics: createMetrics() };
  const server = await serveData({ host: "127.0.0.1", port: 0, ...shared, ...options }, signal);
  opened.push(server);
  return server;
}

const addressOf = ({ port }: DataServer): string => `http://127.0.0.1:${port}/graphql`;

describe("a client of the data server", () => {
  test("E-16: a client keeps the bundle that was the newest when it connected, and knows its commit", async () => {
    const server = await serve();
    const queryable = await openServerSource(addressOf(server)).load(signal);
    expect(queryable).toMatchObject({ identity: first.identity, gitCommit: "aaa", gitCommitTimestamp: "1606295532" });
    source.next = second;
    await fetch(addressOf(server).replace("/graphql", "/reload"), { method: "POST" });
    expect(server.identity).toBe(second.identity);
    expect(await runTypedQuery(queryable, names, {})).toEqual({ apps_v1: [{ name: "one" }] });
    const newest = await openServerSource(addressOf(server)).load(signal);
    expect(await runTypedQuery(newest, names, {})).toEqual({ apps_v1: [{ name: "two" }] });
  });

  test("gets an error when its bundle has expired", async () => {
    const server = await serve();
    const queryable = await openServerSource(addressOf(server)).load(signal);
    for (const next of [second, third]) {
      source.next = next;
      await fetch(addressOf(server).replace("/graphql", "/reload"), { method: "POST" });
      await clock.advance(10_000);
    }
    source.next = second;
    await fetch(addressOf(server).replace("/graphql", "/reload"), { method: "POST" });
    await expect(runTypedQuery(queryable, names, {})).rejects.toThrow("bundle expired on the server");
  });

  test("A-31: a client gets errors with their paths, also for an invalid query", async () => {
    const queryable = await openServerSource(addressOf(await serve())).load(signal);
    const answer = await queryable.query("{ apps_v1(filter: {unknown_field: 1}) { name } }");
    expect(answer).toMatchObject({ data: { apps_v1: null }, errors: [{ path: ["apps_v1"] }] });
    await expect(runTypedQuery(queryable, { document: "{ nonsense }" }, {})).rejects.toThrow(
      /column 3 of the query: Cannot query/,
    );
  });

  test.each(["correct-horse", "Bearer correct-horse"])("sends variables and its token, given as %s", async (token) => {
    const server = await serve({ token: new Secret("correct-horse") });
    const queryable = await openServerSource(addressOf(server), { token: new Secret(token) }).load(signal);
    const filtered = "query ($filter: JSON) { apps_v1(filter: $filter) { name } }";
    expect((await queryable.query(filtered, { filter: { name: "one" } })).data).toEqual({ apps_v1: [{ name: "one" }] });
    expect((await queryable.query(filtered, { filter: { name: "two" } })).data).toEqual({ apps_v1: [] });
  });

  test("with a wrong token gets an error that does not contain the token", async () => {
    const server = await serve({ token: new Secret("correct-horse") });
    await expect(
      openServerSource(addressOf(server), { token: new Secret("wrong-horse") }).load(signal),
    ).rejects.toThrow(/sha256: the server answered 401; check the token/);
  });

  test("E-17: a client tries five times in ten seconds, then names the address that did not answer", async () => {
    const server = await serve();
    const address = addressOf(server);
    await opened.pop()?.[Symbol.asyncDispose]();
    const failed = openServerSource(address, { clock })
      .load(signal)
      .catch((error: unknown) => String(error));
    for (const ms of [1_000, 2_000, 3_000, 4_000]) {
      await expect.poll(() => clock.pending).toBe(1);
      await clock.advance(ms);
    }
    expect(await failed).toMatch(/sha256: no answer from the server: .*ECONNREFUSED/);
  });

  test("stops waiting when its caller aborts", async () => {
    const controller = new AbortController();
    const loading = openServerSource("http://127.0.0.1:1/graphql", { clock }).load(controller.signal);
    await expect.poll(() => clock.pending).toBe(1);
    controller.abort(new Error("enough"));
    await expect(loading).rejects.toThrow("enough");
  });
});

describe("the data server", () => {
  test("with watch, reloads after a change of the source, and keeps its data when that fails", async () => {
    const server = await serve({ watch: true });
    source.next = new Error("half written");
    source.change();
    await expect.poll(() => source.loads).toBe(2);
    expect(server.identity).toBe(first.identity);
    source.next = second;
    await expect.poll(() => (source.change(), server.identity)).toBe(second.identity);
  });

  test("does not start when its data cannot be loaded", async () => {
    source.next = new Error("no data");
    await expect(serve()).rejects.toThrow("no data");
  });

  test("names the port when it is in use", async () => {
    const { port } = await serve();
    await expect(serve({ port })).rejects.toThrow(
      /127\.0\.0\.1:\d+: cannot listen \(EADDRINUSE\); choose another port/,
    );
  });

  test("stops even when a client keeps its connection open", async () => {
    const server = await serve({ clock: systemClock });
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write("GET /sha256 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await once(socket, "data");
    await opened.pop()?.[Symbol.asyncDispose]();
    if (!socket.closed) await once(socket, "close");
    expect(socket.closed).toBe(true);
  });

  test("stops after 5 s even when a client does not finish its request", async () => {
    const server = await serve();
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    const headers = ["host: localhost", "content-type: application/json", "content-length: 10"];
    socket.write(`POST /graphql HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n{`);
    await fetch(addressOf(server));
    const ended = opened.pop()?.[Symbol.asyncDispose]();
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(5_000);
    await ended;
    expect(clock.pending).toBe(0);
  });
});
