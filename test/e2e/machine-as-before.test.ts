import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { expect, test } from "vitest";
import { listClusters, loadImages, startCluster, stopCluster } from "#cluster";
import { connectTestApi, footprint, temporaryHome } from "#harness";
import { writeImageArchive } from "#oci";
import { makeProbeImage } from "./probe-image.ts";

const run = promisify(execFile);
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

/** Once it does not change by itself: what others have ended, the kernel may still be taking down. */
async function steadyMachine(): Promise<MachineState> {
  let [last, now] = [await machine(), await machine()];
  while (!isDeepStrictEqual(last, now)) [last, now] = [now, await machine()];
  return now;
}

interface MachineState {
  readonly settings: readonly string[];
  readonly filters: readonly string[];
  readonly links: readonly string[];
  readonly routes: string;
  readonly namespaces: string;
  readonly mounts: readonly string[];
  readonly groups: readonly string[];
  readonly files: readonly string[];
}

/** What a kubelet, kube-proxy, containerd or a network plugin may change on a machine. */
async function machine(): Promise<MachineState> {
  const [settings, filters, links, routes, namespaces, mounts] = await Promise.all([
    say("sysctl", "-a"),
    say("iptables-save"),
    say("ip", "-o", "address"),
    say("ip", "route"),
    say("ip", "netns"),
    readFile("/proc/self/mountinfo", "utf8"),
  ]);
  return {
    settings: settings
      .split("\n")
      .filter((line) => /^(vm\.|kernel\.(panic|keys)|net\.ipv4\.|net\.bridge\.)/.test(line)),
    // Counters and the time of the listing change by themselves.
    filters: filters.split("\n").filter((line) => !line.startsWith("#")),
    links: links.split("\n"),
    routes,
    namespaces,
    mounts: mounts.split("\n").toSorted(),
    groups: await list("/sys/fs/cgroup", 2),
    files: (
      await Promise.all(["/run", "/var/lib", "/var/log", "/opt", "/etc", "/usr/libexec"].map((path) => list(path, 1)))
    ).flat(),
  };
}

async function say(program: string, ...words: readonly string[]): Promise<string> {
  return (await run(program, words, { maxBuffer: 64 << 20 })).stdout;
}

async function list(path: string, depth: number): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const paths = entries.map((entry) => join(path, entry.name));
  if (depth === 1) return paths.toSorted();
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name));
  const below = await Promise.all(folders.map((folder) => list(folder, depth - 1)));
  return paths.concat(...below).toSorted();
}
