import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SamplePusher, startEmbeddedRegistry, type TestRegistry } from "#registry";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

let registry: TestRegistry;

beforeAll(async () => {
  registry = await startEmbeddedRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

async function plan(manifest: unknown, ...words: string[]) {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-promote-"));
  const file = join(directory.path, "propagation.yaml");
  await writeFile(file, JSON.stringify(manifest));
  const shell = new FakeShell({ env: { NO_COLOR: "1", XDG_CACHE_HOME: directory.path } });
  const exitCode = await runCommandLine(["promote", "plan", "-f", file, ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

function propagation(repository: string, image: string, stage: Readonly<Record<string, unknown>> = {}) {
  const forge = { kind: "plain" };
  return {
    apiVersion: "tenon.dev/v1alpha1",
    kind: "Propagation",
    metadata: { name: "shop" },
    spec: {
      source: { images: [{ repository: image, tag: "released" }] },
      stages: [{ name: "stage", repository, branch: "main", forge, ...stage }],
    },
  };
}

describe("tenon promote plan", () => {
  test("shows the lines that a pull request would change, and has nothing to do once they are merged", async () => {
    await using repository = await sampleRepository();
    const image = `${registry.host}/promote/web`;
    const { digest } = await new SamplePusher(registry.url, "promote/web").index("released");
    await repository.commit({
      "apps/web.yaml": `kind: Deployment\nimage: ${image}:released # moves\n`,
      "apps/other.yaml": `image: ${image}:v1\n`,
    });
    const manifest = propagation(repository.path, image);
    const first = await plan(manifest);
    expect(first.stderr).toBe("");
    expect(first.exitCode).toBe(2);
    expect(first.stdout.split("\n").slice(1)).toEqual([
      "  apps/web.yaml:2",
      `    - image: ${image}:released # moves`,
      `    + image: ${image}:released@${digest} # moves`,
      "  1 line to change",
      "",
    ]);
    expect((await plan(manifest, "--exit-zero")).exitCode).toBe(0);
    const json = await plan(manifest, "-o", "json");
    expect(JSON.parse(json.stdout)).toMatchObject([
      { propagation: "default/shop", stages: [{ stage: "stage", files: [{ path: "apps/web.yaml" }] }] },
    ]);
    await repository.commit({ "apps/web.yaml": `kind: Deployment\nimage: ${image}:released@${digest} # moves\n` });
    const merged = await plan(manifest);
    expect(merged).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("nothing to change") });
  });

  test("says which image no file refers to, and which file cannot be edited", async () => {
    await using repository = await sampleRepository();
    const image = `${registry.host}/promote/api`;
    await new SamplePusher(registry.url, "promote/api").index("released");
    await repository.commit({ "chart/templates/a.yaml": `image: ${image}:released\n{{ end }}\n` });
    const { exitCode, stdout } = await plan(propagation(repository.path, image));
    expect(exitCode).toBe(0);
    expect(stdout).toContain("! chart/templates/a.yaml: a Helm template is not edited");
    expect(stdout).toContain(`! ${image}:released: no file refers to it`);
  });

  test.each([
    {
      reason: "a tag that does not exist",
      stage: {},
      image: "promote/none",
      message: "promote/none:released does not exist",
    },
    {
      reason: "a pattern without the group that is replaced",
      stage: { patterns: [{ regexp: "FROM .*" }] },
      image: "promote/api",
      message: "the pattern has no group currentDigest",
    },
    {
      reason: "a base branch that does not exist",
      stage: { branch: "nope" },
      image: "promote/api",
      message: "nope not found",
    },
    {
      reason: "a forge that Tenon does not know",
      stage: { forge: { kind: "bitbucket" } },
      image: "promote/api",
      message: "forge.kind",
    },
  ])("explains $reason", async ({ stage, image, message }) => {
    await using repository = await sampleRepository();
    await repository.commit({ a: "a" });
    await new SamplePusher(registry.url, "promote/api").index("released");
    const refused = await plan(propagation(repository.path, `${registry.host}/${image}`, stage));
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(message);
  });
});
