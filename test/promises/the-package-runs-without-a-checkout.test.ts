import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { cp, mkdir, mkdtempDisposable, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageFile } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { loadAccess } from "#kube";
import manifest from "#manifest" with { type: "json" };

const run = promisify(execFile);
const checkout = packageFile();
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
const { namespace } = useNamespace();
let folder: string;

beforeAll(async () => {
  const directory = stack.use(await mkdtempDisposable(join(tmpdir(), "tenon-package-")));
  folder = join(directory.path, "app");
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  await run("npm", ["pack", "--silent", "--pack-destination", directory.path], { cwd: checkout });
  const tarball = (await readdir(directory.path)).find((file) => file.endsWith(".tgz")) ?? "";
  // It needs nothing from anywhere: no package, no registry, no network.
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(directory.path, tarball)], { cwd: folder });
});

function tenon(...words: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { PATH } = process.env;
  const env = { PATH, HOME: folder };
  return run(process.execPath, [join(folder, "node_modules", ".bin", "tenon"), ...words], { cwd: folder, env });
}

test("the package prints its version, and has no other packages installed", async () => {
  expect((await tenon("--version")).stdout).toBe(`${manifest.version}\n`);
  expect((await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual(["tenon"]);
});

test("commands of the package find its data files", async () => {
  const own = join(folder, "node_modules", "tenon");
  expect((await tenon("data", "validate", join(own, "examples", "data"))).stderr).toMatch(/ are valid\n$/);
  expect((await tenon("chart", "render", join(own, "charts", "tenon"))).stdout).toContain("kind: Deployment");
  expect((await tenon("values", "--data", join(own, "examples", "data"))).stdout).toContain("integrations:");
  expect((await tenon("doctor", "-o", "json")).stdout).toContain('"cluster binary"');
});

test.each(["plan", "apply", "get"])(
  "tenon %s of the package loads no code to query, check or render at once",
  async (verb) => {
    const cli = join(folder, "node_modules", "tenon", "dist", "cli");
    const names = await readdir(cli);
    const loaded = new Set<string>();
    function load(name: string): void {
      if (loaded.has(name)) return;
      loaded.add(name);
      for (const [, needed = ""] of readFileSync(join(cli, name), "utf8").matchAll(
        /^const .* = require\("\.\/(.+)"\);$/gm,
      ))
        load(needed);
    }
    load(names.find((name) => name.startsWith(`${verb}-integrations-`)) ?? "");
    const text = [...loaded].map((name) => readFileSync(join(cli, name), "utf8")).join("");
    const files = [...text.matchAll(/^\/\/ ((?:src|node_modules)\/\S+)$/gm)].map(([, file]) => file);
    expect(files).toContain("src/integrations/plan/plan-desired.ts");
    const unneeded =
      /^node_modules\/(graphql|ajv|pino|re2js|zod\/v4\/locales)\/|^src\/(template\/sprig|server|promotion)\//;
    expect(files.filter((file) => unneeded.test(file ?? "") && !file?.endsWith("/locales/en.js"))).toEqual([]);
  },
);

test("the package serves the pages of the console, with the licences of what is in them", async () => {
  const { PATH } = process.env;
  const words = ["console", "--kubeconfig", testKubeconfig(), "--port", "0"];
  const program = join(folder, "node_modules", "tenon", "dist", "tenon.js");
  const child = spawn(process.execPath, [program, ...words], { cwd: folder, env: { PATH, HOME: folder } });
  stack.defer(() => void child.kill("SIGKILL"));
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (/ is at \S+\n/.test(said)) break;
  }
  const [, origin = ""] = / is at (\S+)\n/.exec(said) ?? [];
  const [, script = ""] = / src="(\/assets\/[^"]+\.js)"/.exec(await (await fetch(`${origin}/plugs`)).text()) ?? [];
  const served = await fetch(`${origin}${script}`);
  expect([served.status, served.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  const own = join(folder, "node_modules", "tenon", "dist", "console");
  expect(readFileSync(join(own, "licences.md"), "utf8")).toContain("react-dom");
});

test("an error of the package says as much as from a checkout", async () => {
  await expect(tenon("chart", "rendr")).rejects.toMatchObject({
    stderr: expect.stringContaining("did you mean render"),
  });
});

test("compiled code is kept by the first run and used by the next, and damaged code is compiled again", async () => {
  const chart = join(folder, "node_modules", "tenon", "charts", "integrations");
  const kept = join(folder, ".cache", "tenon", "compile-cache", `${process.version}-${process.arch}`);
  const render = async () => {
    const { stdout } = await tenon("chart", "render", chart);
    const names = (await readdir(kept)).filter((name) => name.endsWith(".chart"));
    const files = names.map((name) => ({ name, file: join(kept, name) }));
    return { stdout, files, written: files.map(({ name, file }) => [name, statSync(file).ino]) };
  };
  const first = await render();
  expect(first.files.map(({ name }) => name)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^main-/), expect.stringMatching(/^render-chart-/)]),
  );
  expect(await render()).toEqual(first);
  // The last is what a crash of the machine leaves.
  const damages = [(code: Buffer) => code.fill(0xff, code.length >> 2), (code: Buffer) => code.fill(0)];
  let before = first;
  for (const damage of damages) {
    for (const { file } of before.files) await writeFile(file, damage(readFileSync(file)));
    const again = await render();
    expect(again.stdout).toBe(first.stdout);
    for (const [index, written] of before.written.entries()) expect(again.written[index]).not.toEqual(written);
    before = again;
  }
});

test("the package works where nothing can be kept", async () => {
  const { PATH } = process.env;
  const program = join(folder, "node_modules", ".bin", "tenon");
  for (const env of [{ PATH }, { PATH, HOME: "/proc/nowhere" }, { PATH, XDG_CACHE_HOME: "/dev/null" }]) {
    expect((await run(process.execPath, [program, "--version"], { env })).stdout).toBe(`${manifest.version}\n`);
  }
});

test("a second plan of the same data recalls the desired state, and a change of the data computes it", async () => {
  const kubeconfig = testKubeconfig();
  const { context } = await loadAccess({ kubeconfig });
  const data = join(folder, "planned");
  await cp(join(folder, "node_modules", "tenon", "examples", "data"), data, { recursive: true });
  const plan = async () => {
    const reach = ["--kubeconfig", kubeconfig, "--context", context, "--external", "--create-namespaces"];
    const { stdout } = await tenon("plan", "--data", data, "--exit-zero", ...reach);
    return { stdout, kept: await readdir(join(folder, ".cache", "tenon", "desired")) };
  };
  const first = await plan();
  expect(first.stdout).toContain("+ Deployment");
  expect(first.kept).toHaveLength(1);
  expect(await plan()).toEqual(first);
  await rm(join(data, "data", "integrations", "price-feed.yml"));
  const changed = await plan();
  expect(changed.kept).toHaveLength(2);
  expect(changed.stdout).not.toContain("price-feed");
});

describe("a program that imports the package", () => {
  const rooms = Object.keys(manifest.exports).filter((name) => name !== "./package.json");
  const peers = [...Object.keys(manifest.peerDependencies), "undici-types", "@types"];
  const blocks = readdirSync(packageFile("docs", "how-to")).flatMap(blocksOf);

  beforeAll(async () => {
    for (const name of peers) await symlink(packageFile("node_modules", name), join(folder, "node_modules", name));
    const imports = rooms.map((room, index) => `import * as room${index} from "tenon/${room.slice(2)}";`);
    const names = rooms.map((_, index) => `...Object.keys(room${index})`);
    await writeFile(join(folder, "all.ts"), `${imports.join("\n")}\nconsole.log([${names.join(", ")}].join("\\n"));\n`);
    await writeFile(
      join(folder, "wrong.ts"),
      `import { renderChart } from "tenon/template";
// @ts-expect-error: a chart is not a text
export const wrong = () => renderChart("text");
`,
    );
    // What the pages leave to the reader, and what one page has the reader generate.
    await writeFile(
      join(folder, "keycloak.ts"),
      `export const realmExists = async (realm: string) => realm !== "";
export const ensureClient = async (realm: string, uid: string) => realm + uid;
export const removeClient = async (_realm: string, _uid: string) => {};
`,
    );
    await writeFile(
      join(folder, "integrations.graphql"),
      "query Integrations { integrations: integrations_v1 { name upstream } }",
    );
    const data = join(folder, "node_modules", "tenon", "examples", "data");
    const query = await tenon("data", "query", data, "-f", "integrations.graphql", "--types");
    await writeFile(join(folder, "integrations.query.ts"), query.stdout);
    for (const { file, code } of blocks) await writeFile(join(folder, file), code);
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024", "esnext.disposable"],
      module: "nodenext",
      strict: true,
      noEmit: true,
      types: ["node"],
      allowImportingTsExtensions: true,
    };
    const include = ["*.ts"];
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  });

  test("knows its types, in every code block of docs/how-to", async () => {
    expect(blocks.length).toBeGreaterThan(8);
    await run(packageFile("node_modules", ".bin", "tsc"), ["--project", folder]).catch(({ stdout }) => {
      throw new Error(stdout);
    });
  });

  test("finds every room that is published, and no fixture of our tests in it", async () => {
    const { stdout } = await run(process.execPath, ["all.ts"], { cwd: folder });
    const names = stdout.split("\n");
    expect(names).toEqual(
      expect.arrayContaining(["createController", "defineKind", "openQueryableSource", "InputError"]),
    );
    expect(names.filter((name) => /fake|toy|sample|fixture/i.test(name))).toEqual([]);
  });

  test("gets stacks whose frames name a function and the line of its statement", async () => {
    const code = `import { loadChart } from "tenon/template";
try { loadChart("/nowhere"); } catch (error) { console.log(error.stack); }\n`;
    await writeFile(join(folder, "failing.ts"), code);
    const { stdout } = await run(process.execPath, ["failing.ts"], { cwd: folder });
    const frames = [...stdout.matchAll(/ at (\S+) \(file:\/\/(\S+\/dist\/\S+\.js):(\d+):\d+\)/g)];
    expect(frames.map(([, name]) => name)).toContain("loadChart");
    for (const [, , file = "", line = ""] of frames) {
      const statement = readFileSync(file, "utf8").split("\n")[Number(line) - 1] ?? "";
      expect(statement.length).toBeLessThan(200);
    }
  });

  test.each([
    { page: "render-a-chart", says: /templates\/\S+ Deployment\n/ },
    { page: "query-the-data", shows: "integrations.length", says: /^[1-9]\d*\n$/ },
    { page: "shard-an-integration", shows: "ours.length", says: /^3\n$/ },
    { page: "write-an-apparatus", block: 2, shows: "answer.status", says: /200\n$/ },
  ])("runs as the page $page of docs/how-to says", async ({ page, block = 1, shows, says }) => {
    const { code } = blocks.find(({ file }) => file === `${page}-${block}.ts`) ?? { code: "" };
    const file = join(folder, `${page}-shown.ts`);
    await writeFile(file, shows ? `${code}console.log(${shows});\n` : code);
    expect((await run(process.execPath, [file], { cwd: folder })).stdout).toMatch(says);
  });

  test("plans against a real cluster, as docs/how-to/build-an-integration.md says", async () => {
    await writeFile(join(folder, "objects.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: greeting}\n");
    const env = { ...process.env, KUBECONFIG: testKubeconfig() };
    const words = ["build-an-integration-1.ts", "objects.yaml", namespace, "--dry-run"];
    const { stdout } = await run(process.execPath, words, { cwd: folder, env });
    expect(stdout).toMatch(/\+ ConfigMap greeting: new\n/);
  });

  test.each(["write-a-controller-1", "write-an-apparatus-1", "write-an-apparatus-3"])(
    "serves and ends in order: code block %s of docs/how-to",
    async (name) => {
      const { code } = blocks.find(({ file }) => file === `${name}.ts`) ?? { code: "" };
      await writeFile(join(folder, `${name}-told.ts`), `${code}console.error("serving");\n`);
      const env = { ...process.env, KUBECONFIG: testKubeconfig(), PORT: "0" };
      const child = spawn(process.execPath, [`${name}-told.ts`, namespace, namespace], { cwd: folder, env });
      const exit = once(child, "exit");
      let said = "";
      for await (const chunk of child.stderr) {
        const wasServing = said.includes("serving");
        said += String(chunk);
        if (!wasServing && said.includes("serving")) child.kill("SIGTERM");
      }
      expect([await exit, said]).toEqual([[0, null], expect.stringContaining("serving")]);
    },
  );
});

/** The code blocks of a page, each with the lines that the page has in comments around it, for this test. */
function blocksOf(page: string): { readonly file: string; readonly code: string }[] {
  const text = readFileSync(packageFile("docs", "how-to", page), "utf8");
  const block =
    /(?:<!-- before the next block:\n([^]*?)-->\n)?(?:<!-- after the next block:\n([^]*?)-->\n)?```ts\n([^]*?)```/g;
  return [...text.matchAll(block)].map(([, before = "", after = "", code = ""], index) => ({
    file: page.replace(/\.md$/, `-${index + 1}.ts`),
    code: `${before}${code}${after}export {};\n`,
  }));
}
