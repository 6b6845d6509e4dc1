import { expect, test } from "vitest";
import { testKubeconfig, useNamespace } from "#harness";
import { shortPauses } from "./watched/fast-clock.ts";
import { expectNothingLost } from "./watched/nothing-lost.ts";
import { isRead, isResume, startWatchedWorld } from "./watched/watched-world.ts";

const { namespace } = useNamespace();
const kubeconfig = testKubeconfig();
const clock = shortPauses(20);
const before = ["a", "b"];
/** An event for each object, and the bookmark that ends them. */
const initialLines = before.length + 1;

test.each([
  { at: { lines: initialLines + 1, bytes: 40 }, style: "reset", reason: "in the middle of a live event" },
  { at: { lines: initialLines + 1, bytes: 40 }, style: "end", reason: "there too, by a server that seems to be done" },
  { at: { lines: initialLines + 2 }, style: "reset", reason: "between two live events" },
  { at: { lines: initialLines, bytes: 1 }, style: "reset", reason: "after the first byte of a live event" },
] as const)("$style $reason: it goes on where it was", async ({ at, style }) => {
  await using world = await startWatchedWorld({
    kubeconfig,
    namespace,
    before,
    clock,
    prepare: (proxy) => void proxy.cut({ match: isRead, at, style, times: 1 }),
  });
  await world.reflector.whenSynced();
  for (const name of ["c", "d", "a", "e"]) await world.write(name, "again");
  await world.remove("b");
  await expectNothingLost(world);
  expect(world.asked()).toEqual(["read", "resume"]);
});

test("after a reset in the first event of each of five connections, the watch resumes where it was", async () => {
  await using world = await startWatchedWorld({
    kubeconfig,
    namespace,
    before,
    clock,
    prepare(proxy) {
      proxy.cut({ match: isRead, at: { lines: initialLines }, times: 1 });
      proxy.cut({ match: isResume, at: { bytes: 10 }, times: 5 });
    },
  });
  await world.reflector.whenSynced();
  await world.write("c");
  await expectNothingLost(world);
  expect(world.asked()).toEqual(["read", ...Array.from({ length: 6 }, () => "resume")]);
});

test("after a reset in the middle of the initial events, they are read again, and each is reported once", async () => {
  await using world = await startWatchedWorld({
    kubeconfig,
    namespace,
    before,
    clock,
    prepare: (proxy) => void proxy.cut({ match: isRead, at: { lines: 1, bytes: 30 }, times: 1 }),
  });
  await world.reflector.whenSynced();
  expect(world.changes.count).toBe(before.length);
  await expectNothingLost(world);
  expect(world.asked()).toEqual(["read", "read"]);
});
