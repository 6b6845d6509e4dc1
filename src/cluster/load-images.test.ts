import { mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadImages, parseImported } from "./load-images.ts";

const digest = `sha256:${"0a".repeat(32)}`;

test("names and digests of loaded images are read from the output of ctr", () => {
  const output = `unpacking localhost/a:1 (${digest})...done\nunpacking docker.io/library/b:2 (${digest})...done\n`;
  expect(parseImported("a.tar", output)).toEqual([
    { file: "a.tar", name: "localhost/a:1", digest },
    { file: "a.tar", name: "docker.io/library/b:2", digest },
  ]);
  expect(parseImported("a.tar", "nothing of the kind\n")).toEqual([]);
});

async function ticksOfThisProcess(): Promise<string> {
  const stat = await readFile("/proc/self/stat", "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

test.each([
  { reason: "the instance does not exist", run: undefined, message: /is not running/ },
  { reason: "it runs without a node", run: { ready: true }, message: /has no real node/ },
  {
    reason: "the file is not there",
    run: { ready: true, nodePid: process.pid },
    message: /cannot read .*no-such\.tar/,
  },
])("loading images is refused, with a next step: $reason", async ({ run, message }) => {
  await using data = await mkdtempDisposable(join(tmpdir(), "tenon-load-"));
  await mkdir(join(data.path, "a"));
  if (run) {
    const itself = { pid: process.pid, startTicks: await ticksOfThisProcess(), startedAt: "" };
    await writeFile(join(data.path, "a", "run.json"), JSON.stringify({ ...itself, ...run }));
  }
  const options = { home: { cache: "", data: data.path }, name: "a", files: ["/no-such.tar"] };
  await expect(loadImages(options, AbortSignal.timeout(300_000))).rejects.toMatchObject({
    message: expect.stringMatching(message),
    next: expect.stringMatching(/./),
  });
});
