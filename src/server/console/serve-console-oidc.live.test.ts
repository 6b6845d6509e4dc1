import { createHmac, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Clock, createLogger, Secret, systemClock } from "#base";
import { couplingKinds, Plug } from "#coupling";
import { installKinds } from "#crd";
import { testKubeconfig } from "#harness";
import { type ClusterAccess, connect, createClient, type KubeClient, loadAccess } from "#kube";
import { IdentityProvider } from "./oidc/identity-provider.ts";
import type { ImpersonationRule } from "./oidc/oidc-login.ts";
import { SmallBrowser } from "./oidc/small-browser.fixture.ts";
import { signWith, SmallProvider, type Twist } from "./oidc/small-provider.fixture.ts";
import { type ConsoleServer, serveConsole } from "./serve-console.ts";

const id = crypto.randomUUID().slice(0, 8);
const namespace = `oidc-${id}`;
const lines: string[] = [];
const stack = new AsyncDisposableStack();
let skewMs = 0;
const clock: Clock = { ...systemClock, now: () => Date.now() + skewMs };
let provider: SmallProvider;
let access: ClusterAccess;
let client: KubeClient;
let server: ConsoleServer;

async function serve(impersonation: ImpersonationRule | undefined): Promise<ConsoleServer> {
  const options = {
    issuer: new URL(provider.issuer),
    clientId: SmallProvider.clientId,
    clientSecret: new Secret(SmallProvider.clientSecret),
    scopes: ["groups"],
  };
  return stack.use(
    await serveConsole({
      access,
      host: "127.0.0.1",
      port: 0,
      isReadOnly: false,
      oidc: { provider: new IdentityProvider(options, clock), impersonation },
      clock,
      log: createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } }),
    }),
  );
}

const rule: ImpersonationRule = {
  usernameClaim: "sub",
  usernamePrefix: "oidc:",
  groupsClaim: "groups",
  groupsPrefix: "oidc:",
};

beforeAll(async () => {
  access = await loadAccess({ kubeconfig: testKubeconfig() });
  client = createClient(stack.use(connect(access)));
  provider = stack.use(await SmallProvider.start());
  provider.now = () => clock.now();
  await installKinds(client, couplingKinds);
  for (const kind of couplingKinds) await client.discovery.whenServed(kind, AbortSignal.timeout(300_000));
  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  stack.defer(async () => {
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace }, {});
  });
  const { apiVersion, kind } = Plug;
  await client.create({ apiVersion, kind, metadata: { namespace, name: "orders" }, spec: {} });
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { namespace, name: "shop-team" };
  const rules = [{ apiGroups: ["integration.rock8s.com"], resources: ["plugs"], verbs: ["get", "list", "watch"] }];
  await client.create({ apiVersion: `${apiGroup}/v1`, kind: "Role", metadata, rules });
  const roleRef = { apiGroup, kind: "Role", name: "shop-team" };
  const subjects = [{ apiGroup, kind: "Group", name: "oidc:shop-team" }];
  await client.create({ apiVersion: `${apiGroup}/v1`, kind: "RoleBinding", metadata, roleRef, subjects });
  server = await serve(rule);
});
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  provider.twist = {};
  provider.subject = "ann";
  provider.lifetimeSeconds = 3_600;
});

const newBrowser = (): SmallBrowser => new SmallBrowser(() => server.origin);

describe("a login at an identity provider", () => {
  test("leads back to the page that was asked for, with the rights of the person and of their groups", async () => {
    const browser = newBrowser();
    expect(await browser.logIn("/plugs?search=a")).toBe("/plugs?search=a");
    expect((await browser.read("/api/session")).body.user).toBe("oidc:ann");
    const { body } = await browser.read("/api/lists/plugs");
    expect(body.rows.map((row: { namespace: string; name: string }) => `${row.namespace}/${row.name}`)).toEqual([
      `${namespace}/orders`,
    ]);
    expect((await browser.read("/api/lists/sockets")).body.rows).toEqual([]);
    expect(lines.join("\n")).toMatch(/oidc:ann.*"by":"oidc"|"by":"oidc".*oidc:ann/);
  });

  test("is offered to strangers by the name of the provider", async () => {
    const { body } = await newBrowser().read("/api/login");
    expect(body).toEqual({ provider: new URL(provider.issuer).host });
  });

  test("never leads to another site", async () => {
    for (const to of ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]) {
      const led = new URL(await newBrowser().logIn(to), server.origin);
      expect([to, led.origin]).toEqual([to, server.origin]);
    }
  });

  test("keeps tokens out of the browser and out of the log", async () => {
    const browser = newBrowser();
    await browser.logIn();
    const said = [...lines, JSON.stringify((await browser.read("/api/session")).body), ...browser.cookies.values()];
    expect(said.join("\n")).not.toMatch(/eyJ/);
  });

  test("with the id token as the person's own, a cluster that does not trust the provider refuses the person", async () => {
    const strict = await serve(undefined);
    const browser = newBrowser();
    const login = await browser.go(`${strict.origin}/oidc/login`);
    const { to } = await browser.go((await browser.go(login.to)).to);
    expect([to, browser.hasSession]).toEqual(["/login?failed=cluster", false]);
  });
});

const secondsAgo = (seconds: number): number => Math.floor(Date.now() / 1_000) - seconds;
const other = generateKeyPairSync("rsa", { modulusLength: 2_048 });

describe("no session starts", () => {
  test("with a forged state", async () => {
    const browser = newBrowser();
    const back = new URL(await browser.begin());
    back.searchParams.set("state", "forged");
    expect([(await browser.go(back.href)).to, browser.hasSession]).toEqual(["/login?failed=login", false]);
  });

  test("in a browser that did not begin the login, and the one that did goes on", async () => {
    const [ann, victim] = [newBrowser(), newBrowser()];
    const back = await ann.begin();
    expect([(await victim.go(back)).to, victim.hasSession]).toEqual(["/login?failed=login", false]);
    expect([(await ann.go(back)).to, ann.hasSession]).toEqual(["/", true]);
  });

  test("with an answer of the provider that was used before", async () => {
    const browser = newBrowser();
    const back = await browser.begin();
    const cookies = new Map(browser.cookies);
    expect((await browser.go(back)).to).toBe("/");
    const again = newBrowser();
    for (const [name, value] of cookies) again.cookies.set(name, value);
    expect([(await again.go(back)).to, again.hasSession]).toEqual(["/login?failed=login", false]);
  });

  test("with the code of another login, whose proof this one does not have", async () => {
    const [ann, thief] = [newBrowser(), newBrowser()];
    const stolen = new URL(await ann.begin()).searchParams.get("code") ?? "";
    const back = new URL(await thief.begin());
    back.searchParams.set("code", stolen);
    expect([(await thief.go(back.href)).to, thief.hasSession]).toEqual(["/login?failed=provider", false]);
  });

  test("with an answer that says it is of another provider", async () => {
    const browser = newBrowser();
    const back = `${await browser.begin()}&iss=${encodeURIComponent("https://evil.example")}`;
    expect([(await browser.go(back)).to, browser.hasSession]).toEqual(["/login?failed=login", false]);
  });

  test.each<{ reason: string; twist: () => Twist; log: RegExp }>([
    { reason: "another issuer", twist: () => ({ claims: { iss: "https://evil.example" } }), log: /another issuer/ },
    { reason: "another audience", twist: () => ({ claims: { aud: "grafana" } }), log: /for another client/ },
    {
      reason: "an audience of several, issued to another client",
      twist: () => ({ claims: { aud: ["grafana", SmallProvider.clientId], azp: "grafana" } }),
      log: /issued to another client/,
    },
    { reason: "the nonce of another login", twist: () => ({ claims: { nonce: "old" } }), log: /another login/ },
    { reason: "no nonce", twist: () => ({ claims: { nonce: undefined } }), log: /another login/ },
    { reason: "a time that is over", twist: () => ({ claims: { exp: secondsAgo(1) } }), log: /has expired/ },
    { reason: "a time to come", twist: () => ({ claims: { iat: secondsAgo(-3_600) } }), log: /of the future/ },
    {
      reason: "a signature by another key",
      twist: () => ({ signature: (data) => signWith(other.privateKey, data) }),
      log: /not signed by a key of the issuer/,
    },
    {
      reason: "no signature",
      twist: () => ({ header: { alg: "none" }, signature: () => Buffer.alloc(0) }),
      log: /which is not accepted/,
    },
    {
      reason: "the public key as a shared secret",
      twist: () => ({
        header: { alg: "HS256" },
        signature: (data) =>
          createHmac("sha256", provider.keys.publicKey.export({ type: "spki", format: "pem" }))
            .update(data)
            .digest(),
      }),
      log: /which is not accepted/,
    },
    { reason: "a key that is not there", twist: () => ({ header: { kid: "two" } }), log: /not signed by a key/ },
    { reason: "no person", twist: () => ({ claims: { sub: "" } }), log: /cannot be read/ },
  ])("with an id token that has $reason", async ({ twist, log }) => {
    provider.twist = twist();
    lines.length = 0;
    const browser = newBrowser();
    expect([await browser.logIn(), browser.hasSession]).toEqual(["/login?failed=provider", false]);
    expect(lines.join("\n")).toMatch(log);
  });

  test("as a user or a group of Kubernetes itself", async () => {
    const bare = await serve({ ...rule, usernamePrefix: "", groupsPrefix: "" });
    for (const claims of [{ groups: ["system:masters"] }, { sub: "system:admin" }]) {
      provider.twist = { claims };
      const browser = newBrowser();
      const login = await browser.go(`${bare.origin}/oidc/login`);
      const { to } = await browser.go((await browser.go(login.to)).to);
      expect([to, browser.hasSession]).toEqual(["/login?failed=provider", false]);
    }
  });
});

describe("a session by an identity provider", () => {
  test("is renewed before its token expires, once for all requests, and without the person", async () => {
    provider.lifetimeSeconds = 100;
    const browser = newBrowser();
    await browser.logIn();
    provider.grants.length = 0;
    skewMs += 80_000;
    const answers = await Promise.all([1, 2, 3].map(() => browser.read("/api/session")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(provider.grants).toEqual(["refresh_token"]);
  });

  test("ends when the token has expired and the provider renews it no more", async () => {
    provider.lifetimeSeconds = 100;
    const browser = newBrowser();
    await browser.logIn();
    provider.twist = { refusesRefresh: true };
    skewMs += 80_000;
    expect((await browser.read("/api/session")).status, "still valid").toBe(200);
    skewMs += 80_000;
    expect((await browser.read("/api/session")).body.error).toBe("the login has ended at the provider");
    provider.twist = {};
    expect((await browser.read("/api/session")).status, "for good").toBe(401);
  });

  test("ends when the renewed token is of another person, or of other groups", async () => {
    for (const claims of [{ sub: "ben" }, { groups: [] }]) {
      provider.twist = {};
      provider.lifetimeSeconds = 100;
      const browser = newBrowser();
      await browser.logIn();
      provider.twist = { claims };
      skewMs += 160_000;
      expect([claims, (await browser.read("/api/lists/plugs")).status]).toEqual([claims, 401]);
      expect((await browser.read("/api/session")).status).toBe(401);
    }
  });

  test("ends with the logout, here and at the provider", async () => {
    const browser = newBrowser();
    await browser.logIn();
    const stolen = newBrowser();
    for (const [name, value] of browser.cookies) stolen.cookies.set(name, value);
    provider.revoked.length = 0;
    const headers = { origin: server.origin, "content-type": "application/json" };
    const { body } = await browser.go(`${server.origin}/api/session`, { method: "DELETE", headers });
    const goTo = new URL(JSON.parse(body).goTo);
    expect(goTo.href.startsWith(`${provider.issuer}/end?`)).toBe(true);
    expect(goTo.searchParams.get("post_logout_redirect_uri")).toBe(`${server.origin}/`);
    expect(goTo.href, "no token in an address").not.toContain("eyJ");
    expect(provider.revoked).toHaveLength(1);
    expect((await stolen.read("/api/session")).status).toBe(401);
  });
});
