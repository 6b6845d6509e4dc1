import { createServer, type Socket } from "node:net";
import type { CutStyle } from "./delivery.ts";
import { listen, trackSockets } from "./sockets.ts";
import { openTcpConnection, type TcpConnection, type TcpTarget } from "./tcp-connection.ts";
import { openWaits } from "./waits.ts";

/** Connections open now, connections yet to come until `restore`, or both. */
export type Connections = "live" | "new" | "all";

export type Direction = "toClient" | "toServer" | "both";

export interface TcpCounts {
  /** Connections accepted since the start, those reset on arrival included. */
  readonly opened: number;
  /** Connections whose client has not left. */
  readonly live: number;
  readonly bytesToClient: number;
  readonly bytesToServer: number;
  /** Bytes read from one side and not yet taken by the kernel of the other. */
  readonly held: number;
}

/** Forwards bytes without looking at them, so TLS passes; injects faults until `restore`. */
export interface TcpProxy extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly counts: TcpCounts;
  /** Waits until the counts satisfy `condition`, and resolves with them. */
  until(condition: (counts: TcpCounts) => boolean): Promise<TcpCounts>;
  /** Resets connections with RST; new ones right after they are accepted. */
  reset(connections: Connections): void;
  /** Stops listening: a new connection gets ECONNREFUSED, live ones go on. */
  refuse(): void;
  /** Adds latency in both directions. Chunks travel at the same time: their delays do not add up. */
  delay(milliseconds: number): void;
  /**
   * Keeps connections open, new ones included, and passes nothing on.
   * What was said in silence, FIN too, is delivered in order by `restore`: a network that heals retransmits, and a hole
   * in the stream would be a fault no network has, which TLS ends at once. Only RST cannot be held back.
   */
  silence(direction?: Direction): void;
  /** Cuts each of `connections` (default: live) after exactly so many more bytes have reached its client. */
  cutAfter(bytes: number, options?: { readonly connections?: Connections; readonly style?: CutStyle }): void;
  /** Sends new connections elsewhere; live ones stay where they are. Not undone by `restore`. */
  retarget(target: TcpTarget): void;
  /** Ends every fault. Rejects if another program has taken the port while connections were refused. */
  restore(): Promise<void>;
}

export interface TcpProxyOptions {
  readonly target: TcpTarget;
  /** Where it listens; default: on loopback. */
  readonly host?: string;
}

/** A target that cannot be reached shows as a reset: the proxy has accepted by then and can no longer refuse. */
export async function startTcpProxy(options: TcpProxyOptions): Promise<TcpProxy> {
  let { target } = options;
  const { host = "127.0.0.1" } = options;
  const sockets = trackSockets();
  const waits = openWaits();
  const connections = new Set<TcpConnection>();
  const faults = { toClient: { delay: 0, silent: false }, toServer: { delay: 0, silent: false } };
  let resetsNew = false;
  let cutsNew: { readonly bytes: number; readonly style: CutStyle } | undefined;
  let opened = 0;
  let live = 0;
  const forwarded = { toClient: 0, toServer: 0 };

  function accept(client: Socket): void {
    sockets.add(client);
    opened += 1;
    if (resetsNew) client.resetAndDestroy();
    else forward(client);
    waits.recheck();
  }

  function forward(client: Socket): void {
    live += 1;
    const connection = openTcpConnection({
      client,
      target,
      sockets,
      faults,
      onArrived: () => waits.recheck(),
      onForwarded(lane, bytes) {
        forwarded[lane] += bytes;
      },
      onLeft() {
        live -= 1;
        waits.recheck();
      },
      onClosed: () => connections.delete(connection),
    });
    connections.add(connection);
    if (cutsNew) connection.cutAfter(cutsNew.bytes, cutsNew.style);
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
  const port = await listen(server, 0, host);

  function counts(): TcpCounts {
    const held = [...connections].reduce((sum, connection) => sum + connection.held, 0);
    return { opened, live, bytesToClient: forwarded.toClient, bytesToServer: forwarded.toServer, held };
  }

  return {
    host,
    port,
    get counts() {
      return counts();
    },
    until: (condition) => waits.until(() => [counts()].find(condition)),
    reset(which) {
      if (which !== "live") resetsNew = true;
      if (which !== "new") for (const connection of connections) connection.reset();
    },
    refuse() {
      server.close();
    },
    delay(milliseconds) {
      faults.toClient.delay = milliseconds;
      faults.toServer.delay = milliseconds;
      for (const connection of connections) connection.wake();
    },
    silence(direction = "both") {
      if (direction !== "toServer") faults.toClient.silent = true;
      if (direction !== "toClient") faults.toServer.silent = true;
    },
    cutAfter(bytes, { connections: which = "live", style = "reset" } = {}) {
      if (which !== "live") cutsNew = { bytes, style };
      if (which !== "new") for (const connection of connections) connection.cutAfter(bytes, style);
    },
    retarget(next) {
      target = next;
    },
    async restore() {
      resetsNew = false;
      cutsNew = undefined;
      Object.assign(faults.toClient, { delay: 0, silent: false });
      Object.assign(faults.toServer, { delay: 0, silent: false });
      for (const connection of connections) {
        connection.cutAfter(Number.POSITIVE_INFINITY, "reset");
        connection.wake();
      }
      if (!server.listening) await listen(server, port, host);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await sockets.closeAll();
      await closed;
      waits.close(`the proxy on port ${port} was disposed while a test waited for its counts`);
    },
  };
}
