import { expect, test } from "vitest";
import type { StartOptions, StartProgress } from "#cluster";
import { FakeShell } from "../fake-shell.fixture.ts";
import { describeStartProgress, startWithProgress } from "./start-with-progress.ts";

const build = { kind: "build", project: "Kubernetes", done: 0, total: 0 } as const;

test.for([
  {
    progress: { ...build, phase: "waiting" },
    text: "waiting for another process that builds Kubernetes, 10 s so far",
  },
  {
    progress: { ...build, phase: "download", done: 12 },
    text: "downloading the sources of Kubernetes: module 12, 10 s so far",
  },
  {
    progress: { ...build, phase: "compile", done: 736, total: 2943, remainingMs: 400_000 },
    elapsedMs: 180_000,
    text: "compiling Kubernetes: 25 % of 2943 packages, 3 min so far, about 7 min left",
  },
  {
    progress: { ...build, phase: "compile", done: 2942, total: 2943, remainingMs: 31_000 },
    elapsedMs: 600_000,
    text: "compiling Kubernetes: 99 % of 2943 packages, 10 min so far, about 40 s left",
  },
  {
    progress: { ...build, phase: "link", done: 2943, total: 2943, remainingMs: 0 },
    text: "linking Kubernetes, 10 s so far, less than a minute left",
  },
  {
    progress: { kind: "start", project: "Kubernetes", message: "etcd is up", ms: 700 },
    text: "starting Kubernetes: etcd is up",
  },
] as const)("$text", ({ progress, text, ...rest }) => {
  const elapsedMs = "elapsedMs" in rest ? rest.elapsedMs : 4_000;
  expect(describeStartProgress(progress, elapsedMs).text).toBe(text);
  expect(text.length, "columns").toBeLessThan(80);
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
  cdi: false,
  isNew: true,
  readyMs: 3_000,
} as const;

async function stderrOf(load: number, ...events: StartProgress[]): Promise<string> {
  const shell = new FakeShell();
  const options = { home: { cache: "/cache", data: "/data" }, name: "default" };
  const start = async ({ onProgress }: StartOptions) => {
    for (const event of events) onProgress?.(event);
    return started;
  };
  await startWithProgress(options, shell, start, { clock: { monotonic: () => 0 }, load: () => load });
  return shell.stderr.text;
}

const building: readonly StartProgress[] = [
  { kind: "build", project: "Kubernetes", phase: "download", done: 1, total: 0 },
  { kind: "build", project: "Kubernetes", phase: "download", done: 2, total: 0 },
  { kind: "build", project: "Kubernetes", phase: "compile", done: 29, total: 2900, remainingMs: 480_000 },
  { kind: "start", project: "Kubernetes", message: "etcd is up", ms: 500 },
];

test("a first start says that it builds, what can be tried meanwhile, and how far it is", async () => {
  const text = await stderrOf(1, ...building);
  expect(text.split("\n")).toEqual([
    "The first start builds Kubernetes from source, which takes minutes.",
    "Later starts take seconds. Until then, in another terminal, without a cluster:",
    "  less examples/data/README.md       a tour of the data files",
    "  tenon data validate examples/data  check them",
    "  tenon values --data examples/data -n platform-stage |",
    "    tenon chart render charts/integrations -f -",
    "downloading the sources of Kubernetes: module 1, 0 s so far",
    "compiling Kubernetes: 1 % of 2900 packages, 0 s so far, about 8 min left",
    "starting Kubernetes: etcd is up",
    "",
  ]);
});

test("a first start on a busy machine says that it takes longer", async () => {
  const text = await stderrOf(8.5, ...building);
  expect(text).toContain(
    "Later starts take seconds. This machine is busy (its load is 8.5 per core), so it takes longer.\n",
  );
});

test("a start that waits for the build of another process does not say that it builds", async () => {
  const text = await stderrOf(1, { kind: "build", project: "Kubernetes", phase: "waiting", done: 0, total: 0 });
  expect(text).toBe("waiting for another process that builds Kubernetes, 0 s so far\n");
});
