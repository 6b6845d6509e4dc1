import { readdir, readFile, readlink } from "node:fs/promises";

/** What an instance has on this machine, read from the kernel rather than from what the instance says of itself. */
export interface Footprint {
  readonly processes: readonly { readonly pid: number; readonly command: string }[];
  /** Addresses of listening TCP sockets, as `address:port`. */
  readonly listening: readonly string[];
}

/** The processes of an instance carry its name or its data directory in their command line. */
export async function footprint(instance: string, dataDir: string): Promise<Footprint> {
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const all = await Promise.all(pids.map(async (pid) => ({ pid, command: await readCommand(pid) })));
  const processes = all.filter(
    ({ pid, command }) =>
      pid !== process.pid && (command.startsWith(`tenon-${instance}/`) || command.includes(`--data-dir ${dataDir} `)),
  );
  const sockets = new Set((await Promise.all(processes.map(({ pid }) => readSockets(pid)))).flat());
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((table) => readFile(`/proc/net/${table}`, "utf8").catch(() => "")),
  );
  return { processes, listening: tables.flatMap((table) => listeningAddresses(table, sockets)).toSorted() };
}

async function readCommand(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return text.replaceAll("\0", " ");
}

async function readSockets(pid: number): Promise<string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

/** Reads the format of /proc/net/tcp: https://docs.kernel.org/networking/proc_net_tcp.html */
function listeningAddresses(table: string, inodes: ReadonlySet<string>): string[] {
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    if (state !== "0A" || !inodes.has(inode)) return [];
    const [address = "", port = ""] = local.split(":");
    const bytes =
      address.length === 8
        ? address
            .match(/../g)
            ?.toReversed()
            .map((hex) => Number.parseInt(hex, 16))
        : undefined;
    return [`${bytes?.join(".") ?? address}:${Number.parseInt(port, 16)}`];
  });
}
