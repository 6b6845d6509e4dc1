import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";

const run = promisify(execFile);

/** Once it does not change by itself: what others have ended, the kernel may still be taking down. */
export async function steadyMachine(): Promise<MachineState> {
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
export async function machine(): Promise<MachineState> {
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
