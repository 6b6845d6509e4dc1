import { existsSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listClusters, loadImages, startCluster, stopCluster } from "#cluster";
import { connectTestApi, footprint, temporaryHome } from "#harness";
import { writeImageArchive } from "#oci";
import { machine, steadyMachine } from "./machine-state.ts";
import { makeProbeImage } from "./probe-image.ts";

const never = new AbortController().signal;
const name = "again";

test("after a stop the machine is as before: settings, packet filters, interfaces, routes, mounts, control groups, files", async () => {
  await using home = await temporaryHome();
  const before = await steadyMachine();
  const { dataDir } = await startAndUse(home);
  expect(await machine(), "the test notices a node").not.toEqual(before);
  await stopCluster({ home, name }, never);
  await expect.poll(machine).toEqual(before);
  expect(await footprint(name, dataDir)).toEqual({ processes: [], listening: [] });
  expect(existsSync(join(dataDir, "node.json"))).toBe(false);
});

test("after kill -9 of the supervisor no process is left, and a stop leaves the machine as before", async () => {
  await using home = await temporaryHome();
  const before = await steadyMachine();
  const { dataDir, pid = 0 } = await startAndUse(home);
  process.kill(pid, "SIGKILL");
  await expect.poll(() => footprint(name, dataDir)).toEqual({ processes: [], listening: [] });
  expect(await stopCluster({ home, name }, never)).toBe("was not running");
  await expect.poll(machine).toEqual(before);
});

test("after kill -9 a new start works, and its stop leaves the machine as before", async () => {
  await using home = await temporaryHome();
  const before = await steadyMachine();
  const { pid = 0 } = await startAndUse(home);
  process.kill(pid, "SIGKILL");
  // Only the supervisor's own end is waited for, which the kernel does not carry out at once.
  await expect.poll(() => listClusters(home)).toMatchObject([{ state: "stopped" }]);
  const again = await startCluster({ home, name, endsWithUs: true }, never);
  expect(again).toMatchObject({ isNew: true, node: true });
  await stopCluster({ home, name }, never);
  await expect.poll(machine).toEqual(before);
});

/** With a pod, whose container, mounts and interface are there when the end comes. */
async function startAndUse(home: Awaited<ReturnType<typeof temporaryHome>>) {
  const started = await startCluster({ home, name, node: true, endsWithUs: true }, never);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-node-"));
  const archive = join(directory.path, "probe.tar");
  await writeImageArchive([await makeProbeImage("localhost/probe:1")], archive);
  await loadImages({ home, name, files: [archive] }, never);
  await using api = connectTestApi(started.kubeconfig);
  const pods = "/api/v1/namespaces/default/pods";
  const containers = [{ name: "probe", image: "localhost/probe:1", imagePullPolicy: "Never" }];
  await api.call("POST", pods, { metadata: { name: "probe" }, spec: { containers } });
  const pod = async () => (await api.call("GET", `${pods}/probe`)).body;
  await expect.poll(pod).toMatchObject({ status: { phase: "Running" } });
  return started;
}
