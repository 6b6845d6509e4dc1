import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { reset } from "./sockets.ts";

/** How a connection is cut: by RST, or by FIN in the middle of whatever was being sent. */
export type CutStyle = "reset" | "end";

/**
 * Cuts the connection once its client's process has read every byte written so far; one that never reads is never cut.
 *
 * RST makes our kernel drop what the client's has not acknowledged: cut at once, a client would get any number of bytes
 * but the one asked for. What a client has read and not looked at is its own affair: a Node stream drops it then.
 * `stream` is where bytes are written: `raw` itself, or the TLS socket above it.
 */
export async function cutAfterDelivery(raw: Socket, style: CutStyle, stream: Socket = raw): Promise<void> {
  if (style === "end") {
    stream.destroySoon();
    return;
  }
  while (!raw.destroyed && (stream.writableLength > 0 || (await bytesInFlight(raw)) > 0)) {
    await setTimeout(1, undefined, { ref: false });
  }
  reset(raw);
}

/**
 * Bytes that the kernel holds for this connection: ours not acknowledged, and the client's not read.
 * Node cannot ask for either, so this reads Linux's table of sockets; other systems have none and count as zero.
 * https://docs.kernel.org/networking/proc_net_tcp.html
 */
async function bytesInFlight({ localPort, remotePort }: Socket): Promise<number> {
  if (localPort === undefined || remotePort === undefined) return 0;
  const table = await readFile("/proc/net/tcp", "latin1").catch(() => "");
  const unacknowledged = queuesOf(table, localPort, remotePort)?.sending ?? 0;
  const unread = queuesOf(table, remotePort, localPort)?.receiving ?? 0;
  return unacknowledged + unread;
}

function queuesOf(table: string, from: number, to: number): { sending: number; receiving: number } | undefined {
  const [, sending, receiving] =
    new RegExp(`:${hex(from)} \\w{8}:${hex(to)} \\w\\w (\\w{8}):(\\w{8})`).exec(table) ?? [];
  if (sending === undefined || receiving === undefined) return undefined;
  return { sending: Number.parseInt(sending, 16), receiving: Number.parseInt(receiving, 16) };
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
