import { afterAll, describe, expect, it } from "vitest";
import { InputError, Secret } from "#base";
import { startHttpProxy } from "#faults";
import { accountUser, grantRights, testKubeconfig, useNamespace } from "#harness";
import { listOwnRules, reviewAccess, reviewOwnAccess } from "./reviews.ts";
import { ApiError } from "../transport/api-error.ts";
import { createClient } from "./client.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { accessThrough, presentationOf } from "../transport/proxied-access.fixture.ts";
import { type LogOptions, readLogs } from "./read-logs.ts";
import { callService } from "./service-proxy.ts";
import { requestToken } from "./token-request.ts";
import { connect } from "../transport/transport.ts";

const { namespace } = useNamespace();
const access = await loadAccess({ kubeconfig: testKubeconfig() });
const transport = connect(access);
afterAll(() => transport[Symbol.asyncDispose]());
const client = createClient(transport);

async function makeServiceAccount(name: string): Promise<{ namespace: string; name: string; user: string }> {
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name } });
  return { namespace, name, user: accountUser({ namespace, name }) };
}

async function allow(user: string, verbs: readonly string[], resource: string): Promise<void> {
  const rules = [{ apiGroups: [""], resources: [resource], verbs }];
  await grantRights(client, { namespace, name: `${verbs.join("-")}-${resource}`, user, rules });
}

describe("impersonation", () => {
  it("impersonate returns one client for each identity", async () => {
    const alice = client.impersonate({ user: "alice", groups: ["b", "a"] });
    expect(await alice.whoAmI()).toMatchObject({ user: "alice", groups: expect.arrayContaining(["a", "b"]) });
    expect(client.impersonate({ user: "alice", groups: ["a", "b"] })).toBe(alice);
    expect(alice.impersonate({ user: "alice", groups: ["a", "b"] })).toBe(alice);
    expect(client.impersonate({ user: "alice" })).not.toBe(alice);
    expect(client.impersonate({ user: "alice", groups: ["a,b"] })).not.toBe(alice);
    expect(await alice.impersonate({ user: "bob" }).whoAmI()).toMatchObject({ user: "bob" });
    expect(alice.discovery).toBe(client.discovery);
    expect((await client.whoAmI()).user).not.toBe("alice");
  });

  it("has the rights of that one, and the refusal names who may not do what", async () => {
    const nobody = client.impersonate({ user: "nobody" });
    const ref = { apiVersion: "v1", kind: "Secret", namespace, name: "a" };
    await expect(nobody.get(ref)).rejects.toMatchObject({ isForbidden: true, reason: "Forbidden" });
    await expect(nobody.find(ref)).rejects.toThrow(/User "nobody" cannot get resource "secrets" in API group ""/);
    await expect(nobody.delete(ref)).rejects.toMatchObject({ isForbidden: true });
  });

  it("asks for discovery once, for all identities", async () => {
    await using proxy = await startHttpProxy({ target: access.server, upstream: await presentationOf(access) });
    await using proxied = connect(accessThrough(access, proxy.url));
    const one = createClient(proxied);
    const identities = Array.from({ length: 20 }, (_, index) => one.impersonate({ user: `user-${index}` }));
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "a" };
    await Promise.allSettled(identities.map((identity) => identity.get(ref)));
    const asked = proxy.requests.filter(({ path }) => path === "/api" || path === "/apis");
    expect(asked.map(({ headers }) => headers["impersonate-user"])).toEqual([undefined, undefined]);
    expect(proxy.count(({ headers }) => headers["impersonate-user"] !== undefined)).toBe(20);
  });
});

describe("access reviews", () => {
  it("say what oneself may do", async () => {
    const { user } = await makeServiceAccount("reader");
    await allow(user, ["get", "list"], "configmaps");
    const reader = client.impersonate({ user });
    const question = { verb: "get", resource: "configmaps", namespace };
    expect(await reviewOwnAccess(reader, question)).toMatchObject({
      isAllowed: true,
      reason: expect.stringContaining("RoleBinding"),
    });
    expect(await reviewOwnAccess(reader, { ...question, verb: "delete" })).toEqual({ isAllowed: false, reason: "" });
    expect(await reviewOwnAccess(reader, { ...question, namespace: undefined })).toMatchObject({ isAllowed: false });
    expect(await reviewOwnAccess(client, { ...question, group: "apps", resource: "*" })).toMatchObject({
      isAllowed: true,
    });
  });

  it("reviewAccess says what another identity may do", async () => {
    const { user } = await makeServiceAccount("writer");
    await allow(user, ["update"], "secrets");
    const question = { verb: "update", resource: "secrets", namespace, name: "a" };
    expect(await reviewAccess(client, { user }, question)).toMatchObject({ isAllowed: true });
    expect(await reviewAccess(client, { user: "nobody" }, question)).toMatchObject({ isAllowed: false });
    const masters = { user: "nobody", groups: ["system:masters"] };
    expect(await reviewAccess(client, masters, question)).toMatchObject({ isAllowed: true });
    const path = { verb: "get", path: "/metrics" };
    expect(await reviewAccess(client, masters, path)).toMatchObject({ isAllowed: true });
    expect(await reviewAccess(client, { user: "nobody" }, path)).toMatchObject({ isAllowed: false });
  });

  it("list what oneself may do", async () => {
    const { user } = await makeServiceAccount("lister");
    await allow(user, ["watch"], "pods");
    const { resourceRules, pathRules } = await listOwnRules(client.impersonate({ user }), namespace);
    expect(resourceRules).toContainEqual({ verbs: ["watch"], apiGroups: [""], resources: ["pods"], resourceNames: [] });
    expect(Array.isArray(pathRules)).toBe(true);
  });
});

describe("requestToken", () => {
  it("gets a token that the server knows, and that does not print", async () => {
    const account = await makeServiceAccount("robot");
    const { token, expiresAt } = await requestToken(client, account, { expirationSeconds: 1200 });
    expect(String(token)).toBe("***");
    expect(expiresAt - Date.now()).toBeGreaterThan(1_100_000);
    expect(expiresAt - Date.now()).toBeLessThan(1_300_000);
    const credentials = { current: async () => ({ token }), renew: async () => false };
    await using robot = connect({ ...access, credentials });
    expect(await createClient(robot).whoAmI()).toMatchObject({ user: account.user });
  });

  it("gets a token for others only, if so asked", async () => {
    const account = await makeServiceAccount("envoy");
    const { token } = await requestToken(client, account, { audiences: ["vault"] });
    const [, claims = ""] = token.reveal().split(".");
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({ aud: ["vault"] });
    expect(token).toBeInstanceOf(Secret);
  });

  it("says why not", async () => {
    const account = await makeServiceAccount("mayfly");
    await expect(requestToken(client, { namespace, name: "missing" })).rejects.toMatchObject({ isNotFound: true });
    await expect(requestToken(client, account, { expirationSeconds: 1 })).rejects.toThrow(/spec.expirationSeconds/);
  });
});

async function makePod(name: string, scheduler: object): Promise<void> {
  const { name: serviceAccountName } = await makeServiceAccount(name);
  const spec = { serviceAccountName, containers: [{ name: "main", image: "nothing" }], ...scheduler };
  await client.create({ apiVersion: "v1", kind: "Pod", metadata: { namespace, name }, spec });
}

async function readAll(name: string, options: LogOptions = {}): Promise<string[]> {
  return await Array.fromAsync(readLogs(client, { namespace, name }, options, AbortSignal.timeout(300_000)));
}

describe("readLogs", () => {
  it("says clearly what is not there", async () => {
    await expect(readAll("missing")).rejects.toMatchObject({ isNotFound: true });
    await makePod("waiting", { schedulerName: "nobody" });
    expect(await readAll("waiting", { tailLines: 5, sinceSeconds: 5, timestamps: true })).toEqual([]);
    const wrong = readAll("waiting", { container: "other", previous: true });
    await expect(wrong).rejects.toThrow(/container other is not valid for pod waiting/);
  });

  it("says clearly that a node cannot be asked", async () => {
    await makePod("on-a-fake-node", {});
    const selection = { apiVersion: "v1", kind: "Pod", namespace, fieldSelector: "metadata.name=on-a-fake-node" };
    for await (const event of client.watch(selection, {}, AbortSignal.timeout(300_000))) {
      if (event.type !== "BOOKMARK" && JSON.stringify(event.object).includes('"phase":"Running"')) break;
    }
    const reading = readAll("on-a-fake-node", { follow: true });
    await expect(reading).rejects.toBeInstanceOf(ApiError);
    await expect(reading).rejects.toThrow(/pods\/on-a-fake-node\/log.*no preferred addresses found/);
  });
});

describe("callService", () => {
  it("says that a Service has no endpoints", async () => {
    const ports = [{ name: "web", port: 80 }];
    await client.create({ apiVersion: "v1", kind: "Service", metadata: { namespace, name: "empty" }, spec: { ports } });
    const call = callService(client, { namespace, service: "empty", port: "web", path: "/a/b" });
    await expect(call).rejects.toMatchObject({ status: 503, reason: "ServiceUnavailable" });
    await expect(call).rejects.toThrow(/no endpoints available for service "empty(:web)?"/);
  });

  it("says that one is not allowed to call", async () => {
    const call = callService(client.impersonate({ user: "nobody" }), { namespace, service: "empty" });
    await expect(call).rejects.toMatchObject({ isForbidden: true });
  });

  it.each([
    { reason: "a plain failure", status: 500, contentType: "text/plain", body: "ouch" },
    { reason: "a failure in JSON", status: 422, contentType: "application/json", body: '{"error":"no"}' },
    {
      reason: "too many requests, which is not the API server's to retry",
      status: 429,
      contentType: "text/plain",
      body: "later",
    },
    { reason: "a redirect", status: 302, contentType: "text/plain", body: "" },
    { reason: "a success", status: 200, contentType: "text/plain", body: "fine" },
  ])("gives the backend's answer as a value: $reason", async ({ status, contentType, body }) => {
    await using proxy = await startHttpProxy({ target: access.server, upstream: await presentationOf(access) });
    await using proxied = connect(accessThrough(access, proxy.url));
    const headers = { "content-type": contentType, "retry-after": "1", "x-own": "yes" };
    proxy.answer({ status, headers, body });
    const request = { namespace, service: "web", port: 80, scheme: "https", method: "POST", body: "ping" } as const;
    const answer = await callService({ transport: proxied }, { ...request, path: "/a b/", query: { q: "1" } });
    expect(answer).toMatchObject({ status, body, headers: { "x-own": "yes", "content-type": contentType } });
    expect(proxy.requests.map(({ method, path, requestBytes }) => ({ method, path, requestBytes }))).toEqual([
      {
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/services/https:web:80/proxy/a%20b/?q=1`,
        requestBytes: 4,
      },
    ]);
  });

  it.each([
    {
      reason: "a header that makes the API server impersonate",
      call: { headers: { "Impersonate-User": "admin" } },
    },
    { reason: "credentials for the API server", call: { headers: { authorization: "Bearer x" } } },
    { reason: "a name that hides a scheme", call: { service: "https:other" } },
    { reason: "a name that climbs", call: { service: ".." } },
    { reason: "a path that climbs", call: { path: "/../../secrets" } },
    { reason: "a path that is none", call: { path: "a" } },
    { reason: "a path with an empty segment", call: { path: "/a//b" } },
  ])("refuses $reason", async ({ call }) => {
    await expect(callService(client, { namespace, service: "web", ...call })).rejects.toBeInstanceOf(InputError);
  });
});
