import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createLogger, type JsonObject, silentLogger } from "#base";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { type Apparatus, type ApparatusOptions, createApparatus } from "./create-apparatus.ts";
import { reject } from "./handler.ts";
import { configBody, pairBody, samplePlug, sampleSocket } from "./sample-bodies.fixture.ts";

function make<PlugConfig, SocketConfig>(options: ApparatusOptions<PlugConfig, SocketConfig>): Apparatus {
  return createApparatus({ log: silentLogger, verify: false, ...options });
}

async function post(
  { app }: Pick<Apparatus, "app">,
  path: string,
  body: JsonObject | string,
  id?: string,
): Promise<Response> {
  return app.request(path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...(id === undefined ? {} : { "x-integration-id": id }) },
  });
}

/** A handler that counts its runs and ends when told. */
function held() {
  const gate = Promise.withResolvers<void>();
  const handler = Object.assign(
    async (): Promise<void> => {
      handler.runs++;
      await gate.promise;
    },
    { runs: 0, open: () => gate.resolve() },
  );
  return handler;
}

/** Lets the time pass once a call waits for it. */
async function lapse(clock: FakeClock, ms: number): Promise<void> {
  await expect.poll(() => clock.pending, { interval: 1 }).toBeGreaterThan(0);
  await clock.advance(ms);
}

async function statusFor({ app }: Apparatus, headers: Record<string, string>): Promise<number> {
  const body = JSON.stringify(pairBody());
  return (await app.request("/coupled", { method: "POST", body, headers })).status;
}

describe("the protocol", () => {
  test("each stage handler gets its plug, socket and configs, and the answer is an empty object", async () => {
    const seen: [string, unknown][] = [];
    const remember = (stage: string) => async (body: unknown) => void seen.push([stage, body]);
    const apparatus = make({
      prefix: "/socket/",
      created: remember("created"),
      coupled: remember("coupled"),
      updated: remember("updated"),
      decoupled: remember("decoupled"),
      deleted: remember("deleted"),
    });
    const { version: _, ...pair } = pairBody();
    const own = { plug: null, socket: sampleSocket(), plugConfig: {}, socketConfig: {} };
    for (const stage of ["created", "coupled", "updated", "decoupled", "deleted"]) {
      const isOwn = stage === "created" || stage === "deleted";
      const answer = await post(apparatus, `/socket/${stage}`, { version: "1", ...(isOwn ? own : pair), new: 1 });
      expect([answer.status, await answer.json()]).toEqual([200, {}]);
      expect(seen.at(-1)).toEqual([stage, isOwn ? own : pair]);
    }
  });

  test("config answers the handler's object, and an empty object without a handler", async () => {
    const body = configBody({ socketData: { host: "db" }, vars: { zone: { name: "a" } } });
    const apparatus = make({
      config: ({ socketData, vars }) => ({ host: socketData["host"] ?? "", port: 5432, vars }),
    });
    const answer = await post(apparatus, "/config", body);
    expect(await answer.json()).toEqual({ host: "db", port: 5432, vars: { zone: { name: "a" } } });
    expect(await (await post(make({}), "/config", body)).json()).toEqual({});
  });

  test("a stage may answer a result", async () => {
    const answer = await post(make({ coupled: () => ({ result: { url: "x" } }) }), "/coupled", pairBody());
    expect(await answer.json()).toEqual({ result: { url: "x" } });
  });

  test.each([
    { method: "GET", path: "/socket/ping", status: 200, reason: "it lives" },
    { method: "GET", path: "/ping", status: 404, reason: "the prefix is missing" },
    { method: "GET", path: "/socket/coupled", status: 404, reason: "stages are posted" },
    { method: "POST", path: "/socket/coupled/more", status: 404, reason: "no such path" },
    { method: "POST", path: "/socket/unknown", status: 404, reason: "no such stage" },
  ])("$method $path is $status: $reason", async ({ method, path, status }) => {
    expect((await make({ prefix: "/socket" }).app.request(path, { method })).status).toBe(status);
  });

  test.each([
    { path: "/coupled", body: "{", error: /not valid JSON/, reason: "no JSON" },
    { path: "/coupled", body: "", error: /not valid JSON/, reason: "nothing" },
    { path: "/coupled", body: "[]", error: /not a JSON object/, reason: "a list" },
    { path: "/coupled", body: "null", error: /not a JSON object/, reason: "null" },
    { path: "/coupled", body: pairBody({ plug: null }), error: /plug/, reason: "no plug" },
    {
      path: "/coupled",
      body: pairBody({ socket: { metadata: {} } }),
      error: /socket/,
      reason: "a socket without name",
    },
    { path: "/coupled", body: pairBody({ plugConfig: [] }), error: /plugConfig/, reason: "a config that is a list" },
    {
      path: "/coupled",
      body: pairBody({ plugConfig: { a: 1 } }),
      error: /plugConfig\.a is not a string/,
      reason: "a number",
    },
    {
      path: "/created",
      body: { plug: null, socket: null },
      error: /expected a plug or a socket/,
      reason: "without a plug and a socket",
    },
    { path: "/config", body: configBody({ vars: "x" }), error: /vars/, reason: "vars that are text" },
  ])("answers 400 to a bad body: $reason", async ({ path, body, error }) => {
    const answer = await post(make({}), path, body);
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.stringMatching(error) }]);
  });

  test("a body that is too large is refused", async () => {
    const apparatus = make({ largestBodyBytes: 1_000 });
    expect((await post(apparatus, "/coupled", pairBody({ socketConfig: { a: "x".repeat(1_000) } }))).status).toBe(413);
    expect((await post(apparatus, "/coupled", pairBody())).status).toBe(200);
  });

  test("one server serves the apparatuses of both sides", async () => {
    const called: string[] = [];
    const app = new Hono();
    for (const side of ["plug", "socket"]) {
      app.route("/", make({ prefix: `/${side}`, coupled: () => void called.push(side) }).app);
    }
    await post({ app }, "/socket/coupled", pairBody());
    await post({ app }, "/plug/coupled", pairBody());
    expect(called).toEqual(["socket", "plug"]);
    expect((await app.request("/plug/ping")).status).toBe(200);
  });

  test.each(["socket", "/a b", "/:stage", "/../x?"])("the prefix %j is refused", (prefix) => {
    expect(() => make({ prefix })).toThrow(/not a valid path prefix.*write it like \/socket/);
  });
});

describe("failures", () => {
  test("reject() answers 422 with its message", async () => {
    const answer = await post(make({ coupled: () => reject("the database is taken") }), "/coupled", pairBody());
    expect([answer.status, await answer.json()]).toEqual([422, { error: "the database is taken" }]);
  });

  test("an error answers 500; its message is only in the log, and bodies are nowhere", async () => {
    const lines: string[] = [];
    const log = createLogger({ destination: { write: (line) => void lines.push(line) } });
    const apparatus = make({
      log,
      coupled() {
        throw new Error("connection to 10.0.0.1 lost");
      },
    });
    const answer = await post(apparatus, "/coupled", pairBody({ plugConfig: { password: "hunter22" } }), "id-1");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("10.0.0.1");
    expect(lines.join("")).toContain("connection to 10.0.0.1 lost");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ call: "coupled", plug: "shop/shop", id: "id-1" });
    expect(lines.join("")).not.toContain("hunter22");
  });

  test.each([
    { text: '"text"', reason: "text" },
    { text: '["list"]', reason: "a list" },
  ])("a handler that returns $reason fails", async ({ text }) => {
    const config = (): JsonObject => JSON.parse(text);
    expect((await post(make({ config }), "/config", configBody())).status).toBe(500);
  });

  test("schemas type the configs; an invalid config is rejected field by field, without its values", async () => {
    const apparatus = make({
      plugConfig: z.object({ database: z.string().regex(/^[a-z]+$/, "only a to z"), size: z.coerce.number() }),
      coupled: ({ plugConfig }) => ({ result: { twice: plugConfig.size * 2 } }),
    });
    const good = await post(apparatus, "/coupled", pairBody({ plugConfig: { database: "shop", size: "21" } }));
    expect(await good.json()).toEqual({ result: { twice: 42 } });
    const bad = await post(apparatus, "/coupled", pairBody({ plugConfig: { database: "My-Shop", size: "x" } }));
    expect(bad.status).toBe(422);
    const text = await bad.text();
    expect(text).toContain("plugConfig.database: only a to z; plugConfig.size:");
    expect(text).not.toContain("My-Shop");
  });
});

describe("each call runs once", () => {
  test("the same call again is answered from memory; without an id it runs again", async () => {
    let runs = 0;
    const apparatus = make({ coupled: () => ({ result: { run: ++runs } }) });
    const answers = [];
    for (const id of ["a", "a", undefined, undefined]) {
      answers.push(await (await post(apparatus, "/coupled", pairBody(), id)).json());
    }
    expect(answers).toEqual([1, 1, 2, 3].map((run) => ({ result: { run } })));
  });

  test("calls of one id at the same time share a run", async () => {
    const coupled = held();
    const apparatus = make({ coupled });
    const answers = Promise.all(Array.from({ length: 20 }, () => post(apparatus, "/coupled", pairBody(), "a")));
    coupled.open();
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([200]));
    expect(coupled.runs).toBe(1);
  });

  test.each([
    { body: pairBody({ plugConfig: { database: "other" } }), runs: 2, reason: "a Secret changed, and the id did not" },
    {
      body: pairBody({ plug: samplePlug({ status: { phase: "Pending" } }) }),
      runs: 1,
      reason: "only a status changed",
    },
  ])("the same id with another body runs $runs times: $reason", async ({ body, runs }) => {
    const coupled = held();
    coupled.open();
    const apparatus = make({ coupled });
    await post(apparatus, "/coupled", pairBody(), "a");
    await post(apparatus, "/coupled", body, "a");
    expect(coupled.runs).toBe(runs);
  });

  test("a stage runs again after decoupled, although its id is known", async () => {
    const did: string[] = [];
    const apparatus = make({ coupled: () => void did.push("coupled"), decoupled: () => void did.push("decoupled") });
    await post(apparatus, "/coupled", pairBody(), "a");
    await post(apparatus, "/decoupled", pairBody(), "b");
    await post(apparatus, "/coupled", pairBody(), "a");
    expect(did).toEqual(["coupled", "decoupled", "coupled"]);
  });

  test("a failure is not remembered", async () => {
    let runs = 0;
    const apparatus = make({ coupled: () => (++runs === 1 ? reject("not yet") : undefined) });
    const statuses = [];
    for (let call = 0; call < 3; call++) statuses.push((await post(apparatus, "/coupled", pairBody(), "a")).status);
    expect([statuses, runs]).toEqual([[422, 200, 200], 2]);
  });

  test("config is never answered from memory", async () => {
    let runs = 0;
    const apparatus = make({ config: () => ({ run: ++runs }) });
    await post(apparatus, "/config", configBody(), "a");
    expect(await (await post(apparatus, "/config", configBody(), "a")).json()).toEqual({ run: 2 });
  });

  test("stages of one pair never overlap, and a newer stage aborts the signal of the older one", async () => {
    const coupling = Promise.withResolvers<void>();
    const did: string[] = [];
    const apparatus = make({
      async coupled(_, { signal }) {
        did.push("coupled");
        signal.addEventListener("abort", () => did.push("told"));
        await coupling.promise;
        did.push("ended");
      },
      decoupled: () => void did.push("decoupled"),
    });
    const first = post(apparatus, "/coupled", pairBody(), "a");
    await expect.poll(() => did).toEqual(["coupled"]);
    const second = post(apparatus, "/decoupled", pairBody(), "b");
    await expect.poll(() => did).toContain("told");
    coupling.resolve();
    await Promise.all([first, second]);
    expect(did).toEqual(["coupled", "told", "ended", "decoupled"]);
  });
});

describe("long work", () => {
  test("long work is answered with 202 in time, repeated with the same id, and runs once", async () => {
    const clock = new FakeClock();
    const coupled = held();
    const apparatus = make({ clock, coupled });
    const first = post(apparatus, "/coupled", pairBody(), "a");
    await lapse(clock, 25_000);
    expect([(await first).status, (await first).headers.get("retry-after")]).toEqual([202, "1"]);
    const second = post(apparatus, "/coupled", pairBody(), "a");
    await lapse(clock, 25_000);
    expect((await second).status).toBe(202);
    coupled.open();
    expect((await post(apparatus, "/coupled", pairBody(), "a")).status).toBe(200);
    expect([coupled.runs, clock.pending]).toEqual([1, 0]);
  });

  test("long work of config is answered with 202, too, and its failure is returned once", async () => {
    const clock = new FakeClock();
    const gate = Promise.withResolvers<JsonObject>();
    const apparatus = make({ clock, respondWithinMs: 10, config: () => gate.promise });
    const first = post(apparatus, "/config", configBody(), "a");
    await lapse(clock, 10);
    expect((await first).status).toBe(202);
    gate.reject(new Error("no"));
    expect((await post(apparatus, "/config", configBody(), "a")).status).toBe(500);
  });

  test("long work without an id is awaited, because it could not be asked for again", async () => {
    const clock = new FakeClock();
    const coupled = held();
    const answer = post(make({ clock, coupled }), "/coupled", pairBody());
    await expect.poll(() => coupled.runs, { interval: 1 }).toBe(1);
    expect(clock.pending).toBe(0);
    coupled.open();
    expect((await answer).status).toBe(200);
  });
});

test("idle() waits for calls that continue after a 202", async () => {
  const clock = new FakeClock();
  const coupled = held();
  const apparatus = make({ clock, coupled });
  const answer = post(apparatus, "/coupled", pairBody(), "a");
  await lapse(clock, 25_000);
  await answer;
  let isIdle = false;
  const idle = apparatus.idle().then(() => (isIdle = true));
  await clock.advance(0);
  expect(isIdle).toBe(false);
  coupled.open();
  await idle;
  expect(isIdle).toBe(true);
});

describe("callers", () => {
  const names: Record<string, string> = {
    good: "system:serviceaccount:tenon:tenon",
    other: "system:serviceaccount:x:y",
  };
  const verify = async (token: string) => names[token];

  test.each([
    { headers: { authorization: "Bearer good" }, status: 200, reason: "a good token" },
    { headers: { "x-integration-authorization": "Bearer good" }, status: 200, reason: "past an API server" },
    { headers: { authorization: "Bearer other" }, status: 403, reason: "another token" },
    { headers: { authorization: "Bearer forged" }, status: 401, reason: "not a good token" },
    { headers: { authorization: "Basic good" }, status: 401, reason: "no token" },
    { headers: {}, status: 401, reason: "nothing" },
  ])("a caller gets $status: $reason", async ({ headers, status }) => {
    const apparatus = make({ verify, callers: [names["good"] ?? ""] });
    expect(await statusFor(apparatus, { ...headers })).toBe(status);
    expect((await apparatus.app.request("/ping")).status).toBe(200);
  });

  test("a verification is cached for a minute and shared by concurrent calls; a failed one is not cached", async () => {
    const clock = new FakeClock();
    let asked = 0;
    const apparatus = make({
      clock,
      async verify() {
        if (++asked === 1) throw new Error("no API server");
        return "another answer";
      },
    });
    const headers = { authorization: "Bearer good" };
    expect(await statusFor(apparatus, headers)).toBe(503);
    await Promise.all([statusFor(apparatus, headers), statusFor(apparatus, headers)]);
    await clock.advance(59_999);
    await statusFor(apparatus, headers);
    expect(asked).toBe(2);
    await clock.advance(1);
    expect([await statusFor(apparatus, headers), asked]).toEqual([200, 3]);
  });

  test("callers without verify is an error", () => {
    expect(() => make({ verify: false, callers: ["x"] })).toThrow(/nothing verifies who calls/);
  });
});
