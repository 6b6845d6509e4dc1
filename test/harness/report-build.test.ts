import { expect, test } from "vitest";
import type { StartProgress } from "#cluster";
import { reportBuild } from "./report-build.ts";

const build = { kind: "build", project: "the cluster" } as const;

test.for<{ progress: StartProgress; said: string }>([
  { progress: { ...build, phase: "waiting", done: 0, total: 0 }, said: "waiting" },
  { progress: { ...build, phase: "download", done: 7, total: 0 }, said: "download 7" },
  {
    progress: { ...build, phase: "compile", done: 39, total: 137, remainingMs: 60_000 },
    said: "compile 39 of 137, 1.0 min left",
  },
])("a build that tests wait for is reported as '$said', without what is not known", ({ progress, said }) => {
  const lines: string[] = [];
  reportBuild(0, "x", (line) => lines.push(line))(progress);
  expect(lines).toEqual([`building x: ${said}\n`]);
});
