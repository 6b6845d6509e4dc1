import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { packageFile } from "#base";

/** What the tests use of playwright-core, which is a package of the console's workspace and not of ours. */
export interface BrowserLocator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  waitFor(options?: { state?: "visible" | "detached" }): Promise<void>;
  count(): Promise<number>;
  innerText(): Promise<string>;
  check(): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  isDisabled(): Promise<boolean>;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): BrowserLocator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): BrowserLocator;
  first(): BrowserLocator;
}

export interface BrowserPage extends Pick<BrowserLocator, "getByRole" | "getByText"> {
  readonly keyboard: { press(key: string): Promise<void> };
  goto(url: string): Promise<unknown>;
  url(): string;
  locator(selector: string): BrowserLocator;
  getByLabel(text: string): BrowserLocator;
  evaluate<Answer>(script: string): Promise<Answer>;
  emulateMedia(media: { colorScheme: "light" | "dark" }): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(options?: { path?: string }): Promise<Uint8Array>;
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
  on(event: "dialog", listener: (dialog: { message(): string; dismiss(): Promise<void> }) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
}

interface BrowserContext {
  newPage(): Promise<BrowserPage>;
  addInitScript(script: string): Promise<unknown>;
  cookies(): Promise<readonly { readonly name: string; readonly value: string }[]>;
  setDefaultTimeout(ms: number): void;
}

interface Browser {
  newContext(options: { viewport: { width: number; height: number } }): Promise<BrowserContext>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}

/** A page of a browser of its own, and all that the browser complained about. */
export interface OpenedPage {
  readonly page: BrowserPage;
  readonly context: BrowserContext;
  /** Dialogs, errors of scripts, and what the content policy refused. */
  readonly complaints: string[];
}

export interface OpenedBrowser extends AsyncDisposable {
  /** A person with cookies and storage of their own. */
  newPerson(): Promise<OpenedPage>;
  /** Stops all processes of the browser, as the sleep of a laptop does; until it wakes, it does not answer. */
  sleep(): void;
  wake(): void;
}

const limitMs = 5 * 60_000;
const notePolicy = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("refused by policy: " + event.violatedDirective + " " + event.blockedURI));`;

/** Debian's chromium, or another one that is named. Tests run as root, where it has no sandbox. */
export async function openBrowser(): Promise<OpenedBrowser> {
  const require = createRequire(packageFile("console", "package.json"));
  const { chromium }: Playwright = require("playwright-core");
  const executablePath = process.env["TENON_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const group = await findProcessGroup();
  return {
    sleep: () => void process.kill(-group, "SIGSTOP"),
    wake: () => void process.kill(-group, "SIGCONT"),
    async newPerson() {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      context.setDefaultTimeout(limitMs);
      await context.addInitScript(notePolicy);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("dialog", (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
      page.on("console", (message) => {
        // The browser itself reports answers such as 401, which pages handle.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
          complaints.push(message.text());
      });
      return { page, context, complaints };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** The browser is the leader of a process group, and a child of this process. */
async function findProcessGroup(): Promise<number> {
  for (const pid of await readdir("/proc")) {
    const stat = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "") : "";
    const [, name, parent, group] = /\((.*)\) \S (\d+) (\d+)/s.exec(stat) ?? [];
    if (name?.startsWith("chrom") && Number(parent) === process.pid && group === pid) return Number(pid);
  }
  throw new Error("no process of the browser found");
}

/** A picture of the documentation, which `TENON_TEST_PICTURES=1 make e2e` draws again. */
export async function takePicture(page: BrowserPage, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 640 });
  // The folder of a test, which tells a reader nothing.
  await page.evaluate(`document.querySelectorAll(".page-head code").forEach((each) => (each.textContent = "data"))`);
  const picture = await page.screenshot();
  await page.setViewportSize(wide);
  const file = packageFile("docs", "pictures", `console-${name}.png`);
  if (process.env["TENON_TEST_PICTURES"]) await writeFile(file, picture);
}

const schemes = ["light", "dark"] as const;
const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 740 };

/** What keeps people out of a page, wide and at 360 px, in light and dark, and how wide it is on a narrow screen if that is too wide. */
export async function inspectPage(page: BrowserPage, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const size of [wide, narrow]) {
    await page.setViewportSize(size);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const where = `${name}, ${size.width} px, ${colorScheme}`;
      found.push(...(await findBarriers(page)).map((barrier) => `${where}: ${barrier}`));
    }
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    if (width > size.width) found.push(`${name} is ${width} px wide in ${size.width} px`);
  }
  await page.setViewportSize(wide);
  return found;
}

/** What axe finds on a page that keeps people out: its rule, and where. */
async function findBarriers(page: BrowserPage): Promise<readonly string[]> {
  await page.evaluate(
    `${await readFile(packageFile("console", "node_modules", "axe-core", "axe.min.js"), "utf8")}; undefined`,
  );
  return await page.evaluate<string[]>(`axe.run(document).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`);
}
