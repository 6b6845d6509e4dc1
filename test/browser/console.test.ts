import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closeServer, listenOn, silentLogger, systemClock } from "#base";
import { annotations } from "#coupling";
import { startTcpProxy, type TcpProxy } from "#faults";
import { testKubeconfig, useCoupling } from "#harness";
import { type ClusterAccess, loadAccess, requestToken, reviewAccess } from "#kube";
import { type ConsoleServer, loadFiles, serveConsole } from "#server";
import { preparePages } from "../../src/cli/console/prepare-pages.ts";
import { inspectPage, type OpenedBrowser, type OpenedPage, openBrowser, takePicture } from "./open-browser.ts";

const world = useCoupling();
const { app, prov } = world;
const script = `<script>alert(1)</script><img src=x onerror=alert(2)>`;
const links: string[] = [];
let browser: OpenedBrowser;
let server: ConsoleServer;
let proxy: TcpProxy;
let front: TcpProxy;
let starter: OpenedPage;

beforeAll(async () => {
  const access = await loadAccess({ kubeconfig: testKubeconfig() });
  // Between the console and the API server, so that a test can take the API server away.
  proxy = await startTcpProxy({ target: { host: access.server.hostname, port: Number(access.server.port) } });
  const reached: ClusterAccess = {
    ...access,
    server: new URL(`https://${proxy.host}:${proxy.port}`),
  };
  const { signal } = new AbortController();
  const files = await loadFiles(await preparePages({ env: process.env, stderr: process.stderr, signal }));
  // Between the browser and the console, so that a test can cut the stream of changes.
  front = await startTcpProxy({ target: { host: "127.0.0.1", port: 1 } });
  server = await serveConsole({
    access: reached,
    host: "127.0.0.1",
    port: 0,
    publicUrl: new URL(`http://${front.host}:${front.port}`),
    isReadOnly: false,
    files,
    onLink: (link) => links.push(link),
    clock: systemClock,
    log: silentLogger,
  });
  front.retarget({ host: "127.0.0.1", port: server.port });
  browser = await openBrowser();
  await world.apply(world.socket("postgres", {}), {
    ...world.plug("orders", { socket: { name: "postgres", namespace: prov }, config: { note: script } }),
    metadata: { namespace: app, name: "orders", labels: { team: "shop" }, annotations: { note: script } },
  });
  await world.waitUntilCoupled("orders");
  starter = await browser.newPerson();
  await starter.page.goto(links.at(-1) ?? "");
  await starter.page.getByRole("heading", { name: "Attention" }).waitFor();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await front[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
});

/** Someone with a token who may read plugs and sockets, and Events, of one namespace. */
async function tokenFor(name: string, namespace: string): Promise<string> {
  const metadata = { name, namespace };
  const apiGroup = "rbac.authorization.k8s.io";
  await world.client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata });
  const rules = [
    { apiGroups: ["integration.rock8s.com"], resources: ["plugs", "sockets"], verbs: ["get", "list", "watch"] },
  ];
  await world.client.create({ apiVersion: `${apiGroup}/v1`, kind: "Role", metadata, rules });
  const roleRef = { apiGroup, kind: "Role", name };
  const subjects = [{ kind: "ServiceAccount", ...metadata }];
  await world.client.create({ apiVersion: `${apiGroup}/v1`, kind: "RoleBinding", metadata, roleRef, subjects });
  const right = { verb: "list", group: "integration.rock8s.com", resource: "plugs", namespace };
  const user = `system:serviceaccount:${namespace}:${name}`;
  // The authorizer sees new Roles some time after the server has stored them.
  await vi.waitUntil(async () => (await reviewAccess(world.client, { user }, right)).isAllowed, { timeout: 300_000 });
  return (await requestToken(world.client, metadata, {}, AbortSignal.timeout(300_000))).token.reveal();
}

const open = async ({ page }: OpenedPage, path: string, heading: string): Promise<void> => {
  await page.goto(`${server.origin}${path}`);
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
};

describe("the console in a browser", () => {
  test("a plug that waits says for what, and leaves the list of what needs attention when it is coupled, without a reload", async () => {
    const { page } = starter;
    await open(starter, "/", "Attention");
    await world.apply(world.plug("cart", { socket: { name: "redis", namespace: prov } }));
    const row = page.getByRole("row", { name: /cart/ });
    await row.getByText(`Socket ${prov}/redis`).first().waitFor();
    await row.getByText(/create the socket/).waitFor();
    await takePicture(page, "attention");
    await page.evaluate("window.isSamePage = true");
    await world.apply(world.socket("redis", {}));
    await row.waitFor({ state: "detached" });
    expect(await page.evaluate("window.isSamePage")).toBe(true);
    await open(starter, `/plugs/${app}/cart`, "Plug cart");
    await page.getByText("Coupled", { exact: true }).first().waitFor();
  });

  test("an integration whose Deployment is deleted disappears, and comes back with another one, without a reload", async () => {
    const { page } = starter;
    const deployment = (name: string) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        namespace: app,
        name,
        annotations: { "qontract.integration": "integrations-manager", "tenon.dev/integration": "price-feed" },
      },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: "int", image: "registry.example/feed:v7" }] },
        },
      },
    });
    await world.client.create(deployment("price-feed"));
    await open(starter, "/integrations?search=price-feed", "Integrations");
    await page.getByRole("row", { name: /price-feed.*feed:v7/ }).waitFor();
    await page.evaluate("window.isSamePage = true");
    await world.client.delete({ apiVersion: "apps/v1", kind: "Deployment", namespace: app, name: "price-feed" }, {});
    await page.getByRole("heading", { name: "No integration matches" }).waitFor();
    await world.client.create(deployment("price-feed"));
    await page.getByRole("row", { name: /price-feed.*feed:v7/ }).waitFor();
    expect(await page.evaluate("window.isSamePage")).toBe(true);
  });

  test("a search is in the address, and works with the keyboard alone", async () => {
    const { page } = starter;
    await open(starter, "/plugs", "Plugs");
    await page.getByRole("row", { name: /orders/ }).waitFor();
    await page.keyboard.press("/");
    for (const key of "orders") await page.keyboard.press(key);
    await page.getByText("1 to 1 of 1").waitFor();
    expect(new URL(page.url()).searchParams.get("search")).toBe("orders");
    await page.keyboard.press("Tab");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Plug orders" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Sockets", exact: true }).waitFor();
  });

  test("what changes after a list was read, and before the stream of changes begins, appears without a reload", async () => {
    const { page, context } = await browser.newPerson();
    // The stream begins when the test says so.
    await context.addInitScript(`const Real = window.EventSource;
      window.EventSource = class extends EventTarget {
        constructor(url) {
          super();
          window.begin = () => {
            this.real = new Real(url);
            for (const type of ["beat", "change", "reset", "error"])
              this.real.addEventListener(type, ({ data }) => this.dispatchEvent(new MessageEvent(type, { data })));
          };
        }
        close() {
          this.real?.close();
        }
      };`);
    await page.goto(`${server.origin}/plugs?search=early`);
    await page.getByLabel("token").fill(await tokenFor("fay", app));
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "No plug matches" }).waitFor();
    await world.apply(world.plug("early", { socket: { name: "postgres", namespace: prov } }));
    await world.waitUntilCoupled("early");
    await page.evaluate("window.isSamePage = true; window.begin()");
    await page.getByRole("row", { name: /early/ }).waitFor();
    expect(await page.evaluate("window.isSamePage")).toBe(true);
  });

  test("two persons each see only their own, and a session is worthless after the logout", async () => {
    const [ann, ben] = [await browser.newPerson(), await browser.newPerson()];
    for (const [person, name, namespace] of [
      [ann, "ann", app],
      [ben, "ben", prov],
    ] as const) {
      await person.page.goto(`${server.origin}/plugs`);
      await person.page.getByLabel("token").fill(await tokenFor(name, namespace));
      await person.page.getByRole("button", { name: "Log in" }).click();
    }
    await ann.page.getByRole("row", { name: /orders/ }).waitFor();
    await ben.page.getByRole("heading", { name: "No plugs" }).waitFor();
    await open(ben, "/sockets", "Sockets");
    await ben.page.getByRole("row", { name: /postgres/ }).waitFor();
    await open(ann, "/sockets", "Sockets");
    await ann.page.getByRole("heading", { name: "No sockets" }).waitFor();
    await ben.page.goto(`${server.origin}/plugs/${app}/orders`);
    await ben.page.getByRole("heading", { name: "Not here" }).waitFor();
    expect(await ben.page.getByText(script).count()).toBe(0);
    const cookies = (await ann.context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    await ann.page.getByRole("button", { name: "Log out" }).click();
    await ann.page.getByRole("button", { name: "Log in" }).waitFor();
    expect((await fetch(`${server.origin}/api/lists/plugs`, { headers: { cookie: cookies } })).status).toBe(401);
    expect([...ann.complaints, ...ben.complaints]).toEqual([]);
  });

  test("what a plug and a socket exchange is shown with its source, and values of Secrets nowhere", async () => {
    const { page } = starter;
    const secret = "an-unspeakable-word";
    await world.client.create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: prov, name: "credentials" },
      stringData: { password: secret },
    });
    await world.apply(
      world.socket("mysql", {
        interface: { name: "mysql", result: { socket: { url: { sensitive: true } } } },
        configSecretName: "credentials",
        config: { hostname: "db.example" },
        resultTemplate: { url: "mysql://admin:{% .socketConfig.password %}@{% .socketConfig.hostname %}" },
      }),
      world.plug("bills", { socket: { name: "mysql", namespace: prov } }),
    );
    await world.waitUntilCoupled("bills");
    await open(starter, `/plugs/${app}/bills`, "Plug bills");
    await page.getByRole("row", { name: /hostname.*db\.example/ }).waitFor();
    await page.getByRole("row", { name: /password.*\*\*\*.*credentials/ }).waitFor();
    expect(await page.evaluate<string>("document.documentElement.innerHTML")).not.toContain(secret);
    const answer = await page.evaluate<string>(`fetch("/api/objects/plugs/${app}/bills").then((each) => each.text())`);
    expect(answer).not.toContain(secret);
  });

  test("a person retries a plug that waits if they have the right to, and sees no button without it", async () => {
    const path = `/plugs/${app}/stuck`;
    await world.apply(world.plug("stuck", { socket: { name: "nowhere", namespace: prov } }));
    await world.waitForReason("stuck", "SocketNotCreated");
    const eve = await browser.newPerson();
    await eve.page.goto(`${server.origin}${path}`);
    await eve.page.getByLabel("token").fill(await tokenFor("eve", app));
    await eve.page.getByRole("button", { name: "Log in" }).click();
    await eve.page.getByText(`Socket ${prov}/nowhere`).first().waitFor();
    expect(await eve.page.getByRole("button", { name: "Retry now" }).count()).toBe(0);
    await open(starter, path, "Plug stuck");
    await starter.page.getByRole("button", { name: "Retry now" }).click();
    await starter.page.getByText(`Plug ${app}/stuck: retrying`).waitFor();
    const { metadata } = await world.client.get(world.ref("Plug", "stuck"));
    expect(metadata.annotations?.[annotations.retry]).toBeDefined();
  });

  test("a page of another port, which gets the same cookies, can neither read nor write", async () => {
    const evil = createServer((_, response) => response.setHeader("content-type", "text/html").end("<h1>Evil</h1>"));
    const port = await listenOn(evil, "127.0.0.1", 0);
    const { page } = starter;
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole("heading", { name: "Evil" }).waitFor();
    const attempts = await page.evaluate<string[]>(`Promise.all([
      ["/api/session", { method: "DELETE", headers: { "content-type": "application/json" } }],
      ["/api/session", { method: "DELETE" }],
      ["/api/objects/plugs/${app}/orders/retry", { method: "POST", mode: "no-cors", body: "{}" }],
      ["/api/lists/plugs", {}],
    ].map(([path, init]) => fetch("${server.origin}" + path, { credentials: "include", ...init })
      .then((answer) => answer.type + " " + answer.status, () => "refused")))`);
    // The third one is sent, with the cookie, and refused for its Origin.
    expect(attempts).toEqual(["refused", "refused", "refused", "refused"]);
    await closeServer(evil);
    await open(starter, "/plugs", "Plugs");
    const { metadata } = await world.client.get(world.ref("Plug", "orders"));
    expect(metadata.annotations?.[annotations.retry]).toBeUndefined();
    // The browser says so in its console, as it should.
    starter.complaints.length = 0;
  });

  test("a script in what a tenant writes is text, and the content policy has nothing to refuse", async () => {
    const { page, complaints } = starter;
    await world.client.create({
      apiVersion: "v1",
      kind: "Event",
      metadata: { namespace: app, name: "hostile" },
      involvedObject: {
        apiVersion: "integration.rock8s.com/v1beta1",
        kind: "Plug",
        namespace: app,
        name: "orders",
        uid: (await world.client.get(world.ref("Plug", "orders"))).metadata.uid,
      },
      reason: script,
      message: script,
      type: "Warning",
    });
    await open(starter, `/plugs/${app}/orders`, "Plug orders");
    await page.getByRole("row", { name: /note/ }).getByText(script).waitFor();
    await page.getByRole("listitem").getByText(script, { exact: true }).first().waitFor();
    await page.goto(`${server.origin}/plugs/${encodeURIComponent(app)}/${encodeURIComponent(script)}`);
    await page.getByRole("heading", { name: "Not here" }).waitFor();
    await page.goto(`${server.origin}/plugs/${app}/%E0%A4%A`);
    await page.getByRole("heading", { name: "Not here" }).waitFor();
    await page.goto(`${server.origin}/plugs?search=${encodeURIComponent(script)}`);
    await page.getByRole("row", { name: /orders/ }).waitFor({ state: "detached" });
    expect(await page.evaluate("document.querySelectorAll('#root script, #root img[src=x]').length")).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("axe finds nothing serious on any page, wide and at 360 px, in light and dark, and nothing is beside it", async () => {
    const found: string[] = [];
    for (const [path, heading] of [
      ["/", "Attention"],
      ["/plugs", "Plugs"],
      [`/plugs/${app}/orders`, "Plug orders"],
      [`/sockets/${prov}/postgres`, "Socket postgres"],
      ["/snapshots", "Snapshots"],
      ["/nowhere", "Page not found"],
    ] as const) {
      await open(starter, path, heading);
      found.push(...(await inspectPage(starter.page, path)));
    }
    expect(found).toEqual([]);
  });

  test("while the stream of changes is cut the page says so without moving, and it catches up without a reload", async () => {
    const { page } = starter;
    const place = () => page.evaluate<number>("document.querySelector('.empty').getBoundingClientRect().top");
    await open(starter, "/plugs?search=latecomer", "Plugs");
    await page.getByRole("heading", { name: "No plug matches" }).waitFor();
    await page.evaluate("window.isSamePage = true");
    const before = await place();
    front.refuse();
    front.reset("live");
    await page.getByText("The connection to the console is broken").waitFor();
    await page.getByText("out of date", { exact: true }).waitFor();
    expect(await place()).toBe(before);
    await world.apply(world.plug("latecomer", { socket: { name: "postgres", namespace: prov } }));
    await front.restore();
    await page.getByRole("row", { name: /latecomer/ }).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(await page.evaluate("window.isSamePage")).toBe(true);
  });

  test("a page on a laptop that slept, and whose connections were lost, catches up without a reload", async () => {
    const { page } = starter;
    await open(starter, "/plugs?search=sleeper", "Plugs");
    await page.getByRole("heading", { name: "No plug matches" }).waitFor();
    await page.evaluate("window.isSamePage = true");
    browser.sleep();
    try {
      front.reset("live");
      await world.apply(world.plug("sleeper", { socket: { name: "postgres", namespace: prov } }));
      await world.waitUntilCoupled("sleeper");
    } finally {
      browser.wake();
    }
    await page.getByRole("row", { name: /sleeper.*Coupled/ }).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(await page.evaluate("window.isSamePage")).toBe(true);
  });

  test("the theme that a person chooses stays, and times have the exact one at hand", async () => {
    const { page } = starter;
    await open(starter, `/plugs/${app}/orders`, "Plug orders");
    await page.getByRole("button", { name: "Theme: system" }).click();
    await page.getByRole("button", { name: "Theme: light" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    await open(starter, `/plugs/${app}/orders`, "Plug orders");
    await page.getByRole("button", { name: "Theme: dark" }).click();
    await page
      .getByText(/ago|just now/)
      .first()
      .waitFor();
    const exact = await page.evaluate<string>("document.querySelector('time').title");
    expect(exact).toMatch(/\d{4}.*\d{2}:\d{2}/);
  });

  test("while the API server is away the page says so, and it catches up without a reload", async () => {
    const { page } = starter;
    await open(starter, "/plugs?search=newcomer", "Plugs");
    await page.getByRole("heading", { name: "No plug matches" }).waitFor();
    await page.evaluate("window.isSamePage = true");
    proxy.refuse();
    proxy.reset("all");
    await page.getByRole("alert").getByText("What you see may be out of date.").waitFor();
    await world.apply(world.plug("newcomer", { socket: { name: "postgres", namespace: prov } }));
    await proxy.restore();
    await page.getByRole("row", { name: /newcomer/ }).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(await page.evaluate("window.isSamePage")).toBe(true);
  });
});
