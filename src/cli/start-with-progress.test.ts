import { expect, test } from "vitest";
import type { StartOptions, StartProgress } from "#cluster";
import { FakeShell } from "./fake-shell.ts";
import { startWithProgress } from "./start-with-progress.ts";

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

test("a first start says that it builds, how far it is and how long it will take", async () => {
  const text = await stderrOf(
    { kind: "build", phase: "download", done: 1, total: 0 },
    { kind: "build", phase: "download", done: 2, total: 0 },
    { kind: "build", phase: "compile", done: 29, total: 2900, remainingMs: 480_000 },
    { kind: "start", message: "etcd is up", ms: 500 },
  );
  expect(text.split("\n")).toEqual([
    "The first start builds Kubernetes from source, which takes minutes; later ones take seconds.",
    "downloading the sources of Kubernetes, about a minute: module 1",
    "compiling Kubernetes, 1 % of 2900 packages, about 8 min left",
    "starting Kubernetes: etcd is up",
    "",
  ]);
});

test("who waits for another's build is not told that they build", async () => {
  const text = await stderrOf({ kind: "build", phase: "waiting", done: 0, total: 0 });
  expect(text).toBe("waiting for another process that builds the same\n");
});
