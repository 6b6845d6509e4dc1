import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isRecord, silentLogger, systemClock } from "#base";
import { clientWithRights, testKubeconfig } from "#harness";
import {
  connect,
  createClient,
  type KubeClient,
  type KubeObject,
  loadAccess,
  type NewObject,
  refOf,
  reviewOwnAccess,
} from "#kube";
import {
  createReleases,
  installPromotion,
  promotionAnnotations,
  promotionLabels,
  Release,
  releaseConditions,
  ReleasePlan,
  ReleasePlanAdmission,
  type ReleasesOptions,
  retagPipeline,
  Snapshot,
} from "#promotion";
import { readRaw, SamplePusher, startEmbeddedRegistry, startTokenProxy } from "#registry";
import { runControllers } from "#runtime";

const id = crypto.randomUUID().slice(0, 8);
const [own, victim] = [`hostile-${id}`, `victim-${id}`];
const ending = new AbortController();
const ran: { readonly namespace: string; readonly account: string; readonly data: unknown }[] = [];
const builtins: NonNullable<ReleasesOptions["builtins"]> = new Map([
  [
    "retag",
    async ({ namespace, serviceAccountName: account, data }) => {
      ran.push({ namespace, account, data });
      return { kind: "succeeded", artifacts: {} };
    },
  ],
  [
    "really",
    (request, signal) => retagPipeline({ client, clock: systemClock, snapshots: { list: () => [] } })(request, signal),
  ],
]);
const pipelineRef = { resolver: "builtin", params: [{ name: "name", value: "retag" }] };
const tenantPipeline = { pipelineRef, serviceAccountName: "appstudio-pipeline" };
let client: KubeClient;
let mallory: KubeClient;
let running: Promise<void>;

beforeAll(async () => {
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await installPromotion(client, silentLogger, AbortSignal.timeout(300_000));
  for (const name of [own, victim]) await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  // More than tenants usually have: the status, too.
  const rules = [{ apiGroups: ["appstudio.redhat.com"], resources: ["*"], verbs: ["*"] }] as const;
  mallory = await clientWithRights({ client, namespace: own }, rules);
  const controllers = createReleases({
    client,
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    builtins,
  });
  running = runControllers({ controllers, graceMs: 0, clock: systemClock, log: silentLogger }, ending.signal);
  running.catch(() => {});
  await snapshot("passed", "True");
  await snapshot("failed", "False");
});
afterAll(async () => {
  ending.abort(new Error("the test is over"));
  await running;
  for (const name of [own, victim]) await client.delete({ apiVersion: "v1", kind: "Namespace", name });
  await client.transport[Symbol.asyncDispose]();
});

type Labels = Readonly<Record<string, string>>;

function object(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  name: string,
  spec: object,
  metadata: { readonly labels?: Labels; readonly annotations?: Labels; readonly namespace?: string } = {},
): NewObject {
  return { apiVersion, kind, metadata: { name, namespace: own, ...metadata }, spec };
}

async function snapshot(name: string, status: "True" | "False"): Promise<void> {
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
  const components = [{ name: "web", containerImage: `reg.local:5000/acme/web@${digest}` }];
  const labels = { [promotionLabels.autoRelease]: "false" };
  const made = await client.create(object(Snapshot, name, { application: "shop", components }, { labels }));
  const lastTransitionTime = "2026-01-02T03:04:05Z";
  const condition = { type: "AppStudioTestSucceeded", status, reason: "Passed", message: "", lastTransitionTime };
  await client.patch(refOf(made), {
    type: "merge",
    subresource: "status",
    body: { status: { conditions: [condition] } },
  });
}

/** The plan of alice, who answers for what passed. */
async function planOfAlice(name: string, spec: object = {}): Promise<KubeObject> {
  const alice = client.impersonate({ user: "alice", groups: ["system:masters"] });
  const labels = { [promotionLabels.standingAttribution]: "true" };
  return await alice.create(object(ReleasePlan, name, { application: "shop", tenantPipeline, ...spec }, { labels }));
}

function conditionOf(found: KubeObject, type: string): Readonly<Record<string, unknown>> | undefined {
  const { conditions } = isRecord(found["status"]) ? found["status"] : {};
  return (Array.isArray(conditions) ? conditions : []).filter(isRecord).find((each) => each["type"] === type);
}

/** What `Validated` says, once the Release has ended. */
async function verdictOf(release: KubeObject): Promise<string> {
  const read = async () => await client.get(refOf(release));
  await expect
    .poll(async () => conditionOf(await read(), releaseConditions.released)?.["reason"], { timeout: 300_000 })
    .toMatch(/Succeeded|Failed/);
  return String(conditionOf(await read(), releaseConditions.validated)?.["message"]);
}

test("a forged author is replaced by who asked, and refused on a plan", async () => {
  await planOfAlice("authored");
  const labels = { [promotionLabels.author]: "alice" };
  const forged = object(Release, "forged-author", { snapshot: "passed", releasePlan: "authored" }, { labels });
  const made = await mallory.create(forged);
  expect(made.metadata.labels?.[promotionLabels.author]).not.toBe("alice");
  await verdictOf(made);
  const { status } = await client.get(refOf(made));
  const { attribution } = isRecord(status) ? status : {};
  expect(attribution).toEqual({ author: made.metadata.labels?.[promotionLabels.author] });
  const standing = { ...labels, [promotionLabels.standingAttribution]: "true" };
  const plan = object(ReleasePlan, "forged-plan", { application: "shop", tenantPipeline }, { labels: standing });
  await expect(mallory.create(plan)).rejects.toThrow("which is you");
});

test("a Release that is passed off as automated releases nothing that did not pass, and no data", async () => {
  await planOfAlice("automated");
  const labels = { [promotionLabels.automated]: "true" };
  const claims = [
    ["untested", { snapshot: "failed" }, "has not passed its tests"],
    ["with-data", { snapshot: "passed", data: { mapping: {} } }, "an automated Release has no spec.data"],
    ["kept", { snapshot: "passed" }, "is not released by itself"],
  ] as const;
  const before = ran.length;
  for (const [name, spec, message] of claims) {
    const made = await mallory.create(object(Release, name, { releasePlan: "automated", ...spec }, { labels }));
    const body = { status: { automated: true } };
    await mallory.patch(refOf(made), { type: "merge", subresource: "status", body });
    expect(await verdictOf(made)).toContain(message);
  }
  expect(ran).toHaveLength(before);
});

test("a plan that points into the namespace of another tenant runs nothing there, and learns nothing", async () => {
  const admission = { applications: ["shop"], origin: "elsewhere", policy: "default", pipeline: tenantPipeline };
  await client.create(object(ReleasePlanAdmission, "secret", admission, { namespace: victim }));
  const before = ran.length;
  const verdicts = [];
  for (const named of ["secret", "absent"]) {
    const labels = { [promotionLabels.releasePlanAdmission]: named };
    await mallory.create(object(ReleasePlan, `into-${named}`, { application: "shop", target: victim }, { labels }));
    const release = object(Release, `into-${named}`, { snapshot: "passed", releasePlan: `into-${named}` });
    verdicts.push((await verdictOf(await mallory.create(release))).replaceAll(named, "NAME"));
  }
  expect(verdicts[0]).toContain(`has the origin ${own}`);
  expect(verdicts[0]).toBe(verdicts[1]);
  expect(ran).toHaveLength(before);
});

test("the data of a tenant does not reach a pipeline with the credentials of another namespace", async () => {
  const data = { mapping: { defaults: { tags: ["released"] } } };
  const admission = { applications: ["shop"], origin: own, policy: "default", pipeline: tenantPipeline, data };
  await client.create(object(ReleasePlanAdmission, "open", admission, { namespace: victim }));
  const forged = { mapping: { components: [{ name: "web", repository: "quay.io/victim/web", tags: ["latest"] }] } };
  const spec = { application: "shop", target: victim, data: forged };
  await mallory.create(object(ReleasePlan, "forged-data", spec));
  const release = { snapshot: "passed", releasePlan: "forged-data", data: forged };
  const made = await mallory.create(object(Release, "forged-data", release));
  await verdictOf(made);
  expect(ran.at(-1)).toEqual({ namespace: victim, account: "appstudio-pipeline", data });
});

test("a service account of another namespace cannot be named", async () => {
  for (const serviceAccountName of [`${victim}/admin`, `system:serviceaccount:${victim}:admin`, "../admin"]) {
    const plan = object(ReleasePlan, "foreign", {
      application: "shop",
      tenantPipeline: { pipelineRef, serviceAccountName },
    });
    await expect(mallory.create(plan)).rejects.toThrow("serviceAccountName");
  }
  expect(ran.filter(({ namespace }) => namespace === victim)).toHaveLength(1);
});

test("an expression that would never end is refused by name, and other plans go on", async () => {
  const list = "[1,2,3,4,5,6,7,8,9]";
  const bomb = `${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, a + b + c + d > 0))))`;
  const annotations = { [promotionAnnotations.autoRelease]: bomb };
  const plan = await mallory.create(
    object(ReleasePlan, "bomb", { application: "bombed", tenantPipeline }, { annotations }),
  );
  const alice = client.impersonate({ user: "alice", groups: ["system:masters"] });
  const labels = { [promotionLabels.standingAttribution]: "true" };
  await alice.create(object(ReleasePlan, "beside", { application: "bombed", tenantPipeline }, { labels }));
  const components = [{ name: "web", containerImage: `reg.local:5000/acme/web@sha256:${"1".repeat(64)}` }];
  const made = await client.create(object(Snapshot, "bombed", { application: "bombed", components }));
  const lastTransitionTime = "2026-01-02T03:04:05Z";
  const condition = {
    type: "AppStudioTestSucceeded",
    status: "True",
    reason: "Passed",
    message: "",
    lastTransitionTime,
  };
  await client.patch(refOf(made), {
    type: "merge",
    subresource: "status",
    body: { status: { conditions: [condition] } },
  });
  const evaluated = async () => conditionOf(await client.get(refOf(plan)), releaseConditions.evaluated)?.["message"];
  await expect.poll(evaluated, { timeout: 300_000 }).toContain("macros");
  const { apiVersion, kind } = Release;
  const released = async () =>
    (await client.list({ apiVersion, kind, namespace: own })).items.filter(
      ({ spec }) => isRecord(spec) && spec["releasePlan"] === "beside",
    ).length;
  await expect.poll(released, { timeout: 300_000 }).toBe(1);
});

const tagged = (...tags: string[]) => ({ defaults: { tags } });
const mapped = (repository: string) => ({ components: [{ name: "web", repository, tags: ["latest"] }] });

test("tags and mappings that leave their repository are refused by name, and nothing of another tenant's changes", async () => {
  await using registry = await startEmbeddedRegistry();
  const [user, password] = ["mallory", "not-to-be-printed"];
  const rights = { "hostile/web": "pull,push" };
  await using tokens = await startTokenProxy({ target: registry.url, user, password, rights });
  const { digest } = await new SamplePusher(registry.url, "hostile/web").image("web");
  const theirs = await new SamplePusher(registry.url, "victim/web").image("web", undefined, "latest");
  const auth = Buffer.from(`${user}:${password}`).toString("base64");
  await client.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "registry", namespace: own },
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": JSON.stringify({ auths: { [tokens.host]: { auth } } }) },
  });
  const account = { name: "appstudio-pipeline", namespace: own };
  await client.create({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: account,
    secrets: [{ name: "registry" }],
  });
  const rbac = "rbac.authorization.k8s.io";
  const rules = [{ apiGroups: [""], resources: ["serviceaccounts", "secrets"], verbs: ["get"] }];
  await client.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata: account, rules });
  await client.create({
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: account,
    roleRef: { apiGroup: rbac, kind: "Role", name: account.name },
    subjects: [{ kind: "ServiceAccount", ...account }],
  });
  const question = { verb: "get", resource: "secrets", namespace: own, name: "registry" };
  const acting = client.impersonate({ user: `system:serviceaccount:${own}:${account.name}` });
  const mayRead = async () => (await reviewOwnAccess(acting, question)).isAllowed;
  await vi.waitUntil(mayRead, { timeout: 300_000 });
  const components = [{ name: "web", containerImage: `${tokens.host}/hostile/web@${digest}` }];
  await client.create(object(Snapshot, "leaving", { application: "shop", components }));

  const signature = `sha256-${digest.slice("sha256:".length)}.sig`;
  const rows = [
    ["slash", tagged("../../victim/web:latest"), '"../../victim/web:latest"'],
    ["colon", tagged("web:latest"), '"web:latest"'],
    ["signature", tagged(signature), "is one by which signatures are found"],
    ["variable", tagged("{{ labels.of.another }}"), "has no value"],
    ["mapped-tag", mapped(`${tokens.host}/victim/web:latest`), "expected a repository"],
    ["mapped", mapped(`${tokens.host}/victim/web`), "victim/web"],
    ["dots", mapped(`${tokens.host}/hostile/../victim/web`), "hostile/../victim/web"],
  ] as const;
  const really = { pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "really" }] } };
  for (const [row, mapping, message] of rows) {
    const spec = { application: "shop", tenantPipeline: really, data: { mapping } };
    await mallory.create(object(ReleasePlan, `leaving-${row}`, spec));
    const release = object(Release, `leaving-${row}`, { snapshot: "leaving", releasePlan: `leaving-${row}` });
    const made = await mallory.create(release);
    await verdictOf(made);
    const tenant = conditionOf(await client.get(refOf(made)), releaseConditions.tenant);
    expect({ row, reason: tenant?.["reason"] }).toEqual({ row, reason: "Failed" });
    expect(tenant?.["message"]).toContain(message);
    expect(tenant?.["message"]).not.toContain(password);
  }
  expect((await readRaw(registry.url, "victim/web", "latest"))?.digest).toBe(theirs.digest);
  expect(tokens.requests.filter(({ method }) => method === "PUT")).toEqual([]);
});
