import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLogger, Secret, systemClock } from "#base";
import { annotations } from "#coupling";
import { grantRights, startApiServer, useCoupling } from "#harness";
import { reviewAccess } from "#kube";
import { IdentityProvider } from "./oidc/identity-provider.ts";
import { SmallBrowser } from "./oidc/small-browser.fixture.ts";
import { SmallProvider } from "./oidc/small-provider.fixture.ts";
import { type ConsoleServer, serveConsole } from "./serve-console.ts";

const world = useCoupling();
const { app, prov } = world;
const stack = new AsyncDisposableStack();
const lines: string[] = [];
let provider: SmallProvider;
let server: ConsoleServer;

async function selfSigned(folder: string): Promise<{ readonly key: string; readonly cert: string }> {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=provider", "-addext", "subjectAltName=IP:127.0.0.1"];
  await promisify(execFile)("openssl", [
    "req",
    "-x509",
    "-days",
    "2",
    ...algorithm,
    ...names,
    "-keyout",
    key,
    "-out",
    cert,
  ]);
  return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#using-authentication-configuration */
function trustIn({ issuer }: SmallProvider, certificateAuthority: string): string {
  return JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url: issuer, audiences: [SmallProvider.clientId], certificateAuthority },
        claimMappings: {
          username: { claim: "sub", prefix: "oidc:" },
          groups: { claim: "groups", prefix: "oidc:" },
        },
      },
    ],
  });
}

beforeAll(async () => {
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "tenon-provider-")));
  const tls = await selfSigned(folder.path);
  provider = stack.use(await SmallProvider.start(tls));
  const trusted = getCACertificates("default");
  // As NODE_EXTRA_CA_CERTS does it for a process of its own.
  setDefaultCACertificates([...trusted, tls.cert]);
  stack.defer(() => setDefaultCACertificates(trusted));
  const file = join(folder.path, "authentication.json");
  await writeFile(file, trustIn(provider, tls.cert));
  const { access } = stack.use(await startApiServer([`--authentication-config=${file}`]));
  const options = {
    issuer: new URL(provider.issuer),
    clientId: SmallProvider.clientId,
    clientSecret: new Secret(SmallProvider.clientSecret),
    scopes: ["groups"],
  };
  server = stack.use(
    await serveConsole({
      access,
      host: "127.0.0.1",
      port: 0,
      isReadOnly: false,
      oidc: { provider: new IdentityProvider(options, systemClock) },
      clock: systemClock,
      log: createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } }),
    }),
  );
  await world.apply(
    world.socket("postgres", {}),
    world.plug("orders", { socket: { name: "postgres", namespace: prov } }),
  );
  await world.waitUntilCoupled("orders");
  const rules = [{ apiGroups: ["integration.rock8s.com"], resources: ["plugs"], verbs: ["get", "list", "watch"] }];
  await grantRights(world.client, {
    name: "ann",
    namespace: app,
    user: "oidc:ann",
    rules: [...rules, patchOf("plugs")],
  });
  await grantToGroup("oidc:blog-team");
  await grantRights(world.client, { name: "ben", namespace: app, user: "oidc:ben", rules });
  const right = { verb: "list", group: "integration.rock8s.com", resource: "plugs", namespace: app };
  for (const user of ["oidc:ann", "oidc:ben"]) {
    await vi.waitUntil(async () => (await reviewAccess(world.client, { user }, right)).isAllowed, { timeout: 300_000 });
  }
});
afterAll(() => stack.disposeAsync());

async function grantToGroup(name: string): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { name: "blog-team", namespace: prov };
  const rules = [{ apiGroups: ["integration.rock8s.com"], resources: ["sockets"], verbs: ["get"] }];
  await world.client.create({ apiVersion: `${apiGroup}/v1`, kind: "Role", metadata, rules });
  await world.client.create({
    apiVersion: `${apiGroup}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup, kind: "Role", name: "blog-team" },
    subjects: [{ apiGroup, kind: "Group", name }],
  });
}

const patchOf = (resource: string) => ({
  apiGroups: ["integration.rock8s.com"],
  resources: [resource],
  verbs: ["patch"],
});

async function logIn(subject: string): Promise<SmallBrowser> {
  provider.subject = subject;
  const browser = new SmallBrowser(() => server.origin);
  expect(await browser.logIn("/plugs")).toBe("/plugs");
  return browser;
}

const retry = async (browser: SmallBrowser): Promise<number> => {
  const headers = { origin: server.origin, "content-type": "application/json" };
  const path = `${server.origin}/api/objects/plugs/${app}/orders/retry`;
  return (await browser.go(path, { method: "POST", headers, body: "{}" })).status;
};

test("a person whom the API server knows by the provider logs in, and reads and writes with their own id token", async () => {
  const ann = await logIn("ann");
  expect((await ann.read("/api/session")).body.user).toBe("oidc:ann");
  const { body } = await ann.read("/api/lists/plugs");
  expect(body.rows.map((row: { name: string }) => row.name)).toEqual(["orders"]);
  const before = await world.client.get(world.ref("Plug", "orders"));
  expect(await retry(ann)).toBe(200);
  const after = await world.client.get(world.ref("Plug", "orders"));
  const key = annotations.retry;
  expect(after.metadata.annotations?.[key]).not.toBe(before.metadata.annotations?.[key]);
  const audited = lines.filter((line) => line.includes("a person retried an object"));
  expect(audited).toEqual([expect.stringContaining('"user":"oidc:ann"')]);
  expect(lines.join("\n"), "no token in the log").not.toMatch(/eyJ/);
});

test("another person of the same provider is refused what their own rights do not allow", async () => {
  const ben = await logIn("ben");
  const { body } = await ben.read(`/api/objects/plugs/${app}/orders`);
  expect([body.row.name, body.actions]).toEqual(["orders", []]);
  expect(await retry(ben)).toBe(403);
});

test("the API server gets the renewed token: rights of a group that the provider adds count without a new login", async () => {
  // It is renewed 30 s before it ends, which is after one.
  provider.lifetimeSeconds = 31;
  const ann = await logIn("ann");
  const path = `/api/objects/sockets/${prov}/postgres`;
  expect((await ann.read(path)).status).toBe(403);
  provider.twist = { claims: { groups: ["blog-team"] } };
  await vi.waitUntil(async () => (await ann.read(path)).status === 200, { timeout: 300_000 });
  expect(provider.grants).toContain("refresh_token");
});
