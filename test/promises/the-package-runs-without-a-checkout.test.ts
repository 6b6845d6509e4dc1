import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFile } from "#base";
import manifest from "#manifest" with { type: "json" };

const run = promisify(execFile);
const checkout = packageFile();
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
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
}, 180_000);

function tenon(...words: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { PATH } = process.env;
  const env = { PATH, HOME: folder };
  return run(process.execPath, [join(folder, "node_modules", ".bin", "tenon"), ...words], { cwd: folder, env });
}

test("it says which version it is, and has no packages beside it", async () => {
  expect((await tenon("--version")).stdout).toBe(`${manifest.version}\n`);
  expect((await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual(["tenon"]);
});

test("commands find the files they come with", async () => {
  const own = join(folder, "node_modules", "tenon");
  expect((await tenon("data", "validate", join(own, "examples", "data"))).stderr).toMatch(/ are valid\n$/);
  expect((await tenon("chart", "render", join(own, "charts", "tenon"))).stdout).toContain("kind: Deployment");
  expect((await tenon("values", "--data", join(own, "examples", "data"))).stdout).toContain("integrations:");
  expect((await tenon("doctor", "-o", "json")).stdout).toContain('"cluster binary"');
});

test("an error says as much as it does from a checkout", async () => {
  await expect(tenon("chart", "rendr")).rejects.toMatchObject({
    stderr: expect.stringContaining("did you mean render"),
  });
});

test("a program can import what is for programs, and knows its types", async () => {
  await symlink(packageFile("node_modules", "@types"), join(folder, "node_modules", "@types"));
  for (const name of ["hono", "undici", "undici-types", "zod"]) {
    await symlink(packageFile("node_modules", name), join(folder, "node_modules", name));
  }
  await writeFile(
    join(folder, "app.ts"),
    `import { createApparatus } from "tenon/apparatus";
import { planChanges } from "tenon/inventory";
import { createClient } from "tenon/kube";
import { renderChart } from "tenon/template";
const all: readonly (() => unknown)[] = [createApparatus, planChanges, createClient, renderChart] as never;
console.log(all.map((one) => typeof one).join());
// @ts-expect-error: a chart is no text
export const wrong = () => renderChart("text");
`,
  );
  const options = { target: "es2024", module: "nodenext", strict: true, noEmit: true, types: ["node"] };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, allowImportingTsExtensions: true }, files: ["app.ts"] }),
  );
  await run(packageFile("node_modules", ".bin", "tsc"), ["--project", folder]);
  const { stdout } = await run(process.execPath, [join(folder, "app.ts")]);
  expect(stdout).toBe("function,function,function,function\n");
});
