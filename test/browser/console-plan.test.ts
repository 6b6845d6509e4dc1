import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLogger, packageFile, systemClock } from "#base";
import { accountUser, grantRights, testKubeconfig, usePropagation } from "#harness";
import { loadAccess, requestToken, reviewAccess } from "#kube";
import { Propagation } from "#promotion";
import { type ConsoleServer, loadFiles, serveConsole } from "#server";
import { openConsoleData } from "../../src/cli/console/open-console-data.ts";
import { preparePages } from "../../src/cli/console/prepare-pages.ts";
import { FakeShell } from "../../src/cli/fake-shell.fixture.ts";
import { readTenonConfig } from "../../src/cli/control/tenon-config.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import { sampleRepository, type SampleRepository } from "../../src/git/sample-repository.fixture.ts";
import { integrationFile, sampleDataFiles } from "../../src/server/console/console-data.fixture.ts";
import { inspectPage, type OpenedBrowser, type OpenedPage, openBrowser, takePicture } from "./open-browser.ts";

const world = usePropagation({ runsController: false });
const { namespace } = world;
const limit = () => AbortSignal.timeout(300_000);
const script = `<script>alert(1)</script><img src=x onerror=alert(2)>`;
const [released, older] = [`sha256:${"a".repeat(64)}`, `sha256:${"b".repeat(64)}`];
const lines: string[] = [];
const links: string[] = [];
const opened = new AsyncDisposableStack();
const none = { integration: [], cluster: [], imageTagFromRef: [], clusterContext: [] };
let repository: SampleRepository;
let browser: OpenedBrowser;
let server: ConsoleServer;
let starter: OpenedPage;
let config: string;

beforeAll(async () => {
  const kubeconfig = testKubeconfig();
  const access = await loadAccess({ kubeconfig });
  repository = opened.use(await sampleRepository());
  await repository.commit({
    ...sampleDataFiles([namespace]),
    "data/integrations/feed.yml": integrationFile("feed", namespace).replace("a sample", `'${script}'`),
  });
  config = join(repository.path, "tenon.yaml");
  await writeFile(
    config,
    `data: .\nkubeconfig: ${kubeconfig}\ntenonNamespace: ${namespace}\nmaxDeletions: 0\nclusters:\n  c1: {context: ${access.context}}\n`,
  );
  const shell = new FakeShell({ env: process.env });
  const files = await loadFiles(await preparePages({ env: process.env, stderr: process.stderr, signal: shell.signal }));
  const data = await openConsoleData(none, await readTenonConfig(config), access, shell);
  if (data) opened.use(data);
  server = opened.use(
    await serveConsole({
      access,
      host: "127.0.0.1",
      port: 0,
      isReadOnly: false,
      data: data?.data,
      files,
      onLink: (link) => links.push(link),
      clock: systemClock,
      log: createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } }),
    }),
  );
  browser = opened.use(await openBrowser());
  starter = await browser.newPerson();
  await starter.page.goto(links.at(-1) ?? "");
  await starter.page.getByRole("heading", { name: "Attention" }).waitFor();
  await makePropagation();
});
afterAll(() => opened.disposeAsync());

const stageOf = (name: string) => ({
  name,
  repository: "https://git.example/gitops.git",
  branch: name,
  forge: { kind: "plain" },
});

/** `prod` runs what was released before, `stage` what is released now. */
async function makePropagation(): Promise<void> {
  const image = "quay.io/acme/web:released";
  await world.apply("shop", {
    source: { images: [{ repository: "quay.io/acme/web", tag: "released", component: "web" }] },
    stages: [stageOf("stage"), stageOf("prod")],
  });
  const since = new Date(Date.now() - 3 * 60_000).toISOString();
  const has = (digest: string) => ({ digests: { [image]: digest }, since });
  const status = (name: string, digest: string, state: string) => ({
    name,
    state,
    since,
    merged: has(digest),
    running: has(digest),
    proposals: [],
  });
  const { apiVersion, kind } = Propagation;
  await world.client.patch(
    { apiVersion, kind, namespace, name: "shop" },
    {
      type: "merge",
      subresource: "status",
      body: {
        status: {
          advertised: has(released),
          stages: [status("stage", released, "UpToDate"), status("prod", older, "Proposed")],
        },
      },
    },
  );
}

/** The token of a person who may see the data and read what runs in the namespace, and change nothing. */
async function readersToken(): Promise<string> {
  const account = { name: "reader", namespace };
  const user = accountUser(account);
  await world.client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  const verbs = ["get", "list", "watch"];
  const rules = [
    { apiGroups: ["apps"], resources: ["deployments", "statefulsets"], verbs },
    { apiGroups: ["batch"], resources: ["cronjobs"], verbs },
    { apiGroups: [""], resources: ["services", "configmaps"], verbs: [...verbs, "create", "update"] },
  ];
  await grantRights(world.client, { name: "reader", namespace, user, rules });
  const apiGroup = "rbac.authorization.k8s.io";
  const name = `data-${namespace}`;
  const path = "/tenon.dev/data";
  await world.client.create({
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRole",
    metadata: { name },
    rules: [{ nonResourceURLs: [path], verbs: ["get"] }],
  });
  await world.client.create({
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name },
    subjects: [{ kind: "User", apiGroup, name: user }],
  });
  opened.defer(async () => {
    for (const kind of ["ClusterRoleBinding", "ClusterRole"])
      await world.client.delete({ apiVersion: `${apiGroup}/v1`, kind, name });
  });
  const question = { verb: "get", path };
  await vi.waitUntil(async () => (await reviewAccess(world.client, { user }, question)).isAllowed, {
    timeout: 300_000,
  });
  return (await requestToken(world.client, account, {}, limit())).token.reveal();
}

const open = async ({ page }: OpenedPage, path: string, heading: string): Promise<void> => {
  await page.goto(`${server.origin}${path}`);
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
};

const writeFeed = (more = "") =>
  writeFile(join(repository.path, "data/integrations/feed.yml"), integrationFile("feed", namespace, more));

const deployments = async () =>
  (await world.client.list({ apiVersion: "apps/v1", kind: "Deployment", namespace })).items.map(
    ({ metadata }) => metadata.name,
  );

/** `tenon run`, as a program of its own. */
function runManager(settings: string): AsyncDisposable {
  const child = spawn(packageFile("bin", "tenon"), ["run", "--only", "manage", "--config", settings, "--port", "0"], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    stdio: "ignore",
  });
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

async function applyPlan({ page }: OpenedPage): Promise<void> {
  await page.getByRole("button", { name: "Apply …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
}

describe("the plan in a browser", () => {
  test("a person without the rights sees by name which objects were refused, and nothing is written", async () => {
    const reader = await browser.newPerson();
    await reader.page.goto(`${server.origin}/plan`);
    await reader.page.getByLabel("token").fill(await readersToken());
    await reader.page.getByRole("button", { name: "Log in" }).click();
    await reader.page.getByText("Deployment feed").first().waitFor();
    await applyPlan(reader);
    await reader.page.getByRole("heading", { name: "Nothing was applied" }).waitFor();
    const row = reader.page.getByRole("row", { name: /failed.*Deployment feed/ });
    await row
      .getByText(/forbidden/)
      .first()
      .waitFor();
    expect(await deployments()).toEqual([]);
    expect(reader.complaints).toEqual([]);
  });

  test("a plan is read, which is the one that `tenon plan` makes, and applied to its end", async () => {
    const { page } = starter;
    await open(starter, "/plan", "Plan");
    await page.getByText("Deployment feed").first().waitFor();
    const shell = new FakeShell({ env: process.env });
    await runCommandLine(["plan", "--config", config, "--exit-zero", "-o", "json"], shell);
    const { id }: { id: string } = JSON.parse(shell.stdout.text);
    await page.getByText(id, { exact: true }).waitFor();
    await takePicture(page, "plan");
    await applyPlan(starter);
    await page.getByRole("heading", { name: /^Applied: (\d+) of \1 changes$/ }).waitFor();
    await page.getByRole("heading", { name: "Nothing to do" }).waitFor();
    expect(await deployments()).toEqual(["feed"]);
    const audited = lines.filter((line) => line.includes('"Deployment","feed"')).join("\n");
    expect(audited).toContain(id);
    const history = new FakeShell({ env: process.env });
    await runCommandLine(["history", "--config", config, "-o", "json"], history);
    expect(history.stdout.text).toContain(id);
  });

  test("a Deployment that is deleted behind Tenon's back is shown as not deployed, and as deployed once Tenon has put it back, without a reload", async () => {
    const { page } = starter;
    await open(starter, "/integrations?search=feed", "Integrations");
    const row = (state: string) => page.getByRole("row", { name: new RegExp(`/feed (?:${state})`) });
    await row("Running|Starting").waitFor();
    await page.evaluate("window.isSamePage = true");
    await world.client.delete({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: "feed" });
    await row("NotDeployed").waitFor();
    await using _ = runManager(config);
    await row("Running|Starting").waitFor();
    expect(await deployments()).toEqual(["feed"]);
    expect(await page.evaluate("window.isSamePage")).toBe(true);
  });

  test("a field that changes is shown before and after, and a script in it is text", async () => {
    const { page, complaints } = starter;
    await writeFeed(`    extraEnv:\n    - {name: NOTE, value: '${script}'}\n`);
    await open(starter, "/plan?integration=feed", "Plan");
    await page.getByText(script).first().waitFor();
    await page.getByText("1 to update").first().waitFor();
    expect(complaints).toEqual([]);
  });

  test("a plan that is another one by now is not applied, and the page shows the one of now", async () => {
    const { page } = starter;
    await open(starter, "/plan?integration=feed", "Plan");
    await page.getByText(script).first().waitFor();
    await writeFeed("    extraEnv:\n    - {name: NOTE, value: later}\n");
    await applyPlan(starter);
    await page.getByText("The plan has changed since you read it, and nothing was applied.").waitFor();
    await page.getByText("later").first().waitFor();
    await applyPlan(starter);
    await page.getByRole("heading", { name: /^Applied: 1 of 1/ }).waitFor();
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "feed" };
    expect(JSON.stringify(await world.client.get(ref))).toContain('"later"');
  });

  test("what was applied is in the activity, with who did it, from which data and what it did", async () => {
    const { page } = starter;
    await open(starter, "/activity", "Activity");
    await page
      .getByText(/\d+ created by \S+ (\d+ min ago|just now)/)
      .first()
      .click();
    await page.getByText(`create Deployment c1/${namespace}/feed`).first().waitFor();
    await open(starter, "/activity?integration=nothing", "Activity");
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    expect(await page.getByRole("group").count()).toBe(0);
  });

  test("an integration says where each of its values comes from, and leads to the line of its file and to its plan", async () => {
    const { page, complaints } = starter;
    await open(starter, `/integrations/${namespace}/feed`, "Integration feed");
    const row = page.getByRole("row", { name: /resources\.limits\.memory.*20Mi.*spec/ });
    await row.getByRole("link", { name: "/integrations/feed.yml" }).click();
    await page.getByRole("heading", { name: "/integrations/feed.yml" }).waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#line-\d+$/);
    await open(starter, `/integrations/${namespace}/feed`, "Integration feed");
    await page.getByRole("link", { name: "Plan of this integration" }).click();
    await page.getByRole("heading", { name: "Plan", exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("integration")).toBe("feed");
    expect(complaints).toEqual([]);
  });

  test("the clusters of the data are shown with their versions and what runs there", async () => {
    const { page } = starter;
    await open(starter, "/clusters", "Clusters");
    await page.getByRole("row", { name: /c1.*Reachable.*v1\./ }).waitFor();
    expect(await page.getByRole("row", { name: /c2/ }).count(), "nothing of the data runs there").toBe(0);
  });

  test("a plan with more changes than a page is read page by page, and its search looks at all of them", async () => {
    const { page } = starter;
    const many = integrationFile("many", namespace, `    cron: "0 0 1 1 *"\n`);
    const file = join(repository.path, "data/integrations/many.yml");
    await writeFile(file, many.replace("  spec:", "  sharding: {strategy: static, shards: 600}\n  spec:"));
    await open(starter, "/plan?integration=many", "Plan");
    await page
      .getByText(/^1 to 500 of 60\d$/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Next" }).first().click();
    await page
      .getByText(/^501 to (60\d) of \1$/)
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get("offset")).toBe("500");
    await page.getByLabel("search").fill("many-123");
    await page.getByText("1 to 1 of 1", { exact: true }).first().waitFor();
    await page.getByText("CronJob many-123").waitFor();
    await open(starter, "/plan?integration=many&change=delete", "Plan");
    await page.getByRole("heading", { name: "No change matches" }).waitFor();
    await page.getByRole("button", { name: "Apply …" }).waitFor();
    await rm(file);
  });

  test("deletions that look like an accident are planned after a click, and applied after a tick", async () => {
    const { page } = starter;
    repository.git("tag", "v1");
    await repository.commit({ "data/integrations/feed.yml": integrationFile("other", namespace) });
    await open(starter, "/plan", "Plan");
    await page.getByRole("button", { name: "Plan with these deletions" }).click();
    await page
      .getByText(/1 to delete/)
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get("deletions")).toBe("confirmed");
    await page.getByRole("button", { name: "Apply …" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Apply", exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole("checkbox", { name: "Delete 1 object" }).check();
    await dialog.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("heading", { name: /^Applied: (\d+) of \1 changes$/ }).waitFor();
    expect(await deployments()).toEqual(["other"]);
  });
});

describe("the data in a browser", () => {
  test("a file shows what is wrong beside its line, and leads to the files that refer to it", async () => {
    const { page, complaints } = starter;
    const broken = integrationFile("broken", namespace).replace("a sample", `'${script}'`);
    await writeFile(join(repository.path, "data/integrations/broken.yml"), `${broken}unknown: ${namespace}\n`);
    await open(starter, "/data", "Data");
    await page
      .getByRole("row", { name: /broken\.yml.*error/ })
      .getByRole("link")
      .click();
    await page.getByRole("heading", { name: "/integrations/broken.yml" }).waitFor();
    await page
      .getByRole("link", { name: /^line \d+$/ })
      .first()
      .waitFor();
    await page.getByText(script).first().waitFor();
    const references = page.getByRole("complementary", { name: "references" });
    await references.getByRole("link", { name: `/namespaces/${namespace}.yml` }).click();
    await page.getByRole("heading", { name: `/namespaces/${namespace}.yml` }).waitFor();
    await references.getByRole("link", { name: "/integrations/broken.yml" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("what changed since a commit is shown by file and field, and a text that is not a ref is refused", async () => {
    const { page } = starter;
    await open(starter, "/data/changes?from=v1&to=HEAD", "Changes of the data");
    await page.getByRole("row", { name: /name.*feed.*other/ }).waitFor();
    await open(starter, "/data/changes?from=HEAD", "Changes of the data");
    await page.getByRole("region", { name: "data/integrations/broken.yml" }).getByText("added").first().waitFor();
    await open(starter, "/data/changes?from=--output%3D/tmp/x", "Changes of the data");
    await page.getByRole("heading", { name: "Nothing to compare" }).waitFor();
    expect(await page.getByRole("region").count()).toBe(0);
  });
});

describe("where each digest runs, in a browser", () => {
  test("each environment has its digest, since when, and whether it is what is released", async () => {
    const { page } = starter;
    await open(starter, "/where", "Where");
    const row = page.getByRole("row", { name: /web/ });
    await row.getByText("aaaaaaa").first().waitFor();
    await row.getByText("bbbbbbb").first().waitFor();
    await row
      .getByText(/^\d+ (min|h) ago$/)
      .first()
      .waitFor();
    await takePicture(page, "where");
    await open(starter, "/where?only=behind&environment=stage", "Where");
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    expect(await page.getByRole("row").count()).toBe(0);
  });
});

describe("the pages of plan, data and environments", () => {
  const pages = [
    ["/plan?integration=other", "Plan", "Nothing to do"],
    ["/plan?integration=second", "Plan", "Deployment second"],
    ["/integrations", "Integrations", "nothing of it is deployed"],
    [`/integrations/${namespace}/other`, "Integration other", "resources.limits.memory"],
    [`/integrations/${namespace}/second`, "Integration second", "resources.limits.memory"],
    ["/clusters", "Clusters", "the context"],
    ["/activity", "Activity", "created"],
    ["/data", "Data", "broken.yml"],
    ["/data/file?path=/integrations/broken.yml", "/integrations/broken.yml", "Refers to"],
    ["/data/changes?from=v1", "Changes of the data", "broken.yml"],
    ["/where", "Where", "quay.io/acme/web"],
  ] as const;
  const headings = {
    a: "Attention",
    i: "Integrations",
    l: "Plan",
    c: "Clusters",
    d: "Data",
    p: "Plugs",
    s: "Sockets",
    g: "Graph",
    n: "Snapshots",
    r: "Releases",
    o: "Propagations",
    w: "Where",
    e: "Environments",
    t: "Activity",
  } as const;

  test("axe finds nothing serious on them, wide and at 360 px, in light and dark, and nothing is beside them", async () => {
    const { page } = starter;
    await writeFile(
      join(repository.path, "data/integrations/second.yml"),
      integrationFile("second", namespace, "    extraEnv:\n    - {name: A, value: b}\n"),
    );
    const found: string[] = [];
    for (const [path, heading, text] of pages) {
      await open(starter, path, heading);
      await page.getByText(text).first().waitFor();
      found.push(...(await inspectPage(page, path)));
    }
    expect(found).toEqual([]);
  });

  test("each key leads to its page, and one to the search", async () => {
    const { page } = starter;
    await open(starter, "/where", "Where");
    for (const [key, heading] of Object.entries(headings)) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    }
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByRole("heading", { name: "Where", exact: true }).waitFor();
    await page.keyboard.press("/");
    for (const key of "web") await page.keyboard.press(key);
    await expect.poll(() => new URL(page.url()).searchParams.get("search"), { timeout: 300_000 }).toBe("web");
  });
});
