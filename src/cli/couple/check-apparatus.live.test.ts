import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createApparatus, reject } from "#apparatus";
import { silentLogger } from "#base";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { type Fault, servePlainApparatus } from "./plain-apparatus.fixture.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-check-"));
});
afterAll(() => rm(folder, { recursive: true }));

const Checks = z.array(
  z.object({ check: z.string(), state: z.enum(["ok", "fail"]), detail: z.string(), advice: z.string().optional() }),
);

async function check(url: string, ...words: readonly string[]) {
  const shell = new FakeShell();
  const exitCode = await runCommandLine(["couple", "check-apparatus", url, "--yes", "-o", "json", ...words], shell);
  const eachs = Checks.parse(JSON.parse(shell.stdout.text || "[]"));
  return { exitCode, eachs, failed: eachs.filter(({ state }) => state === "fail"), stderr: shell.stderr.text };
}

describe("an apparatus of the SDK", () => {
  test.each(["plug", "socket"])("an apparatus of the SDK for a %s passes all checks", async (side) => {
    const databases = new Set<string>();
    const apparatus = createApparatus({
      prefix: `/${side}`,
      log: silentLogger,
      verify: false,
      config: () => ({ port: 5432 }),
      coupled({ plug }) {
        databases.add(plug.metadata.uid);
        return { result: { user: plug.metadata.name, port: 5432, isShared: false } };
      },
      decoupled: ({ plug }) => void databases.delete(plug.metadata.uid),
    });
    await using serving = await apparatus.listen(0, { host: "127.0.0.1" });
    const { exitCode, failed, eachs } = await check(`http://127.0.0.1:${serving.port}/${side}/`);
    expect([exitCode, failed]).toEqual([0, []]);
    expect(eachs.find((each) => each.check === "result")?.detail).toBe("keys and values");
    expect(eachs.length).toBeGreaterThan(15);
    expect(databases.size).toBe(0);
  });

  test("a slow apparatus of the SDK is asked again, and passes", async () => {
    const coupled = Promise.withResolvers<void>();
    const apparatus = createApparatus({
      log: silentLogger,
      verify: false,
      respondWithinMs: 1,
      coupled: () => coupled.promise,
    });
    await using serving = await apparatus.listen(0, { host: "127.0.0.1" });
    using _ = { [Symbol.dispose]: () => clearTimeout(timer) };
    const timer = setTimeout(() => coupled.resolve(), 100);
    expect((await check(`http://127.0.0.1:${serving.port}`)).failed).toEqual([]);
  });

  test("--config gives an apparatus the values that it requires", async () => {
    const apparatus = createApparatus({
      log: silentLogger,
      verify: false,
      plugConfig: z.object({ database: z.string() }),
      coupled: () => {},
      config: ({ vars }) => (vars["zone"] === undefined ? reject("no zone") : {}),
    });
    await using serving = await apparatus.listen(0, { host: "127.0.0.1" });
    const url = `http://127.0.0.1:${serving.port}`;
    const { failed } = await check(url);
    expect(failed.map((each) => each.check)).toContain("coupled");
    expect(failed[0]?.advice).toBeDefined();
    const file = join(folder, "values.yaml");
    await writeFile(file, "plugConfig: { database: shop }\nvars: { zone: a }\n");
    expect((await check(url, "--config", file)).failed).toEqual([]);
    await writeFile(file, "plugConfig: { port: 1 }\n");
    expect((await check(url, "--config", file)).stderr).toContain("values.yaml: plugConfig.port:");
  });

  test("--token-file gives an apparatus that verifies its callers a token", async () => {
    const names = new Map([["correct-horse", "me"]]);
    const apparatus = createApparatus({ log: silentLogger, verify: async (token) => names.get(token) });
    await using serving = await apparatus.listen(0, { host: "127.0.0.1" });
    const url = `http://127.0.0.1:${serving.port}`;
    expect((await check(url)).stderr).toContain("--audience integration-operator");
    const file = join(folder, "token");
    await writeFile(file, "correct-horse\n");
    expect((await check(url, "--token-file", file)).failed).toEqual([]);
  });
});

describe("an apparatus without the SDK", () => {
  test("a correct apparatus without the SDK passes all checks", async () => {
    await using server = await servePlainApparatus();
    expect((await check(server.url)).failed).toEqual([]);
  });

  test.each([
    { body: '{"result":"done"}', says: "none: a result that is not an object is ignored", reason: "not an object" },
    { body: '{"result":{"a":["b"]}}', says: "keys and values", reason: "an object with a list" },
  ])("an apparatus may answer a stage with any kind of result: $reason", async ({ body: answer, says }) => {
    await using server = await servePlainApparatus(({ call, body }) =>
      body && call === "POST /coupled" ? { status: 200, body: answer } : undefined,
    );
    const { failed, eachs } = await check(server.url);
    expect([failed, eachs.find((each) => each.check === "result")?.detail]).toEqual([[], says]);
  });

  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`key${at}`, "x"]));
  const big = JSON.stringify({ text: "x".repeat(2 ** 20) });
  let counter = 0;
  const rows: { reason: string; fault: Fault; fails: string[] }[] = [
    { reason: "no ping", fault: ({ call }) => (call === "GET /ping" ? { status: 404 } : undefined), fails: ["ping"] },
    ...["created", "coupled", "updated", "decoupled", "deleted"].map((stage) => ({
      reason: `${stage} fails`,
      fault: (({ call, body }) => (body && call === `POST /${stage}` ? { status: 500 } : undefined)) satisfies Fault,
      fails:
        {
          created: ["created", "nulls"],
          coupled: ["coupled", "coupled again"],
          updated: ["updated", "unknown fields"],
          decoupled: ["decoupled", "decoupled again"],
          deleted: ["deleted"],
        }[stage] ?? [],
    })),
    {
      reason: "config is a list",
      fault: ({ call }) => (call === "POST /config" ? { status: 200, body: "[]" } : undefined),
      fails: ["config"],
    },
    {
      reason: "config is HTML",
      fault: ({ call }) => (call === "POST /config" ? { status: 200, body: "<html>" } : undefined),
      fails: ["config"],
    },
    {
      reason: "a number loses digits",
      fault: ({ call }) => (call === "POST /config" ? { status: 200, body: '{"id":12345678901234567890}' } : undefined),
      fails: ["config"],
    },
    {
      reason: "null is not expected",
      fault: ({ body }) => (body?.["plug"] === null && body["version"] === "1" ? { status: 500 } : undefined),
      fails: ["nulls", "deleted"],
    },
    {
      reason: "a different answer each time",
      fault: ({ call, body }) =>
        body && call === "POST /coupled" ? { status: 200, body: JSON.stringify({ run: counter++ }) } : undefined,
      fails: ["same id"],
    },
    {
      reason: "a result of too many keys",
      fault: ({ call, body }) =>
        body && call === "POST /updated" ? { status: 200, body: JSON.stringify({ result: many }) } : undefined,
      fails: ["result"],
    },
    {
      reason: "a number in a result loses digits",
      fault: ({ call, body }) =>
        body && call === "POST /coupled" ? { status: 200, body: '{"result":{"id":12345678901234567890}}' } : undefined,
      fails: ["result"],
    },
    {
      reason: "an existing database is an error",
      fault: (() => {
        const known = new Set<string>();
        return ({ call, body, id }) => {
          if (!body || call !== "POST /coupled") return undefined;
          known.add(id);
          return known.size > 1 ? { status: 409 } : undefined;
        };
      })(),
      fails: ["coupled again"],
    },
    {
      reason: "unknown fields are an error",
      fault: ({ body }) => (body && "tenonCheck" in body ? { status: 400 } : undefined),
      fails: ["unknown fields"],
    },
    {
      reason: "concurrent calls break the connection",
      fault: (() => {
        let configs = 0;
        return ({ call }) => (call === "POST /config" && ++configs > 5 ? "break" : undefined);
      })(),
      fails: ["concurrent calls"],
    },
    {
      reason: "malformed JSON is a server error",
      fault: ({ call, body }) => (call === "POST /coupled" && !body ? { status: 500 } : undefined),
      fails: ["malformed JSON"],
    },
    {
      reason: "malformed JSON is accepted",
      fault: ({ call, body }) => (call === "POST /coupled" && !body ? { status: 200 } : undefined),
      fails: ["malformed JSON"],
    },
    {
      reason: "unknown paths are answered",
      fault: ({ call }) => (call === "POST /tenon-check-nowhere" ? { status: 200 } : undefined),
      fails: ["wrong paths"],
    },
    {
      reason: "stages accept GET",
      fault: ({ call }) => (call === "GET /coupled" ? { status: 200 } : undefined),
      fails: ["wrong paths"],
    },
    {
      reason: "no answer",
      fault: ({ call }) => (call === "POST /deleted" ? "hang" : undefined),
      fails: ["deleted", "in time"],
    },
    {
      reason: "an answer of more than 1 MiB",
      fault: ({ call, body }) => (body && call === "POST /updated" ? { status: 200, body: big } : undefined),
      fails: ["size"],
    },
    {
      reason: "redirects",
      fault: ({ call }) => (call === "POST /updated" ? { status: 307, headers: { location: "/other" } } : undefined),
      fails: ["redirects"],
    },
  ];

  test.each(rows)("a faulty apparatus fails its checks, with advice: $reason", async ({ fault, fails }) => {
    await using server = await servePlainApparatus(fault);
    const { exitCode, failed, stderr } = await check(server.url, "--timeout", "2s");
    expect(failed.map((each) => each.check)).toEqual(fails);
    expect(failed.every(({ advice }) => advice !== undefined)).toBe(true);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`checks failed: ${fails.join(", ")}`)]);
  });
});

describe("before the first call", () => {
  test("`check-apparatus` warns of real effects, and calls nothing after a no", async () => {
    const calls: string[] = [];
    await using server = await servePlainApparatus(({ call }) => void calls.push(call));
    const shell = new FakeShell({ typed: ["n"] });
    expect(await runCommandLine(["couple", "check-apparatus", server.url], shell)).toBe(1);
    expect(shell.stderr.text).toMatch(/named tenon-check.\nThe effects are real[^]*nothing was called/);
    const mute = new FakeShell();
    expect(await runCommandLine(["couple", "check-apparatus", server.url], mute)).toBe(1);
    expect(mute.stderr.text).toContain("--yes");
    expect(calls).toEqual([]);
  });

  test.each([
    { url: "localhost:8080", says: "is not a valid URL of an apparatus", reason: "no scheme" },
    { url: "ftp://localhost", says: "is not a valid URL of an apparatus", reason: "not HTTP" },
    { url: "http://127.0.0.1:1/socket", says: "the apparatus does not respond", reason: "nothing listens there" },
  ])("the URL $url is an error: $reason", async ({ url, says }) => {
    const { exitCode, stderr } = await check(url);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(says)]);
  });

  test("the table of checks has marks, and the uncut advice follows below it", async () => {
    await using server = await servePlainApparatus(({ call }) => (call === "GET /ping" ? { status: 404 } : undefined));
    const shell = new FakeShell({ columns: 60, env: { NO_COLOR: "1" } });
    await runCommandLine(["couple", "check-apparatus", server.url, "--yes"], shell);
    expect(shell.stdout.text).toMatch(/^✗ +ping +GET \/ping answers 404$/m);
    expect(shell.stdout.text).toMatch(/^✓ +coupled +200$/m);
    expect(shell.stdout.text).toContain("\nWhat to change:\n  ping  answer GET /ping with 200");
  });
});
