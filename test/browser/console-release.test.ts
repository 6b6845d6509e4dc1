import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLogger, systemClock } from "#base";
import { installKinds } from "#crd";
import { testKubeconfig } from "#harness";
import { loadAccess } from "#kube";
import { EphemeralClaim, Propagation } from "#promotion";
import { type ConsoleServer, loadFiles, serveConsole } from "#server";
import { preparePages } from "../../src/cli/console/prepare-pages.ts";
import { tektonPipeline, useReleases } from "../../src/promotion/releases/use-releases.fixture.ts";
import { inspectPage, type OpenedBrowser, type OpenedPage, openBrowser } from "./open-browser.ts";

const world = useReleases();
const { namespace } = world;
const script = `<script>alert(1)</script><img src=x onerror=alert(2)>`;
const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
const image = "reg.local:5000/acme/web";
const links: string[] = [];
let browser: OpenedBrowser;
let server: ConsoleServer;
let starter: OpenedPage;

beforeAll(async () => {
  const signal = AbortSignal.timeout(300_000);
  await installKinds(world.client, [Propagation, EphemeralClaim], { signal });
  for (const { apiVersion, kind } of [Propagation, EphemeralClaim])
    await world.client.discovery.whenServed({ apiVersion, kind }, signal);
  server = await serveConsole({
    access: await loadAccess({ kubeconfig: testKubeconfig() }),
    host: "127.0.0.1",
    port: 0,
    isReadOnly: true,
    files: await loadFiles(await preparePages({ env: process.env, stderr: process.stderr, signal })),
    onLink: (link) => links.push(link),
    clock: systemClock,
    log: silentLogger,
  });
  browser = await openBrowser();
  await world.application("shop");
  await world.plan("push", { spec: { tenantPipeline: tektonPipeline } });
  await world.start();
  starter = await browser.newPerson();
  await starter.page.goto(links.at(-1) ?? "");
  await starter.page.getByRole("heading", { name: "Attention" }).waitFor();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const open = async (path: string, heading: string): Promise<OpenedPage["page"]> => {
  const { page } = starter;
  await page.goto(`${server.origin}${path}`);
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  return page;
};

const proposal = (number: number, url: string) => ({
  branch: `tenon/${number}`,
  state: "Proposed",
  heads: [],
  pullRequest: { number, url, state: "open" },
});

const minutes = (count: number): string => new Date(Date.now() + count * 60_000).toISOString();

const builtOf = (url: string) => [
  { name: "web", containerImage: `${image}@${digest}`, source: { git: { url, revision: "4fd2c1e" } } },
];

describe("a release in a browser", () => {
  test("is followed from its commit to where it runs, without a reload", async () => {
    await world.client.create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace, name: "web" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: `${image}@${digest}` }] },
        },
      },
    });
    await world.snapshot("web-1", { components: builtOf("https://git.example/acme/web") });
    await world.release("web-1", "web-1", "push");
    const run = await world.waitForRun("web-1", "tenant");
    const page = await open("/releases?search=web-1", "Releases");
    await page
      .getByRole("row", { name: /\/web-1 Running/ })
      .getByRole("link")
      .click();
    await page.getByRole("heading", { name: "Release web-1", exact: true }).waitFor();
    const chain = page.getByRole("region", { name: "chain" });
    await chain.getByText(/commit 4fd2c1e of https:/).waitFor();
    await chain.getByRole("heading", { name: /The tenant pipeline.*Progressing/ }).waitFor();
    await page.evaluate("window.isSamePage = true");
    await world.player.finish(run);
    await chain.getByRole("heading", { name: /^Release .*Released/ }).waitFor();
    await chain.getByRole("heading", { name: `Runs in Deployment ${namespace}/web` }).waitFor();
    expect(await page.evaluate("window.isSamePage")).toBe(true);
    await page.getByRole("link", { name: "web-1", exact: true }).first().click();
    await page.getByRole("heading", { name: "Snapshot web-1", exact: true }).waitFor();
  });

  test("that failed has what its pipeline said beside the step, as text, and is among what needs attention", async () => {
    await world.snapshot("web-2", {
      components: builtOf(`javascript:alert(3)//${script}`),
      annotations: { "example.com/note": script },
    });
    await world.release("web-2", "web-2", "push");
    await world.player.finish(await world.waitForRun("web-2", "tenant"), { hasFailed: true, message: script });
    await world.waitForReleased("web-2", "False/Failed");
    const page = await open(`/releases/${namespace}/web-2`, "Release web-2");
    expect(await page.locator(".chain pre").first().innerText()).toContain(script);
    // What other files have left may need a person for longer, and of all namespaces only so much is shown.
    await open(`/?namespace=${namespace}`, "Attention");
    await page.getByRole("row", { name: /web-2/ }).getByText(script).first().waitFor();
    await open(`/snapshots/${namespace}/web-2`, "Snapshot web-2");
    expect(
      await page.evaluate("document.querySelectorAll('#root script, #root img[src=x], a[href^=javascript]').length"),
    ).toBe(0);
    expect(starter.complaints).toEqual([]);
  });

  test("has links to pull requests on the web alone, and nothing to press in a read-only console", async () => {
    const { apiVersion, kind } = Propagation;
    const metadata = { namespace, name: "shop" };
    const stage = {
      name: "prod",
      repository: "https://git.example/gitops.git",
      branch: "main",
      forge: { kind: "plain" },
    };
    await world.client.create({
      apiVersion,
      kind,
      metadata,
      spec: { source: { images: [{ repository: image, tag: "released", component: "web" }] }, stages: [stage] },
    });
    const since = new Date().toISOString();
    await world.client.patch(
      { apiVersion, kind, ...metadata },
      {
        type: "merge",
        subresource: "status",
        body: {
          status: {
            advertised: { digests: { [`${image}:released`]: digest }, since },
            stages: [
              {
                name: "prod",
                state: "Proposed",
                since,
                message: script,
                proposals: [proposal(7, "https://git.example/acme/gitops/pulls/7"), proposal(8, "javascript:alert(4)")],
              },
            ],
          },
        },
      },
    );
    const page = await open(`/propagations/${namespace}/shop`, "Propagation shop");
    await page.getByRole("link", { name: /pull request 7/ }).waitFor();
    expect(await page.getByRole("link", { name: /pull request 8/ }).count()).toBe(0);
    await page.getByText("(read-only)").waitFor();
    expect(await page.getByRole("button", { name: /Apply|Retry/ }).count()).toBe(0);
    expect(starter.complaints).toEqual([]);
  });
});

describe("environments in a browser", () => {
  test("say what they are for, when they end, and where their kubeconfig is, and those that failed why", async () => {
    const { apiVersion, kind } = EphemeralClaim;
    for (const name of ["tests", "refused"]) {
      await world.client.create({
        apiVersion,
        kind,
        metadata: { namespace, name },
        spec: { className: "small", ownerRef: { kind: "PipelineRun", name: "shop-e2e" } },
      });
    }
    const patch = (name: string, status: object) =>
      world.client.patch(
        { apiVersion, kind, namespace, name },
        { type: "merge", subresource: "status", body: { status } },
      );
    await patch("tests", {
      phase: "Ready",
      namespace: "env-tests",
      secretRef: { name: "tests-kubeconfig" },
      readyAt: minutes(-3),
      expiresAt: minutes(29.5),
    });
    await patch("refused", { phase: "Failed", ending: { reason: "Refused", message: script, since: minutes(-5) } });
    const page = await open("/claims", "Environments");
    const row = page.getByRole("row", { name: /tests.*Ready.*small.*PipelineRun shop-e2e.*env-tests/ });
    await row.getByText(/^in 2\d min$/).waitFor();
    await page
      .getByRole("row", { name: /refused.*Failed/ })
      .getByText(script)
      .waitFor();
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Claim tests", exact: true }).waitFor();
    await page.getByText("key kubeconfig of the Secret tests-kubeconfig").waitFor();
    expect(starter.complaints).toEqual([]);
  });
});

describe("a console without data", () => {
  test("shows its own cluster, and says what to do for the pages of the data", async () => {
    const page = await open("/clusters", "Clusters");
    await page.getByRole("row", { name: /Reachable.*v1\./ }).waitFor();
    await page.getByText(/Only the cluster of this console/).waitFor();
    for (const [path, heading] of [
      ["/plan", "Plan"],
      ["/data", "Data"],
      ["/activity", "Activity"],
    ] as const) {
      await open(path, heading);
      await page.getByText(/tenon console --data FOLDER/).waitFor();
    }
    expect(starter.complaints).toEqual([]);
  });
});

test("axe finds nothing serious on any page of releases, wide and at 360 px, in light and dark, and nothing is beside it", async () => {
  const pages = [
    ["/integrations", "Integrations"],
    ["/sockets", "Sockets"],
    ["/releases", "Releases"],
    [`/releases/${namespace}/web-1`, "Release web-1"],
    [`/releases/${namespace}/web-2`, "Release web-2"],
    [`/snapshots/${namespace}/web-2`, "Snapshot web-2"],
    ["/propagations", "Propagations"],
    [`/propagations/${namespace}/shop`, "Propagation shop"],
    ["/claims", "Environments"],
    [`/claims/${namespace}/tests`, "Claim tests"],
    ["/clusters", "Clusters"],
    ["/activity", "Activity"],
  ] as const;
  const found: string[] = [];
  for (const [path, heading] of pages) {
    const page = await open(path, heading);
    await page.locator(".loading").waitFor({ state: "detached" });
    found.push(...(await inspectPage(page, path)));
  }
  const stranger = await browser.newPerson();
  await stranger.page.goto(`${server.origin}/plugs`);
  await stranger.page.getByRole("button", { name: "Log in" }).waitFor();
  found.push(...(await inspectPage(stranger.page, "the login")));
  expect(found).toEqual([]);
  expect([...starter.complaints, ...stranger.complaints]).toEqual([]);
});
