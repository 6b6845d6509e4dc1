import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLogger } from "#base";
import { createApparatus } from "./create-apparatus.ts";
import { pairBody } from "./sample-bodies.fixture.ts";
import { serveApparatus } from "./serve-apparatus.ts";

let child: ChildProcessWithoutNullStreams;
let lines: AsyncIterator<string>;
let base: string;

beforeEach(async () => {
  child = spawn(process.execPath, [join(import.meta.dirname, "waiting-apparatus.fixture.ts")]);
  lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  base = `http://127.0.0.1:${await nextLine()}`;
});
afterEach(() => child.kill("SIGKILL"));

async function nextLine(): Promise<string> {
  const { value }: IteratorResult<string, undefined> = await lines.next();
  return value ?? "";
}

function couple(): Promise<Response> {
  return fetch(`${base}/socket/coupled`, { method: "POST", body: JSON.stringify(pairBody()) });
}

test("an apparatus serves ping and stages over HTTP, and 404 for other paths", async () => {
  expect((await fetch(`${base}/socket/ping`)).status).toBe(200);
  expect((await fetch(`${base}/ping`)).status).toBe(404);
  const answer = couple();
  child.stdin.write("go on\n");
  expect((await answer).status).toBe(200);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s: what runs is finished, nothing new is taken", async (signal) => {
  const exit = once(child, "exit");
  const answer = couple();
  expect(await nextLine()).toBe("called");
  child.kill(signal);
  await expect.poll(() => fetch(`${base}/socket/ping`).then(String, () => "refused")).toBe("refused");
  child.stdin.write("go on\n");
  expect((await answer).status).toBe(200);
  expect(await exit).toEqual([0, null]);
});

test("a connection that was open and silent at SIGTERM is answered once, and closed", async () => {
  const socket = connect(Number(new URL(base).port), "127.0.0.1");
  await once(socket, "connect");
  const answer = couple();
  expect(await nextLine(), "the call before was accepted, too").toBe("called");
  child.kill("SIGTERM");
  await expect.poll(() => fetch(`${base}/socket/ping`).then(String, () => "refused")).toBe("refused");
  socket.write("GET /socket/ping HTTP/1.1\r\nhost: apparatus\r\n\r\n");
  const ended = once(socket, "close");
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [^]*connection: close/i);
  await ended;
  child.stdin.write("go on\n");
  expect((await answer).status).toBe(200);
});

test("a handler that does not end is aborted after the grace period", async () => {
  const told = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  const apparatus = createApparatus({
    log: silentLogger,
    verify: false,
    async coupled(_, { signal }) {
      signal.addEventListener("abort", () => told.resolve());
      called.resolve();
      await new Promise(() => {});
    },
  });
  const serving = await serveApparatus([apparatus], { port: 0, host: "127.0.0.1", graceMs: 10 });
  base = `http://127.0.0.1:${serving.port}`;
  const answer = fetch(`${base}/coupled`, { method: "POST", body: JSON.stringify(pairBody()) });
  await called.promise;
  await Promise.all([serving[Symbol.asyncDispose](), told.promise, expect(answer).rejects.toThrow("fetch failed")]);
});

test("a port in use is an error", async () => {
  const port = Number(new URL(base).port);
  const apparatus = createApparatus({ log: silentLogger, verify: false });
  await expect(apparatus.listen(port, { host: "127.0.0.1" })).rejects.toThrow(/cannot listen \(EADDRINUSE\)/);
});
