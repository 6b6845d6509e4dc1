import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLogger } from "#base";
import { installKinds } from "#crd";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, type KubeObject, loadAccess, refOf } from "#kube";
import {
  Application,
  Component,
  installPromotion,
  promotionAnnotations,
  promotionLabels,
  Propagation,
  Release,
  ReleasePlan,
  Snapshot,
} from "#promotion";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
const client = createClient(transport);
afterAll(() => transport[Symbol.asyncDispose]());

const digest = `sha256:${"7654321".padEnd(64, "0")}`;
const image = `reg.local:5000/acme/web@${digest}`;
const url = "https://git.example/acme/gitops/pulls/3";
const tenantPipeline = {
  pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] },
  serviceAccountName: "appstudio-pipeline",
  params: [{ name: "tags", value: "released" }],
};

interface Given {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: object;
}

async function create(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  name: string,
  spec: object,
  { labels = {}, annotations = {}, status }: Given = {},
): Promise<KubeObject> {
  const made = await client.create({ apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec });
  if (!status) return made;
  return await client.patch(refOf(made), { type: "merge", subresource: "status", body: { status } });
}

function condition(type: string, status: string, reason: string, message = "") {
  return { type, status, reason, message, lastTransitionTime: "2026-01-02T03:10:00Z" };
}

const skipped = ["TenantCollectorsPipelineProcessed", "ManagedCollectorsPipelineProcessed", "ManagedPipelineProcessed"];

beforeAll(async () => {
  const signal = AbortSignal.timeout(300_000);
  await installPromotion(client, silentLogger, signal);
  await installKinds(client, [Propagation], { signal });
  await client.discovery.whenServed(Propagation, signal);
  await create(Application, "shop", { displayName: "Shop" });
  const git = { url: "https://git.example/acme/web" };
  await create(Component, "web", { componentName: "web", application: "shop", source: { git } });
  await client.create({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "appstudio-pipeline", namespace },
  });
  const standing = { [promotionLabels.standingAttribution]: "true" };
  const judged = { conditions: [condition("Releasable", "True", "Succeeded")] };
  await create(ReleasePlan, "good", { application: "shop", tenantPipeline }, { labels: standing, status: judged });
  const problem = condition("Releasable", "False", "NoAuthor", "no one answers");
  const annotations = { [promotionAnnotations.autoRelease]: "true &&" };
  const lonely = { annotations, status: { conditions: [problem] } };
  await create(ReleasePlan, "lonely", { application: "shop", tenantPipeline }, lonely);
  await create(ReleasePlan, "other", { application: "blog", tenantPipeline }, { labels: standing, status: judged });
  const tests = [
    {
      scenario: "e2e",
      status: "TestPassed",
      startTime: "2026-01-02T03:05:00Z",
      completionTime: "2026-01-02T03:07:00Z",
      lastUpdateTime: "2026-01-02T03:07:00Z",
      details: "passed",
    },
  ];
  await create(
    Snapshot,
    "shop-1",
    {
      application: "shop",
      components: [{ name: "web", containerImage: image, source: { git: { ...git, revision: "c0ffee" } } }],
    },
    {
      labels: { [promotionLabels.buildRun]: "build-web", [promotionLabels.buildFinished]: "1767322000" },
      annotations: {
        [promotionAnnotations.buildStarted]: "1767321880000",
        [promotionAnnotations.testStatus]: JSON.stringify(tests),
      },
      status: { conditions: [condition("AppStudioTestSucceeded", "True", "Passed", "passed")] },
    },
  );
  await create(
    Release,
    "done",
    { snapshot: "shop-1", releasePlan: "good" },
    {
      status: {
        startTime: "2026-01-02T03:08:00Z",
        completionTime: "2026-01-02T03:10:00Z",
        attribution: { author: "alice" },
        artifacts: {
          images: [{ name: "web", shasum: digest, arches: [], oses: [], urls: ["reg.local:5000/acme/web:released"] }],
        },
        conditions: [
          condition("Validated", "True", "Succeeded"),
          ...skipped.map((type) => condition(type, "True", "Skipped")),
          condition("TenantPipelineProcessed", "True", "Succeeded"),
          condition("FinalPipelineProcessed", "True", "Skipped"),
          condition("Released", "True", "Succeeded"),
        ],
      },
    },
  );
  await create(
    Release,
    "broken",
    { snapshot: "shop-1", releasePlan: "good" },
    {
      status: {
        conditions: [
          condition("Validated", "True", "Succeeded"),
          condition("TenantPipelineProcessed", "False", "Failed", "task push failed:\nline of a log"),
          condition("Released", "False", "Failed"),
        ],
      },
    },
  );
  await create(
    Release,
    "refused",
    { snapshot: "gone", releasePlan: "good" },
    {
      status: {
        conditions: [
          condition("Validated", "False", "Failed", "Snapshot gone does not exist"),
          condition("Released", "False", "Failed"),
        ],
      },
    },
  );
  await create(Release, "fresh", { snapshot: "shop-1", releasePlan: "good" });
  const stage = {
    name: "production",
    repository: "https://git.example/acme/gitops",
    branch: "main",
    forge: { kind: "gitea" },
  };
  for (const [name, tag] of [
    ["followed", "released"],
    ["unrelated", "validated"],
  ] as const) {
    await create(
      Propagation,
      name,
      { source: { images: [{ repository: "reg.local:5000/acme/web", tag, component: "web" }] }, stages: [stage] },
      {
        status: {
          conditions: [condition("Ready", "True", "Ready")],
          stages: [
            {
              name: "production",
              state: "Proposed",
              since: "2026-01-02T03:11:00Z",
              proposals: [
                { branch: "promotion/x", state: "Proposed", heads: [], pullRequest: { number: 3, url, state: "open" } },
              ],
            },
          ],
        },
      },
    );
  }
});

async function tenon(
  words: readonly string[],
  { columns, typed }: { columns?: number; typed?: readonly string[] } = {},
) {
  const env = { NO_COLOR: "1", KUBECONFIG: testKubeconfig() };
  const shell = new FakeShell({ env, ...(columns === undefined ? {} : { columns }), ...(typed ? { typed } : {}) });
  const exitCode = await runCommandLine(words, shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

async function rows(...words: readonly string[]) {
  const { stdout, stderr } = await tenon([...words, "-n", namespace, "-o", "json"]);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describe("`tenon get`", () => {
  test("lists releases, trouble first, with what to do", async () => {
    const found = await rows("get", "releases");
    expect(found.slice(0, 2)).toMatchObject([
      { release: "refused", state: "Invalid", next: "Snapshot gone does not exist" },
      {
        release: "broken",
        state: "Failed",
        phase: "tenant pipeline",
        next: `the tenant pipeline failed: task push failed; see \`tenon explain release/${namespace}/broken\``,
      },
    ]);
    const byName = Object.fromEntries(found.map((row: { release: string }) => [row.release, row]));
    expect(byName).toMatchObject({
      fresh: { state: "Waiting", next: expect.stringContaining("--promote releases") },
      done: { state: "Released", author: "alice", automated: false, plan: "good", snapshot: "shop-1" },
    });
    expect(await rows("get", "releases", "done")).toEqual([byName["done"]]);
  });

  test("lists plans with their last release and what would make the next one fail", async () => {
    const found = await rows("get", "releaseplans");
    expect(found[0]).toMatchObject({ plan: "lonely", owner: "shop", automatic: "true &&", problem: "no one answers" });
    expect(found.map(({ plan }: { plan: string }) => plan)).toEqual(["lonely", "good", "other"]);
    expect(found[1]).toMatchObject({ plan: "good", lastRelease: expect.any(String), state: expect.any(String) });
  });

  test.for(["releases", "releaseplans"])("prints %s in 80 columns", async (kind) => {
    const { stdout } = await tenon(["get", kind, "-n", namespace], { columns: 80 });
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toContain(kind === "releases" ? "Snapshot gone does not exist" : "no one answers");
  });

  test("cuts neither namespaces, names nor states, however narrow the terminal is", async () => {
    const { stdout } = await tenon(["get", "releases", "-n", namespace], { columns: 20 });
    expect(stdout).toMatch(new RegExp(`^${namespace} +done +Released `, "m"));
  });
});

describe("`tenon explain release`", () => {
  test("shows the way from the commit to the pull request, and what it waits for", async () => {
    const { stdout, stderr } = await tenon(["explain", `release/${namespace}/done`]);
    expect(stderr).toBe("");
    expect(stdout.replaceAll(/\d+ (?:d|h|min|s) ago/g, "AGE ago")).toBe(`Release ${namespace}/done: Released
  image: web 7654321, commit c0ffee of https://git.example/acme/web
  build: PipelineRun build-web, AGE ago, took 2 min
  snapshot: shop-1, Passed, AGE ago
  test: e2e, TestPassed, AGE ago, took 2 min
  release: by plan good, by a person, alice answers for it, AGE ago
  tenant pipeline: Succeeded, AGE ago
  tags: web 7654321 is reg.local:5000/acme/web:released
  stage: production of ${namespace}/followed, Proposed, AGE ago
  pull request: 3, open: ${url}
  waits for: pull request 3 of stage production to be merged: ${url}
`);
  });

  test("is the same for programs", async () => {
    const { stdout } = await tenon(["explain", `release/${namespace}/done`, "-o", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      release: `${namespace}/done`,
      build: { from: "PipelineRun build-web", started: "2026-01-02T02:44:40.000Z", ended: "2026-01-02T02:46:40.000Z" },
      tags: [{ component: "web", digest, tags: ["reg.local:5000/acme/web:released"] }],
      stages: [{ propagation: `${namespace}/followed`, stage: "production", pullRequests: [{ number: 3, url }] }],
    });
  });

  test.for([
    { release: "refused", says: "snapshot: gone, Deleted" },
    { release: "refused", says: "waits for: Snapshot gone does not exist" },
    { release: "broken", says: "tenant pipeline: Failed" },
    { release: "fresh", says: "waits for: no controller has looked at it" },
  ])("says of $release: $says", async ({ release, says }) => {
    expect((await tenon(["explain", `release/${namespace}/${release}`])).stdout).toContain(says);
  });

  test("names the command that lists releases if there is no such one", async () => {
    const { exitCode, stderr } = await tenon(["explain", `release/${namespace}/none`]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("tenon get releases") });
  });
});

const releaseWords = (plan: string, ...words: string[]) => [
  "promote",
  "release",
  `${namespace}/shop-1`,
  "--plan",
  plan,
  ...words,
];
const countReleases = async () => (await rows("get", "releases")).length;

describe("`tenon promote release`", () => {
  test("shows what would be released, and does nothing without a yes", async () => {
    const before = await countReleases();
    const shown = await tenon(releaseWords("good"), { typed: ["no"] });
    expect(shown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing was released") });
    expect(shown.stdout).toContain(`a Release of ${namespace}/shop-1 by plan good, for which `);
    expect(shown.stdout).toContain("  web: 7654321\n  its tests: Passed\n");
    expect(shown.stdout).toContain("there is a Release of the same already: done, Released");
    expect(await tenon(releaseWords("good", "--dry-run"))).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await countReleases()).toBe(before);
  });

  test("refuses what would fail, and says why", async () => {
    const before = await countReleases();
    const refused = await tenon(releaseWords("other", "--yes"));
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("this Release would fail") });
    expect(refused.stdout).toContain("  ! the Snapshot is of shop, and the plan of blog: they must be of the same\n");
    expect(refused.stdout).toContain("  ! Application blog not found");
    expect(await tenon(releaseWords("none", "--yes"))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("tenon get releaseplans"),
    });
    expect(await countReleases()).toBe(before);
  });

  test("creates a Release for which the user answers; a plan without an author, and with an expression that has no answer, is enough", async () => {
    const made = await tenon(releaseWords("lonely"), { typed: ["yes"] });
    const [, key] = /next: tenon explain release\/(\S+)/.exec(made.stdout) ?? [];
    expect(made).toMatchObject({ exitCode: 0 });
    const [found] = await rows("get", "releases", key ?? "");
    const { user } = await client.whoAmI();
    expect(found).toMatchObject({
      plan: "lonely",
      snapshot: "shop-1",
      automated: false,
      author: user.replaceAll(":", "_"),
    });
  });
});

describe("`tenon doctor --promotion`", () => {
  test("judges the plans of a namespace as their controller does, and fails if one cannot release", async () => {
    const { exitCode, stdout, stderr } = await tenon([
      "doctor",
      "--promotion",
      "--namespaces",
      namespace,
      "-o",
      "json",
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("2 release plans cannot release"),
    });
    expect(JSON.parse(stdout)).toEqual([
      {
        state: "problem",
        namespace,
        plan: "lonely",
        reason: "NoAuthor",
        message: expect.stringContaining("no one answers"),
      },
      {
        state: "problem",
        namespace,
        plan: "lonely",
        reason: "InvalidExpression",
        message: expect.stringContaining("cannot be evaluated"),
      },
      { state: "problem", namespace, plan: "other", reason: "OwnerNotFound", message: expect.stringContaining("blog") },
      { state: "ok", namespace, plan: "good" },
    ]);
  });

  test("fits 80 columns", async () => {
    const { stdout } = await tenon(["doctor", "--promotion", "--namespaces", namespace], { columns: 80 });
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toContain("NoAuthor");
  });
});

describe("what runs where", () => {
  test("`tenon get environments` and `tenon explain release` name the Deployment that has the digest of a merged stage", async () => {
    const containers = [{ name: "web", image: `reg.local:5000/acme/web:released@${digest}` }];
    const labels = { app: "web" };
    await client.create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    const merged = { digests: { "reg.local:5000/acme/web:released": digest }, since: "2026-01-02T03:12:00Z" };
    const stage = { name: "production", state: "UpToDate", since: "2026-01-02T03:12:00Z", merged, proposals: [] };
    const { apiVersion, kind } = Propagation;
    await client.patch(
      { apiVersion, kind, namespace, name: "followed" },
      { type: "merge", subresource: "status", body: { status: { advertised: merged, stages: [stage] } } },
    );
    const row = { environment: "production", component: "web", released: digest, merged: digest, running: digest };
    await expect
      .poll(() => rows("get", "environments", "followed"), { timeout: 300_000, interval: 250 })
      .toMatchObject([{ ...row, where: [`Deployment ${namespace}/web`] }]);
    expect(await rows("get", "environments", "unrelated")).toMatchObject([{ state: "Proposed", where: [] }]);
    const { stdout } = await tenon(["get", "environments", "-n", namespace], { columns: 80 });
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toContain("7654321");
    expect((await tenon(["explain", `release/${namespace}/done`])).stdout).toMatch(
      new RegExp(`\n  merged: \\d+ \\w+ ago\n  runs in: Deployment ${namespace}/web: web.*\n  waits for: nothing\n`),
    );
  });
});
