import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLogger, silentLogger, systemClock } from "#base";
import { couplingKinds, Plug, Socket } from "#coupling";
import { installKinds } from "#crd";
import { testKubeconfig } from "#harness";
import {
  type ClusterAccess,
  connect,
  createClient,
  type KubeClient,
  loadAccess,
  requestToken,
  reviewAccess,
} from "#kube";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { type ConsoleServer, serveConsole } from "./serve-console.ts";

const id = crypto.randomUUID().slice(0, 8);
const [shop, blog] = [`shop-${id}`, `blog-${id}`];
const script = "<script>alert(1)</script>";
const lines: string[] = [];
const links: string[] = [];
const limit = () => AbortSignal.timeout(300_000);
let client: KubeClient;
let server: ConsoleServer;
let access: ClusterAccess;

/** A person with a token who may read, and where told also change, the plugs and sockets of one namespace. */
async function makePerson(name: string, namespace: string, verbs: readonly string[]): Promise<string> {
  const metadata = { name, namespace };
  const apiGroup = "rbac.authorization.k8s.io";
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata });
  const rules = [{ apiGroups: ["integration.rock8s.com"], resources: ["plugs", "sockets"], verbs }];
  await client.create({ apiVersion: `${apiGroup}/v1`, kind: "Role", metadata, rules });
  await client.create({
    apiVersion: `${apiGroup}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup, kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
  const user = `system:serviceaccount:${namespace}:${name}`;
  const right = { verb: "list", group: "integration.rock8s.com", resource: "plugs", namespace };
  // The authorizer sees new Roles some time after the server has stored them.
  await vi.waitUntil(async () => (await reviewAccess(client, { user }, right)).isAllowed, { timeout: 300_000 });
  return (await requestToken(client, metadata, {}, limit())).token.reveal();
}

let [annsToken, bensToken] = ["", ""];

beforeAll(async () => {
  access = await loadAccess({ kubeconfig: testKubeconfig() });
  client = createClient(connect(access));
  await installKinds(client, couplingKinds);
  for (const kind of couplingKinds) await client.discovery.whenServed(kind, limit());
  for (const name of [shop, blog]) await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  for (const namespace of [shop, blog]) {
    const { apiVersion } = Plug;
    const metadata = { namespace, name: "orders", annotations: { note: script } };
    await client.create({ apiVersion, kind: Plug.kind, metadata, spec: { socket: { name: `pg-of-${namespace}` } } });
    await client.create({ apiVersion, kind: Socket.kind, metadata: { namespace, name: "cache" }, spec: {} });
  }
  annsToken = await makePerson("ann", shop, ["get", "list", "watch", "patch"]);
  bensToken = await makePerson("ben", blog, ["get", "list", "watch"]);
  server = await serveConsole({
    access,
    host: "127.0.0.1",
    port: 0,
    isReadOnly: false,
    onLink: (link) => links.push(link),
    clock: systemClock,
    log: createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } }),
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  for (const name of [shop, blog]) await client.delete({ apiVersion: "v1", kind: "Namespace", name }, {});
  await client.transport[Symbol.asyncDispose]();
});

interface Sent {
  readonly method?: string;
  readonly cookie?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(path: string, { method = "GET", cookie, body, headers = {} }: Sent = {}) {
  const answer = await fetch(`${server.origin}${path}`, {
    method,
    headers: {
      ...(method === "GET" ? {} : { origin: server.origin, "content-type": "application/json" }),
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: limit(),
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}

/** The cookie of a new session. */
async function login(body: unknown): Promise<string> {
  const answer = await send("/api/session", { method: "POST", body });
  expect(answer.body).toEqual(expect.objectContaining({ user: expect.any(String) }));
  return (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

const linkKey = () => (links.at(-1) ?? "").split("#")[1] ?? "";
const keysOf = (body: { rows: { namespace: string; name: string }[] }) =>
  body.rows.map(({ namespace, name }) => `${namespace}/${name}`);

const actions = async (namespace: string, cookie: string) =>
  (await send(`/api/objects/plugs/${namespace}/orders`, { cookie })).body.actions;
const retry = (namespace: string, cookie: string) =>
  send(`/api/objects/plugs/${namespace}/orders/retry`, { method: "POST", cookie });
const makePlug = (namespace: string, name: string) =>
  client.create({ apiVersion: Plug.apiVersion, kind: Plug.kind, metadata: { namespace, name }, spec: {} });

describe("sessions of the console", () => {
  test("a link logs in as who started the console, once", async () => {
    const link = linkKey();
    const cookie = await login({ link });
    const again = await send("/api/session", { method: "POST", body: { link } });
    expect([again.status, again.body.error]).toEqual([401, expect.stringMatching(/used before/)]);
    expect(linkKey()).not.toBe(link);
    const all = await send("/api/lists/plugs?limit=200", { cookie });
    expect(keysOf(all.body)).toEqual(expect.arrayContaining([`${shop}/orders`, `${blog}/orders`]));
  });

  test("the cookie is for this site and its server alone", async () => {
    const { headers } = await send("/api/session", { method: "POST", body: { token: annsToken } });
    expect(headers.get("set-cookie")).toMatch(/HttpOnly/);
    expect(headers.get("set-cookie")).toMatch(/SameSite=Strict/);
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  test.each([
    { body: { token: "ey.not.a-token" }, status: 401, reason: "a token that the API server does not know" },
    { body: { token: "" }, status: 401, reason: "no token: not even the rights of who started the console" },
    { body: { link: "guessed" }, status: 401, reason: "a guessed link" },
    { body: {}, status: 400, reason: "nothing" },
  ])("no session starts with $reason", async ({ body, status }) => {
    const answer = await send("/api/session", { method: "POST", body });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([status, null]);
  });

  test("a session that was copied before the logout is worthless after it", async () => {
    const cookie = await login({ token: annsToken });
    expect((await send("/api/session", { cookie })).status).toBe(200);
    await send("/api/session", { method: "DELETE", cookie });
    for (const path of [
      "/api/session",
      "/api/lists/plugs",
      `/api/objects/plugs/${shop}/orders`,
      "/api/changes?lists=plugs",
    ])
      expect((await send(path, { cookie })).status).toBe(401);
  });

  test("two sessions of one token go on without each other, and a person of another token is none of them", async () => {
    const [one, other] = [await login({ token: annsToken }), await login({ token: annsToken })];
    const ben = await login({ token: bensToken });
    for (const cookie of [one, other]) await send("/api/lists/plugs", { cookie });
    await send("/api/session", { method: "DELETE", cookie: one });
    expect((await send("/api/lists/plugs", { cookie: one })).status).toBe(401);
    expect(keysOf((await send("/api/lists/plugs", { cookie: other })).body)).toContain(`${shop}/orders`);
    expect(keysOf((await send("/api/lists/plugs", { cookie: ben })).body)).not.toContain(`${shop}/orders`);
  });

  test("no token is in the log or in an answer", async () => {
    const cookie = await login({ token: annsToken });
    const { body } = await send("/api/session", { cookie });
    expect(JSON.stringify(body)).not.toContain(annsToken);
    expect(lines.join("\n")).not.toContain(annsToken);
    expect(lines.join("\n")).toContain("a person logged in");
  });
});

describe("two persons", () => {
  test("each sees only their own, in lists, in what needs attention and by name", async () => {
    const [ann, ben] = [await login({ token: annsToken }), await login({ token: bensToken })];
    const lists = [];
    for (const cookie of [ann, ben]) lists.push((await send("/api/lists/plugs", { cookie })).body);
    expect(lists.map(keysOf)).toEqual([[`${shop}/orders`], [`${blog}/orders`]]);
    expect(lists.map(({ namespaces }) => namespaces)).toEqual([[shop], [blog]]);
    const attention = await send("/api/attention", { cookie: ann });
    expect(JSON.stringify(attention.body)).not.toContain(blog);
    expect((await send(`/api/objects/plugs/${shop}/orders`, { cookie: ann })).body.row.name).toBe("orders");
    const guessed = await send(`/api/objects/plugs/${shop}/orders`, { cookie: ben });
    const absent = await send(`/api/objects/plugs/${shop}/no-such`, { cookie: ben });
    expect([guessed.status, absent.status]).toEqual([403, 403]);
    expect(guessed.body.error.replaceAll("orders", "NAME")).toBe(absent.body.error.replaceAll("no-such", "NAME"));
  });

  test("each may do only what the API server lets them do, and the log has who did it", async () => {
    const [ann, ben] = [await login({ token: annsToken }), await login({ token: bensToken })];
    expect([await actions(shop, ann), await actions(blog, ben)]).toEqual([["retry"], []]);
    expect((await retry(shop, ann)).status).toBe(200);
    expect((await retry(blog, ann)).status).toBe(403);
    expect((await retry(blog, ben)).status).toBe(403);
    expect(lines.filter((line) => line.includes("a person retried")).join("\n")).toMatch(
      new RegExp(`system:serviceaccount:${shop}:ann`),
    );
  });

  test("a right that was taken away is gone for the next session at once", async () => {
    const token = await makePerson("guest", blog, ["get", "list", "watch"]);
    expect(keysOf((await send("/api/lists/plugs", { cookie: await login({ token }) })).body)).toEqual([
      `${blog}/orders`,
    ]);
    const binding = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", namespace: blog, name: "guest" };
    await client.delete(binding, {});
    await vi.waitUntil(
      async () => keysOf((await send("/api/lists/plugs", { cookie: await login({ token }) })).body).length === 0,
      { timeout: 300_000 },
    );
  });
});

test("a request that is broken off while a list is read first does not fail another", async () => {
  const cookie = await login({ token: annsToken });
  const ending = new AbortController();
  const broken = fetch(`${server.origin}/api/lists/plugs`, { headers: { cookie }, signal: ending.signal });
  const others = [send("/api/lists/plugs", { cookie }), send("/api/attention", { cookie })];
  ending.abort();
  await expect(broken).rejects.toThrow(/abort/);
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
});

test("an open stream of changes ends once the API server no longer accepts the token", async () => {
  const clock = new FakeClock();
  await using own = await serveConsole({
    access,
    host: "127.0.0.1",
    port: 0,
    isReadOnly: true,
    clock,
    log: silentLogger,
  });
  const token = await makePerson("leaver", shop, ["get", "list", "watch"]);
  const headers = { origin: own.origin, "content-type": "application/json" };
  const started = await fetch(`${own.origin}/api/session`, {
    method: "POST",
    headers,
    body: JSON.stringify({ token }),
  });
  const cookie = (started.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const { body } = await fetch(`${own.origin}/api/changes?lists=plugs`, { headers: { cookie }, signal: limit() });
  const reading = (async () => {
    for await (const _ of body ?? []) continue;
    return "ended";
  })();
  await client.delete({ apiVersion: "v1", kind: "ServiceAccount", namespace: shop, name: "leaver" });
  // The API server itself accepts the token for some seconds more.
  await vi.waitUntil(
    async () => {
      await clock.advance(35_000);
      return await Promise.race([reading, Promise.resolve(undefined)]);
    },
    { timeout: 300_000, interval: 200 },
  );
  expect((await fetch(`${own.origin}/api/session`, { headers: { cookie } })).status).toBe(401);
});

describe("hostile requests", () => {
  test.each([
    { headers: { origin: "https://evil.example" }, status: 403, reason: "a forged Origin" },
    { headers: { origin: "" }, status: 403, reason: "no Origin" },
    { headers: { origin: "null" }, status: 403, reason: "a sandboxed page" },
    { headers: { "content-type": "text/plain" }, status: 415, reason: "a form of another site" },
  ])("a write with $reason is refused", async ({ headers, status }) => {
    const cookie = await login({ token: annsToken });
    const path = `/api/objects/plugs/${shop}/orders/retry`;
    expect((await send(path, { method: "POST", cookie, headers })).status).toBe(status);
  });

  test("a read that another site causes is refused", async () => {
    const cookie = await login({ token: annsToken });
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await send("/api/lists/plugs", { cookie, headers })).status).toBe(403);
  });

  test.each([
    "/api/lists/secrets",
    "/api/lists/__proto__",
    `/api/objects/plugs/${shop}/..%2f..%2fsecrets`,
    "/api/objects/constructor/a/b",
    "/api/lists/plugs?limit=100000",
    "/api/lists/plugs?sort=__proto__",
  ])("%s finds nothing", async (path) => {
    const cookie = await login({ token: annsToken });
    expect((await send(path, { cookie })).status).toSatisfy((status) => status === 400 || status === 404);
  });

  test("without a session there is no answer", async () => {
    const cookies = [{}, { cookie: "tenon-session=guessed" }];
    for (const cookie of cookies) expect((await send("/api/attention", cookie)).status).toBe(401);
  });
});

describe("changes", () => {
  interface Heard {
    readonly id: string;
    readonly event: string;
    readonly data: { readonly list?: string; readonly key?: string };
  }

  /** The events of a stream until one is as asked. */
  async function listen(
    cookie: string,
    lastId: string | undefined,
    isLast: (heard: Heard) => boolean,
    meanwhile = async () => {},
  ) {
    const ending = new AbortController();
    const headers = { cookie, ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
    const { body } = await fetch(`${server.origin}/api/changes?lists=plugs`, {
      headers,
      signal: AbortSignal.any([ending.signal, limit()]),
    });
    await meanwhile();
    const heard: Heard[] = [];
    let text = "";
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString();
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const [, hearsId = "", event = "", data = "{}"] =
          /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
        text = text.slice(end + 2);
        heard.push({ id: hearsId, event, data: JSON.parse(data) });
      }
      if (heard.some(isLast)) break;
    }
    ending.abort();
    return heard;
  }

  const about = (key: string) => (heard: Heard) => heard.event === "change" && heard.data.key === key;

  test("come to those who may see them, and are caught up on after a break", async () => {
    const [ann, ben] = [await login({ token: annsToken }), await login({ token: bensToken })];
    await send("/api/lists/plugs", { cookie: ann });
    const first = await listen(ann, undefined, about(`${shop}/seen`), async () => {
      await makePlug(blog, "hidden");
      await makePlug(shop, "seen");
    });
    expect(first.some(about(`${blog}/hidden`))).toBe(false);
    await makePlug(shop, "missed");
    // In ann's store, so in the feed too.
    await vi.waitUntil(
      async () => keysOf((await send("/api/lists/plugs", { cookie: ann })).body).includes(`${shop}/missed`),
      {
        timeout: 300_000,
      },
    );
    const caughtUp = await listen(ann, first.at(-1)?.id, ({ event }) => event === "beat");
    expect(caughtUp.filter(({ event }) => event === "change").map(({ data }) => data.key)).toContain(`${shop}/missed`);
    const other = await listen(ben, first.at(-1)?.id, ({ event }) => event === "beat");
    expect(other.map(({ event }) => event)).toContain("reset");
  });
});
