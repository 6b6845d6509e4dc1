import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLogger, systemClock } from "#base";
import { accountUser, grantRights, testKubeconfig, useNamespace } from "#harness";
import { clusterSources, planFromData } from "#integrations";
import { connect, createClient, type KubeClient, loadAccess, requestToken, reviewAccess } from "#kube";
import { integrationFile, type SampleConsoleData, sampleConsoleData } from "./console-data.fixture.ts";
import type { AttentionAnswer, ListAnswer, ObjectAnswer } from "./console-api.ts";
import type { ActivityAnswer } from "./activity-api.ts";
import type { ClustersAnswer } from "./cluster-api.ts";
import type { ApplyAnswer, ConsolePlan, PlanChangesAnswer } from "./plan-api.ts";
import { type ConsoleServer, serveConsole } from "./serve-console.ts";
import type { ValuesAnswer } from "./values-api.ts";

const { namespace: home } = useNamespace();
const id = crypto.randomUUID().slice(0, 8);
const [shop, blog, crowd] = [`plan-shop-${id}`, `plan-blog-${id}`, `plan-crowd-${id}`];
const limit = () => AbortSignal.timeout(300_000);
const lines: string[] = [];
const links: string[] = [];
const opened = new AsyncDisposableStack();
let client: KubeClient;
let sample: SampleConsoleData;
let server: ConsoleServer;
let readOnly: ConsoleServer;

const reads = ["get", "list", "watch"];
const writes = [...reads, "create", "patch", "update", "delete"];
const managedKinds = [
  { apiGroups: ["apps"], resources: ["deployments", "statefulsets"] },
  { apiGroups: ["batch"], resources: ["cronjobs"] },
  { apiGroups: [""], resources: ["services"] },
];

/** The token of a person with these verbs on what integrations are made of, in one namespace. */
async function makePerson(name: string, namespace: string, verbs: readonly string[], seesData = true): Promise<string> {
  const account = { name: `${name}-${id}`, namespace: home };
  const user = accountUser(account);
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  await grantRights(client, {
    name: `${name}-${id}`,
    namespace,
    user,
    rules: managedKinds.map(({ apiGroups, resources }) => ({ apiGroups, resources, verbs })),
  });
  const configMaps = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "update"] };
  await grantRights(client, { name: `${name}-memory-${id}`, namespace: home, user, rules: [configMaps] });
  if (seesData) await grantDataRight(`${name}-data-${id}`, user);
  return (await requestToken(client, account, {}, limit())).token.reveal();
}

async function grantDataRight(name: string, user: string): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  const apiVersion = `${apiGroup}/v1`;
  const rules = [{ nonResourceURLs: ["/tenon.dev/data"], verbs: ["get"] }];
  await client.create({ apiVersion, kind: "ClusterRole", metadata: { name }, rules });
  opened.defer(async () => {
    for (const kind of ["ClusterRoleBinding", "ClusterRole"]) await client.delete({ apiVersion, kind, name });
  });
  const subjects = [{ kind: "User", apiGroup, name: user }];
  await client.create({
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name },
    subjects,
  });
  const question = { verb: "get", path: "/tenon.dev/data" };
  await vi.waitUntil(async () => (await reviewAccess(client, { user }, question)).isAllowed, { timeout: 300_000 });
}

beforeAll(async () => {
  const kubeconfig = testKubeconfig();
  const access = await loadAccess({ kubeconfig });
  client = createClient(opened.use(connect(access)));
  for (const name of [shop, blog, crowd])
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  sample = opened.use(
    await sampleConsoleData({ context: access.context, kubeconfig, namespaces: [shop, blog, crowd], home }),
  );
  await sample.write("data/integrations/feed.yml", integrationFile("feed", shop));
  await sample.write("data/integrations/mirror.yml", integrationFile("mirror", blog));
  const options = {
    access,
    host: "127.0.0.1",
    port: 0,
    data: sample.data,
    clock: systemClock,
    log: createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } }),
  };
  server = opened.use(await serveConsole({ ...options, isReadOnly: false, onLink: (link) => links.push(link) }));
  readOnly = opened.use(await serveConsole({ ...options, isReadOnly: true }));
});
afterAll(async () => {
  for (const name of [shop, blog, crowd]) await client.delete({ apiVersion: "v1", kind: "Namespace", name }, {});
  await opened.disposeAsync();
});

interface Answer<Body> {
  readonly status: number;
  readonly body: Body & { readonly error: string; readonly next?: string };
}

/** A session, by a token or by the newest link. */
async function logIn(token?: string, { origin } = server) {
  const json = { origin, "content-type": "application/json" };
  const login = token === undefined ? { link: links.at(-1)?.split("#")[1] } : { token };
  const answer = await fetch(`${origin}/api/session`, { method: "POST", headers: json, body: JSON.stringify(login) });
  expect(answer.status).toBe(200);
  const headers = { ...json, cookie: (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "" };

  async function send<Body>(path: string, body?: unknown): Promise<Answer<Body>> {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const got = await fetch(`${origin}${path}`, { headers, signal: limit(), ...sent });
    return { status: got.status, body: JSON.parse(await got.text()) };
  }

  return {
    send,
    plan: async (query = "") => (await send<ConsolePlan>(`/api/plan${query}`)).body,
    /** Applies, and waits for the end. */
    async apply(request: { readonly fingerprint: string; readonly integration?: string; readonly deletions?: string }) {
      const { body } = await send<ApplyAnswer>("/api/plan/apply", request);
      return await vi.waitUntil(
        async () => {
          const now = (await send<ApplyAnswer>(`/api/plan/applied/${body.id}`)).body;
          return now.state !== "checking" && now.state !== "applying" && now;
        },
        { timeout: 300_000 },
      );
    },
  };
}

const namesIn = ({ actions }: Pick<ConsolePlan, "actions">) =>
  actions.map(({ action, kind, namespace, name }) => `${action} ${kind} ${namespace}/${name}`);
const deploymentsIn = async (namespace: string) =>
  (await client.list({ apiVersion: "apps/v1", kind: "Deployment", namespace })).items.map(
    ({ metadata }) => metadata.name,
  );

describe("the plan of the console", () => {
  test("is for the one who started it the plan that `tenon plan` makes, with its id and its totals", async () => {
    const { data } = sample;
    await using planned = await planFromData(
      {
        ...data.limits,
        data: await data.source.load(limit()),
        desire: data.desire(),
        reach: (named) => clusterSources(named, data.clusters),
      },
      limit(),
    );
    const shown = await (await logIn()).plan();
    expect(shown.id).toBe(planned.plan.id);
    expect(namesIn(shown)).toEqual(
      expect.arrayContaining([`create Deployment ${shop}/feed`, `create Deployment ${blog}/mirror`]),
    );
    expect(shown.summary).toBe(`${shown.actions.length} to create`);
    expect(shown.integrations).toEqual(["feed", "mirror"]);
    expect(shown.canApply).toBe(true);
  });

  test("is refused to a person who may not see the data, and says which right is missing", async () => {
    const { send } = await logIn(await makePerson("stranger", shop, writes, false));
    for (const path of [
      "/api/plan",
      "/api/plan/changes?plan=any",
      "/api/data",
      "/api/data/file?path=/integrations/feed.yml",
      `/api/integrations/${shop}/feed/values`,
    ]) {
      const { status, body } = await send(path);
      expect([path, status, body.next]).toEqual([path, 403, expect.stringContaining("/tenon.dev/data")]);
    }
  });

  test("has an error for a namespace that the person may not read, and nothing of what runs there", async () => {
    const ann = await logIn(await makePerson("ann", shop, writes));
    const shown = await ann.plan();
    expect(namesIn(shown)).toEqual(expect.arrayContaining([`create Deployment ${shop}/feed`]));
    expect(namesIn(shown).join("\n")).not.toContain(blog);
    expect(shown.errors.map(({ where }) => where)).toEqual(expect.arrayContaining([expect.stringContaining(blog)]));
  });

  test("leaves out clusters that the person's credentials are not for, also if who started the console has others", async () => {
    await sample.write("data/integrations/distant.yml", integrationFile("distant", "far"));
    const cho = await logIn(await makePerson("cho", shop, reads));
    const shown = await cho.plan("?integration=distant");
    expect(shown.warnings.map(({ what }) => what)).toEqual([
      "cluster c2 is left out: your credentials are for another cluster",
    ]);
    expect([shown.actions, shown.errors]).toEqual([[], []]);
    await sample.remove("data/integrations/distant.yml");
  });
});

const statesOf = async ({ send }: Awaited<ReturnType<typeof logIn>>) => {
  const { body } = await send<ListAnswer>(`/api/lists/integrations?limit=200&search=${id}`);
  return body.rows.map(({ namespace, name, state }) => `${namespace}/${name} ${state}`);
};

describe("integrations of the data that are not deployed", () => {
  test("are in the list of who started the console, with what to do, and are on a page of their own", async () => {
    const { send } = await logIn();
    const { body } = await send<ListAnswer>(`/api/lists/integrations?state=NotDeployed&search=${id}`);
    expect(body.rows.map(({ namespace, name, next }) => [`${namespace}/${name}`, next])).toEqual([
      [`${blog}/mirror`, "read its plan, and apply it"],
      [`${shop}/feed`, "read its plan, and apply it"],
    ]);
    const attention = (await send<AttentionAnswer>("/api/attention")).body;
    expect(JSON.stringify(attention.owners)).toContain(shop);
    const shown = await send<ObjectAnswer>(`/api/objects/integrations/${shop}/feed`);
    expect([shown.status, shown.body.row?.state]).toEqual([200, "NotDeployed"]);
    expect((await send(`/api/objects/integrations/${shop}/mirror`)).status).toBe(404);
  });

  test("are shown to a person only where that person would see them if they were deployed", async () => {
    expect(await statesOf(await logIn(await makePerson("una", shop, reads)))).toEqual([`${shop}/feed NotDeployed`]);
  });

  test("are not shown to a person who may not see the data", async () => {
    expect(await statesOf(await logIn(await makePerson("noa", shop, reads, false)))).toEqual([]);
  });
});

describe("the clusters and the activity of the console", () => {
  test("are for a person without the right to the data the cluster of the console, and why", async () => {
    const { send } = await logIn(await makePerson("outsider", shop, reads, false));
    const { body: seen } = await send<ClustersAnswer>("/api/clusters");
    expect(seen.clusters.map(({ state, version }) => [state, version])).toEqual([
      ["Reachable", expect.stringMatching(/^v1\./)],
    ]);
    const { body: done } = await send<ActivityAnswer>("/api/activity");
    expect([seen.problem, done.problem, done.applied]).toEqual([
      "you may not see the data of this console",
      "you may not see the data of this console",
      [],
    ]);
  });

  test("are for a token the one cluster that it is for, and the others left out by name", async () => {
    await sample.write("data/integrations/distant.yml", integrationFile("distant", "far"));
    const { send } = await logIn(await makePerson("kim", shop, reads));
    const { clusters } = (await send<ClustersAnswer>("/api/clusters")).body;
    expect(clusters.map(({ name, state, why, integrations }) => [name, state, why, integrations])).toEqual([
      ["c1", "Reachable", undefined, 2],
      ["c2", "LeftOut", "your credentials are for another cluster", 1],
    ]);
    await sample.remove("data/integrations/distant.yml");
  });

  test("have for who started the console each cluster that does not answer, with the reason", async () => {
    await sample.write("data/integrations/distant.yml", integrationFile("distant", "far"));
    const { clusters } = (await (await logIn()).send<ClustersAnswer>("/api/clusters")).body;
    expect(clusters.map(({ name, state }) => [name, state])).toEqual([
      ["c2", "Unreachable"],
      ["c1", "Reachable"],
    ]);
    expect(clusters[0]?.why).toBeDefined();
    await sample.remove("data/integrations/distant.yml");
  });
});

test("where each value of an integration comes from leads to the line of its file", async () => {
  const lee = await logIn(await makePerson("lee", shop, reads));
  const { targets, problems } = (await lee.send<ValuesAnswer>(`/api/integrations/${shop}/feed/values`)).body;
  expect(problems).toEqual([]);
  const values = targets.flatMap(({ shards }) => shards.flatMap((shard) => shard.values));
  expect(values).toContainEqual(
    expect.objectContaining({
      field: "resources.limits.memory",
      value: "20Mi",
      source: "spec",
      path: "/integrations/feed.yml",
      line: expect.any(Number),
    }),
  );
  const { body: unknown } = await lee.send<ValuesAnswer>(`/api/integrations/${shop}/nothing/values`);
  expect([unknown.targets, unknown.problems]).toEqual([[], [expect.stringContaining("nothing")]]);
});

describe("applying in the console", () => {
  test("a read-only console plans and does not apply", async () => {
    const gil = await logIn(await makePerson("gil", blog, writes), readOnly);
    const shown = await gil.plan("?integration=mirror");
    expect([shown.canApply, shown.whyNot]).toEqual([false, "this console is read-only"]);
    const { status } = await gil.send("/api/plan/apply", { fingerprint: shown.fingerprint, integration: "mirror" });
    expect([status, await deploymentsIn(blog)]).toEqual([403, []]);
  });

  test("a person who may only read sees which objects were refused and why, and nothing is written", async () => {
    const ben = await logIn(await makePerson("ben", shop, reads));
    const { fingerprint, id: plan } = await ben.plan("?integration=feed");
    const applied = await ben.apply({ fingerprint, integration: "feed" });
    expect(applied).toEqual(expect.objectContaining({ state: "failed", plan, done: 0 }));
    const deployment = applied.outcomes.find(({ kind }) => kind === "Deployment");
    expect(deployment).toEqual(
      expect.objectContaining({ name: "feed", state: "failed", reason: expect.stringMatching(/forbidden|may not/i) }),
    );
    expect(await deploymentsIn(shop)).toEqual([]);
  });

  test("a plan that is another one by now is not applied", async () => {
    const dan = await logIn(await makePerson("dan", shop, writes));
    const { fingerprint } = await dan.plan("?integration=feed");
    await sample.write(
      "data/integrations/feed.yml",
      integrationFile("feed", shop, "    extraEnv:\n    - {name: A, value: b}\n"),
    );
    expect((await dan.apply({ fingerprint, integration: "feed" })).state).toBe("changed");
    expect(await deploymentsIn(shop)).toEqual([]);
  });

  test("the plan that was read is applied as the person, with a line in the log for each write", async () => {
    const eve = await logIn(await makePerson("eve", shop, writes));
    const { fingerprint, id: plan, actions } = await eve.plan("?integration=feed");
    lines.length = 0;
    const applied = await eve.apply({ fingerprint, integration: "feed" });
    expect(applied).toEqual(expect.objectContaining({ state: "done", plan, done: actions.length }));
    expect(await deploymentsIn(shop)).toEqual(["feed"]);
    const audited = lines
      .map((line): { user?: string; plan?: string; line?: string[] } => JSON.parse(line))
      .filter(({ line }) => line !== undefined);
    expect(audited).toContainEqual(
      expect.objectContaining({
        user: accountUser({ namespace: home, name: `eve-${id}` }),
        plan,
        line: expect.arrayContaining(["apply", "c1", shop, "Deployment", "feed"]),
      }),
    );
    const again = await eve.plan("?integration=feed");
    expect([again.actions, again.canApply]).toEqual([[], false]);
  });

  test("a person who cannot read all of a cluster deletes nothing there that no integration of the data has", async () => {
    const joe = await logIn(await makePerson("joe", shop, writes));
    await sample.remove("data/integrations/feed.yml");
    const held = await joe.plan("?deletions=confirmed");
    expect(namesIn(held)).toEqual([]);
    expect(held.refusals).toEqual([
      expect.objectContaining({ what: expect.stringContaining("could not be read"), isConfirmable: false }),
    ]);
    expect(JSON.stringify(held)).not.toContain("RoleBinding");
  });

  test("deletions that look like an accident are held back until they are confirmed", async () => {
    const fay = await logIn();
    const held = await fay.plan();
    expect(held.refusals).toContainEqual(expect.objectContaining({ isConfirmable: true }));
    expect(held.actions.filter(({ action }) => action === "delete")).toEqual([]);
    const confirmed = await fay.plan("?deletions=confirmed");
    expect(namesIn(confirmed)).toContain(`delete Deployment ${shop}/feed`);
    const stale = await fay.apply({ fingerprint: confirmed.fingerprint });
    expect([stale.state, await deploymentsIn(shop)]).toEqual(["changed", ["feed"]]);
    await fay.apply({ fingerprint: confirmed.fingerprint, deletions: "confirmed" });
    expect(await deploymentsIn(shop)).toEqual([]);
  });

  test("another person cannot see how far it is", async () => {
    const [hal, ida] = [await logIn(), await logIn(await makePerson("ida", blog, reads))];
    const { fingerprint } = await hal.plan("?integration=mirror");
    const { id: run } = await hal.apply({ fingerprint, integration: "mirror" });
    expect((await ida.send(`/api/plan/applied/${run}`)).status).toBe(404);
  });
});

describe("a plan larger than a page", () => {
  const shards = 2_100;
  const sharded = () =>
    integrationFile("many", crowd, `    cron: "0 0 1 1 *"\n`).replace(
      "  spec:",
      `  sharding: {strategy: static, shards: ${shards}}\n  spec:`,
    );

  test("is read page by page without planning again, filtered by the server, and applied whole", async () => {
    await sample.write("data/integrations/many.yml", sharded());
    const mia = await logIn(await makePerson("mia", crowd, writes));
    const plan = await mia.plan("?integration=many");
    const { total } = plan;
    expect(total).toBeGreaterThan(shards);
    expect([plan.counts, plan.actions.length, plan.canApply]).toEqual([{ create: total }, 500, true]);
    const names: string[] = namesIn(plan);
    for (let offset = 500; offset < total; offset += 500) {
      const { body } = await mia.send<PlanChangesAnswer>(`/api/plan/changes?plan=${plan.id}&offset=${offset}`);
      expect(body.total).toBe(total);
      names.push(...namesIn(body));
    }
    expect(new Set(names).size).toBe(total);
    const found = await mia.send<PlanChangesAnswer>(`/api/plan/changes?plan=${plan.id}&search=many-2099`);
    expect([found.body.total, namesIn(found.body)]).toEqual([1, [`create CronJob ${crowd}/many-2099`]]);
    const none = await mia.send<PlanChangesAnswer>(`/api/plan/changes?plan=${plan.id}&change=delete`);
    expect(none.body).toEqual({ actions: [], total: 0 });
    const ned = await logIn(await makePerson("ned", crowd, reads));
    const { status, body } = await ned.send(`/api/plan/changes?plan=${plan.id}`);
    expect([status, body.next]).toEqual([404, "plan again"]);
    const applied = await mia.apply({ fingerprint: plan.fingerprint, integration: "many" });
    expect([applied.state, applied.done, applied.total]).toEqual(["done", total, total]);
  });
});
