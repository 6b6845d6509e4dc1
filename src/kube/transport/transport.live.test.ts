import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMetrics, InputError, Secret } from "#base";
import {
  type HttpProxy,
  internalError,
  isWatch,
  overloaded,
  type RecordedRequest,
  startHttpProxy,
  startTcpProxy,
  tooManyRequests,
} from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { ApiError } from "./api-error.ts";
import type { ClusterAccess, Credential } from "../access/cluster-access.ts";
import { ConnectionError } from "./connection-error.ts";
import { fixedCredentials } from "../access/credentials.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { requireServerVersion } from "./server-version.ts";
import { connect, type KubeRequest, type Transport, type TransportOptions } from "./transport.ts";

const { namespace } = useNamespace();
const never = new AbortController().signal;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const list: KubeRequest = { method: "GET", path: configMaps };
const isList = ({ path }: { path: string }) => path.startsWith(configMaps);

let access: ClusterAccess;
let proxy: HttpProxy;

beforeAll(async () => {
  access = await loadAccess({ kubeconfig: testKubeconfig(), env: {} });
  const { clientCertificate } = await access.credentials.current();
  const tls = {
    ca: access.certificateAuthority ?? "",
    cert: clientCertificate?.certificate ?? "",
    key: clientCertificate?.key.reveal() ?? "",
  };
  proxy = await startHttpProxy({ target: access.server, upstream: { tls } });
});
afterAll(() => proxy[Symbol.asyncDispose]());

/** Through the fault proxy, which has the credentials. */
function connectThroughProxy(options: TransportOptions = {}): Transport {
  return connect({ ...access, server: proxy.url, credentials: fixedCredentials({}) }, { random: () => 0, ...options });
}

function isOpenWatch(request: RecordedRequest): boolean {
  return request.isOpen && isWatch(request);
}

function asBearer(token: string): Credential {
  return { token: new Secret(token) };
}

function create(name: string): KubeRequest {
  return { method: "POST", path: configMaps, body: { metadata: { name } } };
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("1,000 calls use no more connections than the concurrency limit", async () => {
  await using tcp = await startTcpProxy({ target: { host: access.server.hostname, port: Number(access.server.port) } });
  const server = new URL(`https://${tcp.host}:${tcp.port}`);
  await using transport = connect({ ...access, server }, { concurrency: 8 });
  await Promise.all(Array.from({ length: 1000 }, () => transport.send(list)));
  expect(tcp.counts.opened).toBeLessThanOrEqual(8);
});

test("the concurrency limit holds for all identities of a transport together", async () => {
  await using transport = connectThroughProxy({ concurrency: 3 });
  using silence = proxy.silence({ match: isList });
  const bob = transport.impersonate({ user: "system:admin", groups: ["system:masters"] });
  const calls = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? transport : bob).send(list));
  await expect.poll(() => silence.used).toBe(3);
  const next = new AbortController();
  const queued = failureOf(transport.send({ method: "GET", path: "/version" }, next.signal));
  next.abort("not sent");
  expect([await queued, silence.used, proxy.count(({ path }) => path === "/version")]).toEqual(["not sent", 3, 0]);
  proxy.restore();
  await Promise.all(calls);
});

test("an answer has status, headers and body, and the server sees who asks", async () => {
  await using transport = connectThroughProxy();
  const { status, headers, body } = await transport.send(create("answer"));
  expect([status, headers["content-type"]]).toEqual([201, "application/json"]);
  expect(JSON.parse(body)).toMatchObject({ kind: "ConfigMap", metadata: { name: "answer" } });
  const { headers: sent } = await proxy.when(({ method }) => method === "POST");
  expect(sent["user-agent"]).toMatch(/^tenon\/\d+\.\d+\.\d+/);
});

test("large answers travel compressed, unless the kubeconfig forbids it", async () => {
  await using transport = connectThroughProxy();
  await using plain = connect({
    ...access,
    server: proxy.url,
    credentials: fixedCredentials({}),
    isCompressionDisabled: true,
  });
  const data = { text: "tenon ".repeat(50_000) };
  await transport.send({ method: "POST", path: configMaps, body: { metadata: { name: "large" }, data } });
  const get: KubeRequest = { method: "GET", path: `${configMaps}/large` };
  const isLarge = ({ path, method }: { path: string; method: string }) => method === "GET" && path === get.path;
  const compressed = await transport.send(get);
  const { responseBytes } = await proxy.when(isLarge);
  expect(JSON.parse(compressed.body)).toMatchObject({ data });
  expect(responseBytes).toBeLessThan(30_000);
  expect(JSON.parse((await plain.send(get)).body)).toMatchObject({ data });
  expect((await proxy.when(isLarge, 2)).responseBytes).toBeGreaterThan(300_000);
});

describe("the transport retries", () => {
  test("a GET whose idle connection was reset meanwhile", async () => {
    await using tcp = await startTcpProxy({
      target: { host: access.server.hostname, port: Number(access.server.port) },
    });
    await using transport = connect({ ...access, server: new URL(`https://${tcp.host}:${tcp.port}`) });
    await transport.send(list);
    tcp.reset("live");
    await transport.send(list);
    expect(tcp.counts.opened).toBe(2);
  });

  test("a GET whose answer was lost", async () => {
    await using transport = connectThroughProxy();
    const cut = proxy.cut({ match: isList, times: 2 });
    await transport.send(list);
    expect(cut.used).toBe(2);
  });

  test("a POST whose idle connection was reset before anything was written", async () => {
    await using tcp = await startTcpProxy({
      target: { host: access.server.hostname, port: Number(access.server.port) },
    });
    await using transport = connect({ ...access, server: new URL(`https://${tcp.host}:${tcp.port}`) });
    await transport.send(create("idle-1"));
    tcp.reset("live");
    await tcp.until(({ live }) => live === 0);
    // The reset has arrived by now; this process reads it in the next turn of its event loop.
    await setImmediate();
    expect(await transport.send(create("idle-2"))).toMatchObject({ status: 201 });
  });

  test("a POST or GET answered with Retry-After, as Status or as text, after that time", async () => {
    await using transport = connectThroughProxy();
    const throttled = [
      proxy.answer({ match: isList, times: 1, ...tooManyRequests(1) }),
      proxy.answer({ match: isList, times: 1, ...overloaded(0) }),
      proxy.answer({ match: isList, times: 1, status: 503, headers: { "retry-after": "0" } }),
    ];
    const started = performance.now();
    await transport.send(create("throttled"));
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    expect(throttled.map(({ used }) => used)).toEqual([1, 1, 1]);
  });

  test("an apply that failed in the server, because it is idempotent", async () => {
    await using transport = connectThroughProxy();
    const failing = proxy.answer({ match: isList, times: 2, ...internalError() });
    await transport.send({
      method: "PATCH",
      path: `${configMaps}/applied`,
      query: { fieldManager: "test" },
      contentType: "application/apply-patch+yaml",
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" } },
      isIdempotent: true,
    });
    expect(failing.used).toBe(2);
  });
});

describe("the transport does not retry", () => {
  test("a POST whose answer was lost: the server has acted", async () => {
    await using transport = connectThroughProxy();
    using cut = proxy.cut({ match: ({ method }) => method === "POST" });
    const error = await failureOf(transport.send(create("lost")));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ failure: "broken", wasSent: true });
    expect(cut.used).toBe(1);
    await transport.send({ method: "GET", path: `${configMaps}/lost` });
  });

  test("a POST that failed in the server", async () => {
    await using transport = connectThroughProxy();
    using failing = proxy.answer({ match: isList, ...internalError() });
    const error = await failureOf(transport.send(create("failing")));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 500, isServerFailure: true });
    expect(failing.used).toBe(1);
  });

  test("a GET for the third time", async () => {
    await using transport = connectThroughProxy();
    using failing = proxy.answer({ match: isList, ...internalError() });
    expect(await failureOf(transport.send(list))).toMatchObject({ status: 500 });
    expect(failing.used).toBe(3);
  });

  test("a call whose Retry-After is an hour", async () => {
    await using transport = connectThroughProxy();
    using throttled = proxy.answer({ match: isList, ...tooManyRequests(3600) });
    expect(await failureOf(transport.send(list))).toMatchObject({ isTooManyRequests: true, retryAfterMs: 3_600_000 });
    expect(throttled.used).toBe(1);
  });
});

describe("a wait ends", () => {
  test("when the answer takes too long, and the error names the request", async () => {
    const clock = new FakeClock();
    await using transport = connectThroughProxy({ clock });
    using silence = proxy.silence({ match: isList });
    const failure = failureOf(transport.send({ ...list, query: { labelSelector: "late" } }));
    await proxy.when(({ path }) => path.endsWith("labelSelector=late"));
    await clock.advance(60_000);
    expect(await failure).toMatchObject({
      failure: "timeout",
      message: expect.stringMatching(
        /^GET \/api\/v1\/.*configmaps\?labelSelector=late on .*: the server http:.* no complete answer within 60 s; /,
      ),
    });
    expect(silence.used).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test("when the body stops in the middle", async () => {
    const clock = new FakeClock();
    await using transport = connectThroughProxy({ clock });
    using _silence = proxy.silence({ match: isList, at: { bytes: 5 } });
    const request: KubeRequest = { ...list, query: { labelSelector: "body" } };
    const failure = failureOf(transport.send(request));
    await proxy.when(({ status, path }) => status === 200 && path.endsWith("labelSelector=body"));
    await clock.advance(60_000);
    expect(await failure).toMatchObject({ failure: "timeout" });
  });

  test("with the signal's reason: while it waits for the answer, for a free slot, or for Retry-After", async () => {
    await using transport = connectThroughProxy({ concurrency: 1 });
    const reason = new Error("enough");
    using _silence = proxy.silence({ match: ({ path }) => path.endsWith("labelSelector=silent") });
    using _throttled = proxy.answer({
      match: ({ path }) => path.endsWith("labelSelector=throttled"),
      ...tooManyRequests(30),
    });
    const silent: KubeRequest = { ...list, query: { labelSelector: "silent" } };
    const abort = new AbortController();
    const waiting = [failureOf(transport.send(silent, abort.signal)), failureOf(transport.send(silent, abort.signal))];
    await proxy.when(({ path }) => path.endsWith("labelSelector=silent"));
    abort.abort(reason);
    expect(await Promise.all(waiting)).toEqual([reason, reason]);

    const later = new AbortController();
    const throttled = failureOf(transport.send({ ...list, query: { labelSelector: "throttled" } }, later.signal));
    await proxy.when(({ path, isOpen }) => path.endsWith("labelSelector=throttled") && !isOpen);
    later.abort(reason);
    expect(await throttled).toBe(reason);
    expect(await failureOf(transport.send(list, AbortSignal.abort(reason)))).toBe(reason);
  });
});

describe("a stream", () => {
  const watch: KubeRequest = { method: "GET", path: configMaps, query: { watch: true } };

  test("a stream yields its chunks, and closes its connection when the loop ends", async () => {
    await using transport = connectThroughProxy();
    const stream = await transport.open({ ...watch, query: { watch: true, resourceVersion: "" } }, never);
    await transport.send(create("streamed"));
    for await (const chunk of stream) {
      expect(Buffer.from(chunk).toString()).toContain('"type":"ADDED"');
      break;
    }
    await expect.poll(() => proxy.count(isOpenWatch)).toBe(0);
  });

  test("ends with the signal's reason", async () => {
    await using transport = connectThroughProxy();
    const abort = new AbortController();
    const reason = new Error("enough");
    const stream = await transport.open(watch, abort.signal);
    const read = (async () => {
      for await (const _chunk of stream) abort.abort(reason);
    })();
    expect(await failureOf(read)).toBe(reason);
  });

  test("the error of a broken stream names the request", async () => {
    await using transport = connectThroughProxy();
    using _cut = proxy.cut({ match: isWatch, at: { bytes: 10 } });
    const stream = await transport.open(watch, never);
    const read = (async () => {
      for await (const _chunk of stream) continue;
    })();
    const error = await failureOf(read);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      failure: "broken",
      message: expect.stringContaining(`GET ${configMaps}?watch=true on`),
    });
  });

  test("a refused stream is an ApiError before its first byte", async () => {
    await using transport = connectThroughProxy();
    const error = await failureOf(transport.open({ ...watch, query: { watch: true, labelSelector: "((" } }, never));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ isBadRequest: true });
  });

  test("streams do not count for the concurrency limit", async () => {
    await using transport = connectThroughProxy({ concurrency: 1 });
    const abort = new AbortController();
    const streams = await Promise.all(Array.from({ length: 5 }, () => transport.open(watch, abort.signal)));
    await transport.send(list);
    expect(streams).toHaveLength(5);
    abort.abort();
  });
});

describe("impersonation", () => {
  test("arrives with all groups, the uid and the extras", async () => {
    await using transport = connect(access);
    const identity = {
      user: "jürgen",
      groups: ["team-a", "team-b"],
      uid: "42",
      extra: { "example.com/Scopes": ["one", "two"] },
    };
    const { body } = await transport.impersonate(identity).send({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    });
    expect(JSON.parse(body).status.userInfo).toMatchObject({
      username: "jürgen",
      uid: "42",
      groups: ["team-a", "team-b", "system:authenticated"],
      extra: { "example.com/Scopes": ["one", "two"] },
    });
  });

  test("disposing of it leaves the transport it came from alone", async () => {
    await using transport = connectThroughProxy();
    await transport.impersonate({ user: "bob" })[Symbol.asyncDispose]();
    expect(await transport.send(list)).toMatchObject({ status: 200 });
  });
});

describe("a rejected token", () => {
  test("is renewed once, and the call sent again, POST or not", async () => {
    const [old, fresh] = [asBearer("old-token-1"), asBearer("new-token-1")];
    let current = old;
    const credentials = {
      current: async () => current,
      async renew() {
        current = fresh;
        return true;
      },
    };
    await using transport = connect({ ...access, server: proxy.url, credentials });
    using _rejects = proxy.answer({
      match: ({ headers }) => headers.authorization === "Bearer old-token-1",
      status: 401,
    });
    using accepts = proxy.answer({
      match: ({ headers }) => headers.authorization === "Bearer new-token-1",
      status: 201,
    });
    await transport.send(create("renewed"));
    expect(accepts.used).toBe(1);
  });

  test("is an ApiError that says to log in again when it cannot be renewed or is rejected again", async () => {
    await using fixed = connect({
      ...access,
      server: proxy.url,
      credentials: fixedCredentials(asBearer("old-token-2")),
    });
    const renewable = { current: async () => asBearer("old-token-3"), renew: async () => true };
    await using endless = connect({ ...access, server: proxy.url, credentials: renewable });
    using rejects = proxy.answer({ match: ({ headers }) => headers.authorization !== undefined, status: 401 });
    const errors = await Promise.all([failureOf(fixed.send(list)), failureOf(endless.send(list))]);
    expect(rejects.used).toBe(3);
    for (const error of errors) {
      expect(error).toMatchObject({ isUnauthorized: true, next: expect.stringMatching(/^log in again/) });
      expect(String(error)).not.toContain("old-token");
    }
  });
});

test("a server too old is refused with both versions", async () => {
  await using transport = connectThroughProxy();
  expect(await requireServerVersion(transport)).toMatchObject({ major: 1 });
  using _old = proxy.answer({
    match: ({ path }) => path === "/version",
    status: 200,
    body: '{"gitVersion":"v1.29.9"}',
  });
  const error = await failureOf(requireServerVersion(transport));
  expect(error).toBeInstanceOf(InputError);
  expect(String(error)).toMatch(
    /context .*: the server runs Kubernetes v1.29.9, and Tenon needs 1.30 or later; upgrade/,
  );
});

test("calls are counted and timed in metrics with client-go's names", async () => {
  const metrics = createMetrics();
  await using transport = connectThroughProxy({ metrics });
  await using _another = connectThroughProxy({ metrics });
  using _failing = proxy.answer({ match: isList, times: 1, ...internalError() });
  await transport.send(list);
  await failureOf(transport.send({ method: "GET", path: `${configMaps}/absent` }));
  const { body } = await metrics.expose();
  const host = proxy.url.host;
  expect(body).toContain(`rest_client_requests_total{code="200",method="GET",host="${host}"} 1`);
  expect(body).toContain(`rest_client_requests_total{code="404",method="GET",host="${host}"} 1`);
  expect(body).toContain(`rest_client_requests_total{code="500",method="GET",host="${host}"} 1`);
  expect(body).toContain(`rest_client_request_retries_total{code="500",verb="GET",host="${host}"} 1`);
  expect(body).toMatch(/rest_client_request_duration_seconds_count\{verb="GET",host=".*"\} 3/);
  expect(body).toMatch(/rest_client_rate_limiter_duration_seconds_count\{verb="GET",host=".*"\} 3/);
});

test("the server URL may have a path", async () => {
  const server = new URL("/k8s/clusters/one/", proxy.url);
  await using transport = connect({ ...access, server, credentials: fixedCredentials({}) });
  using below = proxy.answer({ match: ({ path }) => path === "/k8s/clusters/one/version?a=b", status: 200 });
  await transport.send({ method: "GET", path: "/version", query: { a: "b", c: undefined } });
  expect(below.used).toBe(1);
});

test("with passesFailures any status is an answer, except a 401 of the API server itself", async () => {
  await using transport = connectThroughProxy();
  const request: KubeRequest = {
    method: "GET",
    path: `/api/v1/namespaces/${namespace}/services/s/proxy/`,
    passesFailures: true,
  };
  const status = { kind: "Status", apiVersion: "v1", code: 401, message: "no" };
  for (const answer of [
    { status: 503, body: "busy" },
    { status: 401, body: "who?" },
  ]) {
    using _rule = proxy.answer(answer);
    expect(await transport.send(request)).toMatchObject(answer);
  }
  using _rule = proxy.answer({ status: 401, body: JSON.stringify(status) });
  await expect(transport.send(request)).rejects.toThrow(ApiError);
});

test("a path with unencoded segments is refused", async () => {
  await using transport = connectThroughProxy();
  for (const path of ["/api/../version", "/api//v1", "api", "/a b", "/a?b", "/a\r\nx: y"]) {
    await expect(transport.send({ method: "GET", path })).rejects.toThrow(TypeError);
  }
});
