import { expect, test } from "vitest";
import { type StartedCluster, startCluster, stopCluster } from "#cluster";
import { temporaryHome } from "#harness";
import { expectNothingLost } from "./watched/nothing-lost.ts";
import { startWatchedWorld } from "./watched/watched-world.ts";

const never = new AbortController().signal;

test("after the API server is stopped or killed and started again, the watch resumes, and lists again only if it must", async () => {
  await using home = await temporaryHome();
  const instance = { home, name: "restarted" };
  let cluster: StartedCluster = await startCluster(instance, never);
  await using world = await startWatchedWorld({ kubeconfig: cluster.kubeconfig, namespace: "default", before: ["a"] });
  await world.reflector.whenSynced();
  const ways = {
    stopped: async () => void (await stopCluster(instance, never)),
    killed: async () => {
      if (cluster.pid) process.kill(cluster.pid, "SIGKILL");
      await stopCluster(instance, never);
    },
  };
  for (const [how, end] of Object.entries(ways)) {
    await world.write("a", how);
    await world.write(how);
    await end();
    cluster = await startCluster(instance, never);
    await world.write("a", `after it was ${how}`);
    await world.remove(how);
    await expectNothingLost(world);
  }
  // A restarted server remembers no events from before its start: it says so, or there were none.
  expect(world.readings.readings).toBeLessThanOrEqual(1 + world.readings.expiries);
});
