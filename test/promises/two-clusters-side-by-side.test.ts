import { expect, test } from "vitest";
import { listClusters, startCluster, stopCluster } from "#cluster";
import { connectTestApi, footprint, temporaryHome } from "#harness";

test("two instances started at once share nothing, and stopping one does not disturb the other", async () => {
  const never = new AbortController().signal;
  await using home = await temporaryHome();
  const [left, right] = await Promise.all([
    startCluster({ home, name: "left" }, never),
    startCluster({ home, name: "right" }, never),
  ]);
  await using leftApi = connectTestApi(left.kubeconfig);
  await using rightApi = connectTestApi(right.kubeconfig);

  const made = await leftApi.call("POST", "/api/v1/namespaces", { metadata: { name: "only-left" } });
  expect(made.status).toBe(201);
  expect((await rightApi.call("GET", "/api/v1/namespaces/only-left")).status).toBe(404);

  for (const cluster of [left, right]) {
    const { processes, listening } = await footprint(cluster.name, cluster.dataDir);
    expect(processes.length, "supervisor, API server, controller manager, scheduler").toBe(4);
    expect(listening, "one port, on loopback").toEqual([new URL(cluster.server).host]);
  }

  await stopCluster({ home, name: "left" }, never);
  expect((await rightApi.call("GET", "/readyz")).status).toBe(200);
  expect((await listClusters(home)).map(({ name, state }) => [name, state])).toEqual([
    ["left", "stopped"],
    ["right", "running"],
  ]);
});
