import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { takeBuildLock } from "./build-lock.ts";

const never = new AbortController().signal;

test("a build lock has one holder; another process waits, and gets it next", async () => {
  const path = crypto.randomUUID();
  const order: string[] = [];
  const first = await takeBuildLock(path, () => order.push("first waits"), never);
  const waiting = takeBuildLock(path, () => order.push("second waits"), never);
  await expect.poll(() => order).toEqual(["second waits"]);
  await first[Symbol.asyncDispose]();
  const second = await waiting;
  await second[Symbol.asyncDispose]();
  expect(order).toEqual(["second waits"]);
});

test("locks of different paths are independent", async () => {
  await using _one = await takeBuildLock(crypto.randomUUID(), () => expect.unreachable(), never);
  await using _two = await takeBuildLock(crypto.randomUUID(), () => expect.unreachable(), never);
});

test("a build lock is free after its holder was killed", async () => {
  const path = crypto.randomUUID();
  const holder = spawn(process.execPath, [
    "--input-type=module-typescript",
    "--eval",
    `import { takeBuildLock } from ${JSON.stringify(`${import.meta.dirname}/build-lock.ts`)};
     await takeBuildLock(${JSON.stringify(path)}, () => {}, new AbortController().signal);
     process.stdout.write("held");`,
  ]);
  await once(holder.stdout, "data");
  let waited = false;
  const next = takeBuildLock(path, () => (waited = true), never);
  await expect.poll(() => waited).toBe(true);
  holder.kill("SIGKILL");
  await (await next)[Symbol.asyncDispose]();
});

test("waiting for a build lock can be aborted", async () => {
  const path = crypto.randomUUID();
  await using _held = await takeBuildLock(path, () => {}, never);
  const controller = new AbortController();
  const giveUp = new Error("enough");
  await expect(takeBuildLock(path, () => controller.abort(giveUp), controller.signal)).rejects.toBe(giveUp);
});
