import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLogger, systemClock } from "#base";
import { testKubeconfig, useCoupling } from "#harness";
import { loadAccess } from "#kube";
import { type ConsoleServer, loadFiles, serveConsole } from "#server";
import { preparePages } from "../../src/cli/console/prepare-pages.ts";
import { inspectPage, type OpenedBrowser, type OpenedPage, openBrowser, takePicture } from "./open-browser.ts";

const world = useCoupling();
const { app, prov } = world;
let browser: OpenedBrowser;
let server: ConsoleServer;
let person: OpenedPage;
const links: string[] = [];

beforeAll(async () => {
  const { signal } = new AbortController();
  server = await serveConsole({
    access: await loadAccess({ kubeconfig: testKubeconfig() }),
    host: "127.0.0.1",
    port: 0,
    isReadOnly: false,
    files: await loadFiles(await preparePages({ env: process.env, stderr: process.stderr, signal })),
    onLink: (link) => links.push(link),
    clock: systemClock,
    log: silentLogger,
  });
  browser = await openBrowser();
  await world.apply(
    world.socket("postgres", {}),
    world.plug("orders", { socket: { name: "postgres", namespace: prov } }),
    ...Array.from({ length: 64 }, (_, index) =>
      world.plug(`late-${index}`, { socket: { name: "redis", namespace: prov } }),
    ),
  );
  await world.waitUntilCoupled("orders");
  person = await browser.newPerson();
  await person.page.goto(links.at(-1) ?? "");
  await person.page.getByRole("heading", { name: "Attention" }).waitFor();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function openGraph(query = ""): Promise<OpenedPage["page"]> {
  const { page } = person;
  await page.goto(`${server.origin}/graph${query}`);
  await page.getByRole("heading", { name: "Graph", exact: true }).waitFor();
  return page;
}

describe("the graph in a browser", () => {
  test("many plugs are groups by namespace and state, with the reason on their edge, and the keyboard opens them", async () => {
    const page = await openGraph(`?namespace=${app}`);
    const group = page.getByRole("button", { name: /64 plugs.*Waiting/ });
    await group.waitFor();
    await page.getByText("64 × SocketNotCreated").waitFor();
    await page.getByRole("button", { name: /1 plug .*Coupled/ }).waitFor();
    await takePicture(page, "graph");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /late-63 .*Waiting/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("open")).toBe(app);
    await page.getByRole("button", { name: "Collapse all" }).click();
    await group.waitFor();
  });

  test("only what is unhealthy, and only what a search finds, by addresses that can be sent", async () => {
    const page = await openGraph(`?namespace=${app}&unhealthy=true&open=${app}`);
    await page.getByRole("link", { name: /late-7 / }).waitFor();
    expect(await page.getByRole("link", { name: /orders/ }).count()).toBe(0);
    await openGraph(`?search=${app}/orders&open=${app}`);
    await page.getByRole("link", { name: /orders .*Coupled/ }).waitFor();
    await page.getByText("1 plug, 1 socket").waitFor();
  });

  test("the arrows follow an edge from a plug to its socket, whose page Enter opens", async () => {
    const page = await openGraph(`?search=${app}/orders`);
    await page.getByRole("link", { name: /orders/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Socket postgres" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sockets/${prov}/postgres`);
  });

  test("a plug that is coupled moves to another group without a reload", async () => {
    const page = await openGraph(`?search=${app}/mail`);
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    await world.apply(world.plug("mail", { socket: { name: "smtp", namespace: prov } }));
    await page.getByRole("link", { name: /mail .*Waiting/ }).waitFor();
    await page.getByText("does not exist").waitFor();
    await page.evaluate("window.isSamePage = true");
    await world.apply(world.socket("smtp", {}));
    await page.getByRole("link", { name: /mail .*Coupled/ }).waitFor();
    expect(await page.evaluate("window.isSamePage")).toBe(true);
  });

  test("the graph as text is what `tenon graph` prints", async () => {
    const page = await openGraph(`?search=${app}/orders`);
    await page.getByRole("button", { name: "As text" }).click();
    const text = page.locator("pre");
    await text.waitFor();
    expect(await text.innerText()).toBe(`${prov}/postgres  Coupled\n└── ${app}/orders  Coupled`);
  });

  test("axe finds nothing serious on the graph, wide and at 360 px, in light and dark, and nothing is beside it", async () => {
    const { complaints } = person;
    const found: string[] = [];
    for (const query of [`?namespace=${app}`, `?namespace=${app}&open=${app}`, `?namespace=${app}&view=text`]) {
      const page = await openGraph(query);
      await page
        .getByText(/SocketNotCreated|does not exist/)
        .first()
        .waitFor();
      found.push(...(await inspectPage(page, query)));
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
