import { expect, test } from "vitest";
import type { StartOptions, StartProgress } from "#cluster";
import { FakeShell } from "../fake-shell.fixture.ts";
import { describeStartProgress, startWithProgress } from "./start-with-progress.ts";

const build = { kind: "build", done: 0, total: 0 } as const;

test.for([
  {
    progress: { ...build, phase: "waiting" },
    text: "waiting for another process that builds it",
  },
  {
    progress: { ...build, phase: "download", done: 12 },
    text: "downloading the sources of Kubernetes, about a minute: module 12",
  },
  {
    progress: { ...build, phase: "compile", done: 736, total: 2943, remainingMs: 400_000 },
    text: "compiling Kubernetes, 25 % of 2943 packages, about 7 min left",
  },
  {
    progress: { ...build, phase: "compile", done: 2942, total: 2943, remainingMs: 31_000 },
    text: "compiling Kubernetes, 99 % of 2943 packages, about 40 s left",
  },
  {
    progress: { ...build, phase: "link", done: 2943, total: 2943, remainingMs: 0 },
    text: "linking Kubernetes, less than a minute",
  },
  { progress: { kind: "start", message: "etcd is up", ms: 700 }, text: "starting Kubernetes: etcd is up" },
] as const)("$text", ({ progress, text }) => {
  expect(describeStartProgress(progress).text).toBe(text);
});

const started = {
  name: "default",
  state: "running",
  kubernetes: "v1.37.1",
  server: "https://127.0.0.1:6443",
  context: "tenon-default",
  kubeconfig: "/data/default/kubeconfig",
  dataDir: "/data/default",
  fakeNodes: 0,
  node: false,
  isNew: true,
  readyMs: 3_000,
} as const;

async function stderrOf(...events: StartProgress[]): Promise<string> {
  const shell = new FakeShell();
  const options = { home: { cache: "/cache", data: "/data" }, name: "default" };
  await startWithProgress(options, shell, async ({ onProgress }: StartOptions) => {
    for (const event of events) onProgress?.(event);
    return started;
  });
  return shell.stderr.text;
}

test("a first start says that it builds, with progress and remaining time", async () => {
  const text = await stderrOf(
    { kind: "build", phase: "download", done: 1, total: 0 },
    { kind: "build", phase: "download", done: 2, total: 0 },
    { kind: "build", phase: "compile", done: 29, total: 2900, remainingMs: 480_000 },
    { kind: "start", message: "etcd is up", ms: 500 },
  );
  expect(text.split("\n")).toEqual([
    "The first start builds Kubernetes from source, which takes minutes; later starts take seconds.",
    "downloading the sources of Kubernetes, about a minute: module 1",
    "compiling Kubernetes, 1 % of 2900 packages, about 8 min left",
    "starting Kubernetes: etcd is up",
    "",
  ]);
});

test("a start that waits for the build of another process does not say that it builds", async () => {
  const text = await stderrOf({ kind: "build", phase: "waiting", done: 0, total: 0 });
  expect(text).toBe("waiting for another process that builds it\n");
});
