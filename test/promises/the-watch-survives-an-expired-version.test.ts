import { expect, test } from "vitest";
import { expired, type HttpProxy, watchError } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { shortPauses } from "./watched/fast-clock.ts";
import { expectNothingLost } from "./watched/nothing-lost.ts";
import { isRead, isResume, startWatchedWorld } from "./watched/watched-world.ts";

const { namespace } = useNamespace();
const before = ["changed", "deleted", "made-anew", "same"];
const initialLines = before.length + 1;

test.each([
  {
    expire: (proxy: HttpProxy) => proxy.answer({ match: isResume, ...expired(), times: 1 }),
    reason: "the watch is answered with 410",
  },
  {
    expire: (proxy: HttpProxy) => proxy.inject({ match: isResume, line: watchError(), end: true, times: 1 }),
    reason: "the watch begins and has 410 as an event, as real servers do",
  },
])("$reason: the whole state is listed once, and exactly the differences are reported", async ({ expire }) => {
  await using world = await startWatchedWorld({
    kubeconfig: testKubeconfig(),
    namespace,
    before,
    clock: shortPauses(20),
    prepare(proxy) {
      proxy.cut({ match: isRead, at: { lines: initialLines }, times: 1 });
      expire(proxy);
    },
  });
  await world.reflector.whenSynced();
  const gap = world.proxy.silence({ match: isRead, at: "request" });
  await world.proxy.when(isRead, 2);
  const told: string[] = [];
  world.reflector.subscribe(({ type, object }) => told.push(`${type} ${object.metadata.name.slice("0000-".length)}`));
  await world.write("changed", "again");
  await world.remove("deleted");
  await world.remove("made-anew");
  await world.write("made-anew");
  await world.write("new");
  gap.remove();
  await world.caughtUp();
  expect(told.filter((change) => !change.endsWith(" marker")).toSorted()).toEqual([
    "added made-anew",
    "added new",
    "changed changed",
    "deleted deleted",
    "deleted made-anew",
  ]);
  await expectNothingLost(world);
  expect(world.asked()).toEqual(["read", "resume", "read"]);
});
