import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRaw, SamplePusher, startEmbeddedRegistry, startTokenProxy, type TestRegistry } from "#registry";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

let registry: TestRegistry;

beforeAll(async () => {
  registry = await startEmbeddedRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

async function run(...words: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const shell = new FakeShell({ env: { NO_COLOR: "1" } });
  const exitCode = await runCommandLine(["image", ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("tenon image retag", () => {
  test("shows old and new digest, moves the tag, and has nothing to do the second time", async () => {
    const pusher = new SamplePusher(registry.url, "cli/retag");
    const [old, next] = [await pusher.image("amd64", undefined, "released"), await pusher.index("build-7")];
    const words = ["retag", `${registry.host}/cli/retag:build-7`, "released"];
    const dry = await run(...words, "--dry-run");
    expect(dry.exitCode).toBe(0);
    expect(dry.stdout).toMatch(new RegExp(`cli/retag:released +${old.digest} +${next.digest} +would be moved`));
    expect((await readRaw(registry.url, "cli/retag", "released"))?.digest).toBe(old.digest);
    expect((await run(...words)).stdout).toMatch(/ moved$/m);
    expect((await readRaw(registry.url, "cli/retag", "released"))?.digest).toBe(next.digest);
    const again = await run(...words, "-o", "json");
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      digest: next.digest,
      tags: [{ image: `${registry.host}/cli/retag:released`, oldDigest: next.digest, result: "unchanged" }],
    });
  });

  test("a tag that must not move makes the command fail, and the others are written", async () => {
    const pusher = new SamplePusher(registry.url, "cli/guards");
    const [old, next] = [await pusher.image("amd64", undefined, "v1"), await pusher.index("build")];
    const image = `${registry.host}/cli/guards@${next.digest}`;
    const kept = await run("retag", image, "v1", "v2", "--keep-existing");
    expect(kept.exitCode).toBe(1);
    expect(kept.stderr).toContain("1 of 2 tags were not moved");
    expect(kept.stderr).toContain(`tag v1 already exists with ${old.digest}`);
    expect((await readRaw(registry.url, "cli/guards", "v1"))?.digest).toBe(old.digest);
    expect((await readRaw(registry.url, "cli/guards", "v2"))?.digest).toBe(next.digest);
    const moved = await run("retag", image, "v1", "--expect", "absent");
    expect(moved.exitCode).toBe(1);
    expect(moved.stderr).toContain("was moved meanwhile");
    expect((await run("retag", image, "v1", "--expect", old.digest)).exitCode).toBe(0);
  });

  test.for([
    { words: ["https://quay.io/a/b:c", "d"], message: "an image reference has no scheme", reason: "a URL" },
    { words: ["/cli/none", "d"], message: "has neither a tag nor a digest", reason: "no tag" },
    { words: ["/cli/none:nope", "d"], message: "image not found", reason: "an unknown tag" },
    { words: ["/cli/none:a", "b/c"], message: '"b/c" is not a valid tag', reason: "a tag with a slash" },
    {
      words: ["/cli/none:a", "b", "--expect", "abc"],
      message: '--expect: "abc" is not a valid digest',
      reason: "no digest",
    },
    {
      words: ["/cli/none:a", "b", "--registry-config", "/nowhere"],
      message: "cannot read the file",
      reason: "no file",
    },
  ])("$reason is refused with what to do", async ({ words: [image = "", ...rest], message }) => {
    const { exitCode, stderr } = await run(
      "retag",
      image.startsWith("/") ? `${registry.host}${image}` : image,
      ...rest,
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain("next: ");
  });

  test("credentials come from a file, and are not printed when they are refused", async () => {
    const index = await new SamplePusher(registry.url, "cli/private").index("v1");
    const password = "hunter22-of-robot";
    const rights = { "cli/private": "pull" };
    await using proxy = await startTokenProxy({ target: registry.url, user: "robot", password, rights });
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-image-"));
    const file = join(directory.path, "config.json");
    const auth = Buffer.from(`robot:${password}`).toString("base64");
    await writeFile(file, JSON.stringify({ auths: { [proxy.host]: { auth } } }));
    const inspected = await run("inspect", `${proxy.host}/cli/private:v1`, "--registry-config", file);
    expect(inspected.stdout).toContain(index.digest);
    const denied = await run("retag", `${proxy.host}/cli/private:v1`, "v2", "--registry-config", file);
    expect(denied.exitCode).toBe(1);
    expect(denied.stderr).toContain(`credentials of user robot come from ${file}`);
    expect(denied.stdout + denied.stderr).not.toMatch(new RegExp(`${password}|${auth}`));
  });
});

describe("tenon image copy", () => {
  test("copies an image and its signature, tells the bytes, and has nothing to do the second time", async () => {
    const pusher = new SamplePusher(registry.url, "cli/source");
    const index = await pusher.index("v1");
    const signature = await pusher.companion(index.digest, "sig");
    // The same registry under another name is another registry: nothing can be mounted.
    const target = `localhost:${registry.url.port}/cli/target:v1`;
    const words = ["copy", `${registry.host}/cli/source:v1`, target];
    const dry = await run(...words, "--dry-run");
    expect(dry.stdout).toMatch(new RegExp(`cli/target:v1 +- +${index.digest} +would be created`));
    expect(dry.stdout).toContain(`signature of ${index.digest.slice(0, 14)}`);
    expect(await readRaw(registry.url, "cli/target", "v1")).toBeUndefined();
    const copied = await run(...words);
    expect(copied.exitCode).toBe(0);
    expect(copied.stdout).toMatch(new RegExp(`:sha256-\\w+\\.sig +- +${signature.digest} +signature of .* copied`));
    expect(copied.stderr).toMatch(/0 blobs mounted, 6 uploaded \(\d\.\d kB\), 0 were there already/);
    expect(copied.stderr).toMatch(/copying: .* of 6 blobs/);
    expect((await readRaw(registry.url, "cli/target", "v1"))?.digest).toBe(index.digest);
    const again = JSON.parse((await run(...words, "-o", "json")).stdout);
    expect(again).toMatchObject({ tag: { result: "unchanged" }, manifests: 0, uploadedBytes: 0 });
  });

  test("a target with a digest is refused", async () => {
    const { exitCode, stderr } = await run("copy", "a.io/b:c", `a.io/d@sha256:${"0".repeat(64)}`);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("the target has a digest, which follows from the image");
  });
});

describe("tenon image inspect", () => {
  test("shows digest, platforms and what is attached, as a table and as JSON", async () => {
    const pusher = new SamplePusher(registry.url, "cli/inspect");
    const index = await pusher.index("v1");
    const [amd64] = index.children;
    const signature = await pusher.companion(amd64?.digest ?? "", "sig");
    const { stdout } = await run("inspect", `${registry.host}/cli/inspect:v1`);
    expect(stdout).toContain(`digest   ${index.digest}`);
    expect(stdout).toMatch(new RegExp(`platform +linux/amd64 +${amd64?.digest} +2\\.\\d kB`));
    expect(stdout).toMatch(new RegExp(`signature +linux/amd64 +${signature.digest}`));
    const json = JSON.parse((await run("inspect", `${registry.host}/cli/inspect:v1`, "-o", "json")).stdout);
    expect(json).toMatchObject({
      digest: index.digest,
      platforms: [{ platform: "linux/amd64" }, { platform: "linux/arm64" }],
      config: { created: "2026-01-02T03:04:05Z", labels: { "org.opencontainers.image.title": "amd64" } },
      companions: [{ kind: "signature", digest: signature.digest }],
    });
  });
});
