import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listClusters } from "./status.ts";

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "tenon-status-"));
});

afterEach(() => rm(data, { recursive: true }));

async function write(name: string, files: Record<string, string>): Promise<void> {
  await mkdir(join(data, name));
  for (const [file, text] of Object.entries(files)) await writeFile(join(data, name, file), text);
}

const instance = JSON.stringify({ format: 1, name: "a", kubernetes: "v1.37.1", port: 20_000, fakeNodes: 2 });

test.each([
  { reason: "never started, or stopped", files: { "instance.json": instance }, state: "stopped" },
  {
    reason: "killed: its run file names a process that is gone",
    files: {
      "instance.json": instance,
      "run.json": JSON.stringify({ pid: process.pid, startTicks: "1", startedAt: "", ready: true }),
    },
    state: "stopped",
  },
  { reason: "a damaged run file", files: { "instance.json": instance, "run.json": "{" }, state: "stopped" },
  { reason: "a damaged instance file", files: { "instance.json": "{" }, state: "damaged" },
  { reason: "an instance file of another shape", files: { "instance.json": "[]" }, state: "damaged" },
])("an instance is $state: $reason", async ({ files, state }) => {
  await write("a", files);
  expect((await listClusters({ cache: "", data })).map((status) => [status.name, status.state])).toEqual([
    ["a", state],
  ]);
});

test("instances are listed by name, and other directories are left out", async () => {
  await write("b", { "instance.json": instance });
  await write("a", { "instance.json": instance });
  await write("no-instance", { "other.json": "{}" });
  await writeFile(join(data, "a-file"), "");
  expect((await listClusters({ cache: "", data })).map((status) => status.name)).toEqual(["a", "b"]);
});

test("a machine without any instance has an empty list", async () => {
  expect(await listClusters({ cache: "", data: join(data, "absent") })).toEqual([]);
});
