import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const checkout = join(import.meta.dirname, "..", "..");
const trace = `
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:")) process.stderr.write(url + "\\n");
      return next(url, context);
    },
  });`;

/** The files a command line imports, as paths in the checkout; packages by their name. */
async function importsOf(...words: string[]): Promise<Set<string>> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
  const hooks = join(directory.path, "trace.mjs");
  await writeFile(hooks, trace);
  const env = { PATH: process.env["PATH"], NODE_OPTIONS: `--import=${hooks}` };
  // A command may fail: what it has imported until then counts.
  const { stderr } = await new Promise<{ stderr: string }>((resolve) => {
    execFile(join(checkout, "bin", "tenon"), words, { env }, (_, __, written) => resolve({ stderr: written }));
  });
  const paths = stderr.split("\n").flatMap((line) => {
    const [, name] = /^file:.*\/node_modules\/((@[^/]+\/)?[^/]+)/.exec(line) ?? [];
    if (name !== undefined) return [name];
    return line.startsWith(`file://${checkout}/`) ? [line.slice(`file://${checkout}/`.length)] : [];
  });
  return new Set(paths);
}

const shell = [
  "call-again",
  "commands",
  "create-program",
  "exits",
  "lazy-command",
  "main",
  "narrow-help",
  "report-failure",
  "run-command-line",
];
const always = [
  "commander",
  "package.json",
  ...shell.map((name) => `src/cli/${name}.ts`),
  "src/cli/terminal/interactivity.ts",
  "src/cli/terminal/paint.ts",
];

describe("imports", () => {
  test("`tenon --help` imports the shell, commander and the version, but no command and no other room", async () => {
    expect(await importsOf("--help")).toEqual(new Set(always));
  });

  test("the help of a command imports its declaration, and none of the files that do its work", async () => {
    const imports = await importsOf("cluster", "start", "--help");
    expect(imports).toContain("src/cli/cluster/cluster-commands.ts");
    const others = [...imports].filter((path) => !path.startsWith("src/cli/"));
    expect(others.toSorted()).toEqual(["commander", "package.json"]);
    const unneeded = /\/(instances|example-world|doctor|completion|\w+-commands)\.ts$/;
    expect([...imports].filter((path) => unneeded.test(path))).toEqual(["src/cli/cluster/cluster-commands.ts"]);
  });

  test("`tenon run --only couple` imports no room and no package that only other jobs need", async () => {
    const imports = [...(await importsOf("run", "--only", "couple", "--kubeconfig", "/nowhere", "--port", "0"))];
    expect(imports).toContain("src/coupling/create-coupling.ts");
    const rooms = new Set(imports.flatMap((path) => /^src\/(\w+)\//.exec(path)?.[1] ?? []));
    for (const room of ["bundle", "integrations", "promotion", "forge", "oci", "git", "server"]) {
      expect(rooms).not.toContain(room);
    }
    for (const name of ["graphql", "ajv", "hono", "@octokit/core"]) expect(imports).not.toContain(name);
  });
});
