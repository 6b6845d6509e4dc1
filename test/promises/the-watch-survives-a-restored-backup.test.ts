import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCluster, stopCluster } from "#cluster";
import { temporaryHome } from "#harness";
import { fastClock } from "./watched/fast-clock.ts";
import { startWatchedWorld } from "./watched/watched-world.ts";

const never = new AbortController().signal;

test("after etcd is restored from a backup with older versions, the objects are listed again", async () => {
  await using home = await temporaryHome();
  const instance = { home, name: "restored" };
  const { kubeconfig, dataDir } = await startCluster(instance, never);
  const clock = fastClock(50);
  const [etcd, backup] = [join(dataDir, "etcd"), join(home.data, "backup")];
  await stopCluster(instance, never);
  await cp(etcd, backup, { recursive: true });
  await startCluster(instance, never);
  await using world = await startWatchedWorld({ kubeconfig, namespace: "default", before: ["lost"], clock });
  // Far enough that the restored server does not catch up by itself.
  for (let count = 0; count < 500; count++) await world.write("lost", `${count}`);
  await world.caughtUp();

  await stopCluster(instance, never);
  await rm(etcd, { recursive: true });
  await cp(backup, etcd, { recursive: true });
  await startCluster(instance, never);
  await world.write("kept");
  const namesKept = () => world.reflector.store.list().map(({ metadata }) => metadata.name.slice("0000-".length));
  await expect.poll(namesKept).toEqual(["kept"]);
  const { kept, told, listed } = await world.compare();
  expect(kept).toEqual(listed);
  expect(told).toEqual(listed);
  expect(world.asked()).toContain("doubt");
});
