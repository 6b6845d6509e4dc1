import { expect, test } from "vitest";
import { FakeReflector } from "./fake-reflector.fixture.ts";
import { shareReflector } from "./share-reflector.ts";

test("a shared reflector runs once, until the last of its users has ended", async () => {
  const runs: AbortSignal[] = [];
  const reflector = Object.assign(new FakeReflector(), {
    async run(signal: AbortSignal) {
      runs.push(signal);
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    },
  });
  const shared = shareReflector(reflector);
  const [one, other] = [new AbortController(), new AbortController()];
  const ended = Promise.all([shared.run(one.signal), shared.run(other.signal)]);
  expect(runs).toHaveLength(1);
  one.abort();
  expect(runs[0]?.aborted).toBe(false);
  other.abort();
  expect(runs[0]?.aborted).toBe(true);
  await ended;
});
