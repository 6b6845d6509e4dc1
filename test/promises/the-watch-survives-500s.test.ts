import { expect, test } from "vitest";
import { systemClock } from "#base";
import { internalError, overloaded } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { fastClock } from "./watched/fast-clock.ts";
import { expectNothingLost } from "./watched/nothing-lost.ts";
import { isOfReflector, isRead, startWatchedWorld } from "./watched/watched-world.ts";

const { namespace } = useNamespace();
const before = ["a", "b"];
/** 30 s at their true length only where there is time. */
const speed = process.env["TENON_SOAK"] ? 1 : 5;

test("for 30 s of answers with 500, the watch reports the problem, retries with backoff, and resumes where it was", async () => {
  const clock = fastClock(speed);
  await using world = await startWatchedWorld({
    kubeconfig: testKubeconfig(),
    namespace,
    before,
    clock,
    prepare(proxy) {
      proxy.cut({ match: isRead, at: { lines: before.length + 1 }, times: 1 });
      proxy.answer({ match: isOfReflector, ...internalError() });
    },
  });
  await world.reflector.whenSynced();
  await world.write("during");
  await world.remove("a");
  await clock.sleep(30_000);
  expect(world.reflector.problem).toMatch("etcdserver: request timed out");
  expect(world.reflector.hasSynced).toBe(true);
  const failed = world.proxy.count(({ status }) => status === 500);
  world.proxy.restore();
  await expectNothingLost(world);
  expect(world.reflector.problem).toBeUndefined();
  expect(new Set(world.asked().slice(1))).toEqual(new Set(["resume"]));
  // Pauses of 0.5, 1, 2, 4, 8 and 15 s at least, and the transport asks three times each.
  expect(failed).toBeGreaterThan(5);
  expect(failed).toBeLessThanOrEqual(7 * 3);
});

test("the watch obeys Retry-After of an overloaded API server, and resumes where it was", async () => {
  await using world = await startWatchedWorld({
    kubeconfig: testKubeconfig(),
    namespace,
    before,
    clock: fastClock(speed),
    prepare(proxy) {
      proxy.cut({ match: isRead, at: { lines: before.length + 1 }, times: 1 });
      proxy.answer({ match: isOfReflector, ...overloaded(1), times: 2 });
    },
  });
  await world.reflector.whenSynced();
  const cutAt = systemClock.monotonic();
  await expectNothingLost(world);
  expect(systemClock.monotonic() - cutAt).toBeGreaterThan(1_900);
  expect(world.asked()).toEqual(["read", "resume", "resume", "resume"]);
});
