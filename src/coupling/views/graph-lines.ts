import { type CouplingGraph, graphKey, type GraphPlug, type GraphSocket } from "./coupling-graph.ts";

/** A tree as lines of text: sockets, and below each its coupled and waiting plugs. */
export function graphLines({ sockets, plugs }: CouplingGraph): string[] {
  const bySocket = Map.groupBy(plugs, ({ socket = "" }) => socket);
  const leaving = Map.groupBy(
    plugs.filter(({ leaves }) => leaves !== undefined),
    ({ leaves = "" }) => leaves,
  );
  const branches = sockets.map((socket) => {
    const key = graphKey(socket);
    const left = (leaving.get(key) ?? []).map((plug) => `${graphKey(plug)}  leaves for ${plug.socket ?? "no socket"}`);
    return [titleOf(socket), ...drawLeaves([...(bySocket.get(key) ?? []).map(lineOf), ...left])];
  });
  const free = bySocket.get("") ?? [];
  if (free.length > 0) branches.push(["(no socket)", ...drawLeaves(free.map(lineOf))]);
  return branches.flat();
}

function titleOf(socket: GraphSocket): string {
  const offered = socket.interface === undefined ? "" : ` (${socket.interface})`;
  return `${graphKey(socket)}${offered}  ${stateOf(socket)}`;
}

function stateOf({ state, waitsFor }: GraphSocket | GraphPlug): string {
  if (state === undefined) return "does not exist";
  return waitsFor === undefined ? state : `${state}: ${waitsFor}`;
}

function lineOf(plug: GraphPlug): string {
  return `${graphKey(plug)}  ${stateOf(plug)}`;
}

function drawLeaves(lines: readonly string[]): string[] {
  return lines.map((line, index) => `${index === lines.length - 1 ? "└── " : "├── "}${line}`);
}
