import { expect, test } from "vitest";
import { describeProgress } from "./describe-progress.ts";

const build = { kind: "build", done: 0, total: 0 } as const;

test.for([
  {
    progress: { ...build, phase: "waiting" },
    text: "waiting for another process that builds the same",
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
  expect(describeProgress(progress).text).toBe(text);
});
