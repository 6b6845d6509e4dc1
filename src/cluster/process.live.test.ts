import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isRunning } from "./process.ts";

function ticksOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? "";
}

test("isRunning is true until the process ends", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const identity = { pid: child.pid ?? 0, startTicks: ticksOf(child.pid ?? 0) };
  expect(await isRunning(identity)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await isRunning(identity)).toBe(false);
});

test("isRunning is false for a later process with the same pid", async () => {
  expect(await isRunning({ pid: process.pid, startTicks: ticksOf(process.pid) })).toBe(true);
  expect(await isRunning({ pid: process.pid, startTicks: "1" })).toBe(false);
});
