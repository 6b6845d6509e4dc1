import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

function entry(cluster: string, namespace: string) {
  const server = { name: cluster, serverUrl: `https://${cluster}.example:6443` };
  return { cluster: server, namespace, environment: "test", caller: "a", kinds: ["Deployment"] };
}

async function forget(name: string, typed: readonly string[]) {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-forget-"));
  const file = join(directory.path, "state.json");
  const namespaces = [entry("old-1", "a"), entry("old-1", "b"), entry("new-1", "a")];
  await writeFile(file, JSON.stringify({ version: 1, namespaces }));
  const shell = new FakeShell({ typed });
  const exitCode = await runCommandLine(["forget", "cluster", name, "--state-file", file], shell);
  const left: { namespaces: ReturnType<typeof entry>[] } = JSON.parse(await readFile(file, "utf8"));
  return {
    exitCode,
    stdout: shell.stdout.text,
    stderr: shell.stderr.text,
    left: left.namespaces.map(({ cluster, namespace }) => `${cluster.name}/${namespace}`).toSorted(),
  };
}

test("a cluster that is gone for good is forgotten with all its namespaces, after they were shown", async () => {
  const { exitCode, stdout, stderr, left } = await forget("old-1", ["y"]);
  expect(stdout).toMatch(/old-1 +a [^]*old-1 +b [^]*forgot cluster old-1\n$/);
  expect(stderr).toContain("forget these 2 namespaces of old-1?");
  expect({ exitCode, left }).toEqual({ exitCode: 0, left: ["new-1/a"] });
});

test("after a no, nothing is forgotten", async () => {
  const { exitCode, stderr, left } = await forget("old-1", ["n"]);
  expect(stderr).toContain("nothing was forgotten");
  expect({ exitCode, left }).toEqual({ exitCode: 1, left: ["new-1/a", "old-1/a", "old-1/b"] });
});

test("a cluster that is not on the list is an error with a proposal", async () => {
  const { exitCode, stderr } = await forget("old-2", ["y"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/no managed namespace is on cluster old-2[^]*did you mean old-1\?/);
});
