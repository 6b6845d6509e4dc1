import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { silentLogger, systemClock } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, type KubeClient, loadAccess, requestToken, reviewAccess } from "#kube";
import { Application, Component, installPromotion, Snapshot, upstreamGroup } from "#promotion";
import type { OpenPort } from "./open-port.ts";
import { buildsAudience, serveBuilds } from "./serve-builds.ts";

const { namespace } = useNamespace();
const image = `reg.local:5000/acme/web@sha256:${"1".repeat(64)}`;
const limit = () => AbortSignal.timeout(300_000);
let client: KubeClient;
let server: OpenPort;

beforeAll(async () => {
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await installPromotion(client, silentLogger, limit());
  const metadata = (name: string) => ({ metadata: { name, namespace } });
  for (const name of ["ci", "stranger"])
    await client.create({ apiVersion: "v1", kind: "ServiceAccount", ...metadata(name) });
  const apiGroup = "rbac.authorization.k8s.io";
  const apiVersion = `${apiGroup}/v1`;
  const rules = [{ apiGroups: [upstreamGroup], resources: ["snapshots"], verbs: ["create"] }];
  await client.create({ apiVersion, kind: "Role", ...metadata("ci"), rules });
  const roleRef = { apiGroup, kind: "Role", name: "ci" };
  const subjects = [{ kind: "ServiceAccount", name: "ci", namespace }];
  await client.create({ apiVersion, kind: "RoleBinding", ...metadata("ci"), roleRef, subjects });
  const right = { verb: "create", group: upstreamGroup, resource: "snapshots", namespace };
  const user = `system:serviceaccount:${namespace}:ci`;
  // The authorizer sees new Roles some time after the server has stored them.
  await vi.waitUntil(async () => (await reviewAccess(client, { user }, right)).isAllowed, { timeout: 300_000 });
  const { apiVersion: version, kind } = Application;
  await client.create({ apiVersion: version, kind, ...metadata("shop"), spec: { displayName: "Shop" } });
  const source = { git: { url: "https://git.example/acme/web" } };
  await client.create({
    apiVersion: Component.apiVersion,
    kind: Component.kind,
    ...metadata("web"),
    spec: { componentName: "web", application: "shop", source },
  });
  server = await serveBuilds({ port: 0, host: "127.0.0.1", client, clock: systemClock, log: silentLogger });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await client.transport[Symbol.asyncDispose]();
});

async function tokenOf(name: string, audiences?: readonly string[]): Promise<string> {
  return (await requestToken(client, { namespace, name }, { audiences }, limit())).token.reveal();
}

interface Sent {
  readonly token?: string;
  readonly body?: string;
  readonly to?: string;
  readonly method?: string;
}

async function send({
  token,
  body = JSON.stringify({ component: "web", image }),
  to = namespace,
  method = "POST",
}: Sent) {
  const answer = await fetch(`http://127.0.0.1:${server.port}/namespaces/${to}/builds`, {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(method === "GET" ? {} : { body }),
  });
  return { status: answer.status, ...JSON.parse(await answer.text()) };
}

async function snapshots(): Promise<readonly string[]> {
  const { apiVersion, kind } = Snapshot;
  return (await client.list({ apiVersion, kind, namespace })).items.map(({ metadata }) => metadata.name);
}

test("a request without a token, or with one for others, creates nothing", async () => {
  const elsewhere = [
    { reason: "no token" },
    { reason: "garbage", token: "garbage" },
    { reason: "a token for the API server", token: await tokenOf("ci") },
    { reason: "a token for another service", token: await tokenOf("ci", ["vault"]) },
  ];
  for (const { reason, ...sent } of elsewhere) {
    expect(await send(sent), `sent with ${reason}`).toMatchObject({
      status: 401,
      next: expect.stringContaining("audience tenon"),
    });
  }
  expect(await snapshots()).toEqual([]);
});

test("a caller without the right to create Snapshots in the namespace gets the name of that right", async () => {
  const body = JSON.stringify({ component: "web", image });
  const stranger = await send({ token: await tokenOf("stranger", [buildsAudience]), body });
  expect(stranger).toMatchObject({
    status: 403,
    next: expect.stringContaining("create on snapshots.appstudio.redhat.com"),
  });
  const token = await tokenOf("ci", [buildsAudience]);
  for (const to of ["kube-system", "no-such-namespace"]) {
    expect(await send({ token, to }), `to ${to}`).toMatchObject({ status: 403 });
  }
  expect(await snapshots()).toEqual([]);
});

test("what is not a build is refused with the reason, and creates nothing", async () => {
  const token = await tokenOf("ci", [buildsAudience]);
  const application = "a".repeat(64);
  const { apiVersion, kind } = Application;
  await client.create({ apiVersion, kind, metadata: { name: application, namespace }, spec: { displayName: "Long" } });
  await client.create({
    apiVersion: Component.apiVersion,
    kind: Component.kind,
    metadata: { name: "long", namespace },
    spec: { componentName: "long", application, source: { git: { url: "https://git.example/acme/long" } } },
  });
  const refused = [
    // Its name is too long for a label.
    { body: JSON.stringify({ component: "long", image }), status: 422 },
    { body: "{", status: 400 },
    { body: `"${"x".repeat(17 * 1_024)}"`, status: 413 },
    { body: JSON.stringify({ component: "web", image: "reg.local:5000/acme/web:latest" }), status: 422 },
    { body: JSON.stringify({ component: "ghost", image }), status: 422 },
    { method: "GET", status: 405 },
    { to: "a/b", status: 404 },
  ];
  for (const { status, ...sent } of refused) {
    expect(await send({ token, ...sent }), `sent ${JSON.stringify(sent).slice(0, 80)}`).toMatchObject({
      status,
      error: expect.stringMatching(/./),
    });
  }
  expect(await snapshots()).toEqual([]);
});

test("a build has one Snapshot, however often it is sent, also at once", async () => {
  const token = await tokenOf("ci", [buildsAudience]);
  const body = JSON.stringify({ component: "web", image, commit: "c0ffee" });
  const atOnce = await Promise.all(Array.from({ length: 8 }, () => send({ token, body })));
  const [name] = new Set(atOnce.map(({ snapshot }) => snapshot));
  expect(await snapshots()).toEqual([name]);
  expect(await send({ token, body })).toEqual({ status: 200, namespace, snapshot: name, isNew: false });
  const made = await client.get({ apiVersion: Snapshot.apiVersion, kind: Snapshot.kind, namespace, name });
  expect(made["spec"]).toMatchObject({
    application: "shop",
    components: [{ name: "web", containerImage: image, source: { git: { revision: "c0ffee" } } }],
  });
});
