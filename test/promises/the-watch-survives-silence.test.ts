import { expect, test } from "vitest";
import { testKubeconfig, useNamespace } from "#harness";
import { FakeClock } from "../../src/base/fake-clock.fixture.ts";
import { expectNothingLost } from "./watched/nothing-lost.ts";
import { isRead, isResume, startWatchedWorld } from "./watched/watched-world.ts";

const { namespace } = useNamespace();
const kubeconfig = testKubeconfig();
const before = ["a", "b"];
const initialLines = before.length + 1;

test("a connection that stays open and silent for 90 s is closed, and the watch resumes where it was", async () => {
  const clock = new FakeClock();
  await using world = await startWatchedWorld({
    kubeconfig,
    namespace,
    before,
    clock,
    prepare: (proxy) => void proxy.silence({ match: isRead, at: { lines: initialLines }, times: 1 }),
  });
  await world.reflector.whenSynced();
  await world.write("unheard");
  await clock.advance(89_999);
  expect(world.asked()).toEqual(["read"]);
  await clock.advance(1);
  await expectNothingLost(world);
  expect(world.asked()).toEqual(["read", "resume"]);
  await world.proxy.when((request) => isRead(request) && !request.isOpen);
});

test("after a second silence the watch checks whether the versions of the server went back, and resumes if not", async () => {
  const clock = new FakeClock();
  await using world = await startWatchedWorld({
    kubeconfig,
    namespace,
    before,
    clock,
    prepare(proxy) {
      proxy.silence({ match: isRead, at: { lines: initialLines }, times: 1 });
      proxy.silence({ match: isResume, at: "headers", times: 1 });
    },
  });
  await world.reflector.whenSynced();
  await world.write("unheard");
  await clock.advance(90_000);
  await world.proxy.when(isResume);
  await clock.advance(90_000);
  await expectNothingLost(world);
  expect(world.asked()).toEqual(["read", "resume", "doubt", "resume"]);
});
