import { beforeEach, describe, expect, test } from "vitest";
import { createLogger, createMetrics, InputError, Secret, silentLogger } from "#base";
import type { BundleSource } from "#bundle";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { createDataApp, type DataAppOptions } from "./data-app.ts";
import { DataMetrics } from "./data-metrics.ts";
import { DataStore } from "./data-store.ts";
import { appBundle, FakeBundleSource } from "./data-server.fixture.ts";

const ttlMs = 1_000;
const first = appBundle({ data: { "/a.yml": { name: "one" } }, commit: "aaa" });
const second = appBundle({ data: { "/a.yml": { name: "two" } }, commit: "bbb" });
const third = appBundle({ data: { "/a.yml": { name: "three" } }, commit: "ccc" });
const names = "{ apps_v1 { name } }";

interface Answer {
  readonly data: { readonly apps_v1: readonly { readonly name: string }[] };
}

let clock: FakeClock;
let source: FakeBundleSource;
let app: ReturnType<typeof createDataApp>;

beforeEach(async () => {
  clock = new FakeClock();
  source = new FakeBundleSource(first);
  app = await open([source]);
});

async function open(initial: readonly BundleSource[], options: Partial<DataAppOptions> = {}) {
  const metrics = createMetrics();
  const { signal } = new AbortController();
  const parts = { initial, source, ttlMs, clock, log: silentLogger, metrics: new DataMetrics(metrics) };
  return createDataApp({ store: await DataStore.open(parts, signal), metrics, log: silentLogger, signal, ...options });
}

async function reload(next: FakeBundleSource["next"]): Promise<Response> {
  source.next = next;
  return app.request("/reload", { method: "POST" });
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> | Response {
  return app.request(path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
}

/** The name of the only app, or the status. */
async function nameAt(path: string): Promise<string | number | undefined> {
  const response = await post(path, { query: names });
  if (response.status !== 200) return response.status;
  const { data }: Answer = JSON.parse(await response.text());
  return data.apps_v1[0]?.name;
}

describe("A.4: /graphql", () => {
  test("answers a POST and a GET from the newest bundle", async () => {
    const expected = { data: { apps_v1: [{ name: "one" }] }, extensions: { schemas: ["/app-1.yml"] } };
    expect(await (await post("/graphql", { query: names })).json()).toEqual(expected);
    const response = await app.request(`/graphql?query=${encodeURIComponent(names)}`);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await response.json()).toEqual(expected);
  });

  test("accepts variables and an operation name, by POST and GET", async () => {
    const query = "query A { apps_v1 { path } } query B($name: JSON) { apps_v1(filter: {name: $name}) { name } }";
    const expected = { apps_v1: [{ name: "one" }] };
    const body = { query, operationName: "B", variables: { name: "one" } };
    expect(await (await post("/graphql", body)).json()).toMatchObject({ data: expected });
    const params = new URLSearchParams({ query, operationName: "B", variables: '{"name": "one"}' });
    expect(await (await app.request(`/graphql?${params.toString()}`)).json()).toMatchObject({ data: expected });
  });

  test.each([
    { body: { query: "{ apps_v1 { nam } }" }, reason: "unknown field" },
    { body: { query: "{ apps_v1 {" }, reason: "not GraphQL" },
    {
      body: { query: "query A { a: __typename } query B { b: __typename }" },
      reason: "two operations and no operation name",
    },
    { body: { query: "query ($name: String!) { apps_v1(path: $name) { name } }" }, reason: "missing variable" },
    { body: {}, reason: "no query" },
    { body: "{", reason: "not JSON" },
    { body: [], reason: "not an object" },
    { body: { query: names, variables: [] }, reason: "variables is not an object" },
    { body: { query: names, operationName: 7 }, reason: "operationName is not a string" },
  ])("/graphql answers 400 with errors and without data: $reason", async ({ body }) => {
    const response = await post("/graphql", body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ errors: [expect.anything()], extensions: { schemas: [] } });
  });

  test("G9-04: a query that fails while it is executed is answered with 200, errors and data", async () => {
    const response = await post("/graphql", { query: "{ apps_v1(filter: {unknown_field: 1}) { name } }" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      data: { apps_v1: null },
      errors: [{ extensions: { code: "BAD_FILTER_FIELD" } }],
    });
  });

  test("/graphql rejects a POST that is not JSON, because a page of another site could send it", async () => {
    expect((await post("/graphql", { query: names }, { "content-type": "text/plain" })).status).toBe(400);
  });

  test("/graphql rejects a query larger than 1 MiB", async () => {
    expect((await post("/graphql", { query: `{ ${" ".repeat(2 ** 20)} }` })).status).toBe(413);
  });

  test("/graphql shows a browser how to send a query", async () => {
    const response = await app.request("/graphql", { headers: { accept: "text/html" } });
    expect(await response.text()).toContain("curl http://localhost/graphql");
    expect((await app.request("/graphql")).status).toBe(400);
  });
});

describe("A.4: /reload and /graphqlsha", () => {
  test("G9-01: both initial bundles can be queried, and the second is the newest", async () => {
    app = await open([source, new FakeBundleSource(second)]);
    expect(await (await app.request("/sha256")).text()).toBe(second.identity);
    expect(await nameAt("/graphql")).toBe("two");
    expect(await nameAt(`/graphqlsha/${first.identity}`)).toBe("one");
    expect(await nameAt(`/graphqlsha/${second.identity}`)).toBe("two");
  });

  test("G9-02: a failed reload is answered with 503 and the reason, and the old data stays", async () => {
    const response = await reload(new InputError("no JSON", { where: "data.json:1:1" }));
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("data.json:1:1: no JSON");
    expect(await nameAt("/graphql")).toBe("one");
    expect((await reload(second)).status).toBe(200);
    expect(await nameAt("/graphql")).toBe("two");
  });

  test("a reload with an invalid GraphQL schema fails, and the old data stays", async () => {
    expect((await reload({ ...second, types: [] })).status).toBe(503);
    expect(await nameAt("/graphql")).toBe("one");
  });

  test("G9-03: a reload without changes is answered with 200, and no bundle expires", async () => {
    await reload(second);
    await clock.advance(ttlMs * 10);
    expect((await reload(appBundle({ data: { "/a.yml": { name: "two" } }, commit: "bbb" }))).status).toBe(200);
    expect(await nameAt(`/graphqlsha/${first.identity}`)).toBe("one");
  });

  test("A-21: an old bundle that was not queried for the TTL is dropped when a new one is loaded", async () => {
    await reload(second);
    await clock.advance(ttlMs + 1);
    expect(await nameAt(`/graphqlsha/${second.identity}`)).toBe("two");
    await reload(third);
    expect(await nameAt(`/graphqlsha/${first.identity}`)).toBe(404);
    expect(await nameAt(`/graphqlsha/${second.identity}`)).toBe("two");
  });

  test("A-21: a query renews the TTL of a bundle, other routes do not", async () => {
    await reload(second);
    await clock.advance(ttlMs - 1);
    await nameAt(`/graphqlsha/${first.identity}`);
    await clock.advance(2);
    await reload(third);
    expect(await nameAt(`/graphqlsha/${first.identity}`)).toBe("one");
    await clock.advance(ttlMs + 1);
    await app.request(`/git-commit/${first.identity}`);
    await reload(second);
    expect(await nameAt(`/graphqlsha/${first.identity}`)).toBe(404);
  });

  test("A-21: the newest bundle never expires", async () => {
    await clock.advance(ttlMs * 100);
    await reload(second);
    expect(await nameAt(`/graphqlsha/${first.identity}`)).toBe("one");
  });

  test("a reload to earlier data makes that bundle the newest again", async () => {
    await reload(second);
    await reload(first);
    expect(await (await app.request("/sha256")).text()).toBe(first.identity);
  });

  test("a reload of the same data in a new commit takes the new commit", async () => {
    await reload({ ...first, gitCommit: "ddd" });
    expect(await (await app.request("/git-commit")).text()).toBe("ddd");
  });

  test("concurrent reloads share one load after the running one", async () => {
    source.loads = 0;
    source.next = second;
    const responses = await Promise.all(
      Array.from({ length: 20 }, async () => app.request("/reload", { method: "POST" })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(source.loads).toBeLessThanOrEqual(2);
  });
});

describe("A.4: the commit", () => {
  test.each([
    { path: "/git-commit-info", says: '{"commit":"bbb","timestamp":"1606295532"}' },
    { path: `/git-commit-info/${first.identity}`, says: '{"commit":"aaa","timestamp":"1606295532"}' },
    { path: "/git-commit", says: "bbb" },
    { path: `/git-commit/${first.identity}`, says: "aaa" },
  ])("$path", async ({ path, says }) => {
    await reload(second);
    expect(await (await app.request(path)).text()).toBe(says);
  });

  test.each(["/git-commit-info/unknown", "/git-commit/unknown"])("404 at %s", async (path) => {
    expect((await app.request(path)).status).toBe(404);
  });
});

describe("A.4: the small routes", () => {
  test.each([
    { path: "/healthz", status: 200 },
    { path: "/", status: 302 },
    { path: "/nowhere", status: 404 },
    { path: "/graphqlsha/unknown?query={__typename}", status: 404 },
    { path: "/reload", status: 404 },
  ])("GET $path is $status", async ({ path, status }) => {
    expect((await app.request(path)).status).toBe(status);
  });

  test("/cache lists the bundles and when they expire", async () => {
    await reload(second);
    expect(await (await app.request("/cache")).json()).toEqual({
      bundleCache: [first, second].map(({ identity }) => ({ sha: identity, expiration: clock.now() + ttlMs })),
      bundles: [first.identity, second.identity],
      routerStack: 2,
      searchableFields: [first.identity, second.identity],
    });
  });

  test("A-26: /metrics counts reloads, data files and bundles", async () => {
    await reload(appBundle({ data: { "/a.yml": {}, "/b.yml": {}, "/c.yml": { $schema: "/other-1.yml" } } }));
    const lines = (await (await app.request("/metrics")).text()).split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        "qontract_server_reloads_total 1",
        'qontract_server_datafiles{schema="/app-1.yml"} 2',
        'qontract_server_datafiles{schema="/other-1.yml"} 1',
        "qontract_server_bundle_object_shas 2",
        "qontract_server_bundle_cache_object_shas 2",
      ]),
    );
    await reload(second);
    expect(await (await app.request("/metrics")).text()).not.toContain("/other-1.yml");
  });
});

test("an internal error is logged, and answered without details", async () => {
  const lines: string[] = [];
  const log = createLogger({ destination: { write: (line) => void lines.push(line) } });
  const metrics = { ...createMetrics(), expose: () => Promise.reject(new Error("no room on /secret/disk")) };
  app = await open([source], { log, metrics });
  const response = await app.request("/metrics");
  expect([response.status, await response.text()]).toEqual([500, "internal server error; see the server log\n"]);
  expect(lines.join("")).toContain("no room on /secret/disk");
});

describe("a server with a token", () => {
  beforeEach(async () => {
    app = await open([source], { token: new Secret("correct horse") });
  });

  test.each([
    { authorization: "Bearer correct horse", status: 200 },
    { authorization: "correct horse", status: 200 },
    { authorization: "Bearer correct", status: 401 },
    { authorization: "Bearer ", status: 401 },
    { authorization: "", status: 401 },
  ])("answers $status to the header $authorization", async ({ authorization, status }) => {
    expect((await app.request("/sha256", { headers: { authorization } })).status).toBe(status);
  });

  test.each(["/graphql", "/metrics", "/cache", "/", "/nowhere", `/graphqlsha/${first.identity}`])(
    "answers 401 without a token: %s",
    async (path) => {
      expect((await app.request(path)).status).toBe(401);
    },
  );

  test("requires the token for /reload, but not for /healthz", async () => {
    expect((await app.request("/reload", { method: "POST" })).status).toBe(401);
    expect((await app.request("/healthz")).status).toBe(200);
  });
});
