import { expect, test } from "vitest";
import { runTogether } from "./run-together.ts";

function untilAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

async function failing(): Promise<void> {
  throw new Error("broken");
}

test("when one work fails, the others are aborted and waited for, and its error is thrown", async () => {
  const ended: string[] = [];
  const patient = async (signal: AbortSignal) => {
    await untilAborted(signal);
    ended.push("patient");
  };
  const running = runTogether([patient, failing], new AbortController().signal);
  await expect(running).rejects.toThrow("broken");
  expect(ended).toEqual(["patient"]);
});

test("works that end when the signal is aborted have not failed", async () => {
  const ending = new AbortController();
  const running = runTogether([untilAborted, untilAborted], ending.signal);
  ending.abort(new Error("enough"));
  await expect(running).resolves.toBeUndefined();
});
