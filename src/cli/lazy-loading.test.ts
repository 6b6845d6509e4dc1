import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
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
  const { stderr } = await promisify(execFile)(join(checkout, "bin", "tenon"), words, {
    env: { PATH: process.env["PATH"], NODE_OPTIONS: `--import=${hooks}` },
  });
  const paths = stderr.split("\n").filter((line) => line.startsWith(`file://${checkout}/`));
  const relative = paths.map((path) => path.slice(`file://${checkout}/`.length));
  return new Set(relative.map((path) => /^node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path));
}

const shell = [
  "call-again",
  "commands",
  "interruption",
  "lazy-command",
  "main",
  "program",
  "quiet-exit",
  "report-failure",
  "run",
  "usage-error",
];
const always = [
  "commander",
  "package.json",
  ...shell.map((name) => `src/cli/${name}.ts`),
  "src/cli/terminal/manners.ts",
  "src/cli/terminal/paint.ts",
];

describe("imports", () => {
  test("of `tenon --help` are the shell, commander and the version: no command, no other room", async () => {
    expect(await importsOf("--help")).toEqual(new Set(always));
  });

  test("of a command's help are that command's declaration, and none of what it works with", async () => {
    const imports = await importsOf("cluster", "start", "--help");
    expect(imports).toContain("src/cli/cluster.ts");
    const others = [...imports].filter((path) => !path.startsWith("src/cli/"));
    expect(others.toSorted()).toEqual(["commander", "package.json"]);
    expect([...imports].filter((path) => /\/(up|down|doctor|completion|instances)\.ts$/.test(path))).toEqual([]);
  });
});
