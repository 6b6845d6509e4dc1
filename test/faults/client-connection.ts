import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { OpenSockets } from "./sockets.ts";

/** Where requests go and how the proxy is known there. */
export interface Upstream {
  readonly target: URL;
  /** What the target's certificate is checked against, and the client certificate shown to it. */
  readonly tls?: Pick<https.AgentOptions, "ca" | "cert" | "key" | "servername" | "rejectUnauthorized">;
  /** Set on every request; each replaces the client's header of that name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A client's connection and the upstream connection that belongs to it alone.
 * One for one, so that keep-alive, `Connection: close` and idle connections closed by a restarting server look to the
 * client as they would without a proxy.
 */
export interface ClientConnection {
  /** The TCP socket, under TLS too: only it can be reset. */
  readonly raw: Socket;
  /** Where HTTP is spoken: the TCP socket, or the TLS socket above it. */
  stream: Socket;
  readonly agent: http.Agent;
  /** Exchanges going on; more than one only when a client pipelines. */
  exchanges: number;
  /** Called with the socket that a request goes out on. */
  useUpstreamSocket(socket: Socket): void;
}

export function openClientConnection(raw: Socket, upstream: Upstream, sockets: OpenSockets): ClientConnection {
  const agentOptions = { keepAlive: true, maxSockets: 1 };
  const agent =
    upstream.target.protocol === "https:"
      ? new https.Agent({ ...agentOptions, ...upstream.tls })
      : new http.Agent(agentOptions);
  let isIdle = false;
  const connection: ClientConnection = {
    raw,
    stream: raw,
    agent,
    exchanges: 0,
    useUpstreamSocket(socket) {
      isIdle = false;
      if (!sockets.add(socket)) return;
      // Node's agent closes some connections after use for reasons of its own; one that it keeps, when the server does.
      socket.once("close", () => {
        if (isIdle && connection.exchanges === 0) connection.stream.end();
      });
    },
  };
  agent.on("free", () => {
    isIdle = true;
  });
  sockets.add(raw);
  raw.once("close", () => agent.destroy());
  return connection;
}

/** Connections by the port of their client: all that a TLS socket openly shares with the TCP socket under it. */
export interface ClientConnections {
  accept(raw: Socket): void;
  /** TLS is established; HTTP is spoken on this socket. */
  secure(stream: TLSSocket): void;
  /** Undefined when the client has left. */
  of(stream: Socket): ClientConnection | undefined;
}

export function openClientConnections(upstream: Upstream, sockets: OpenSockets): ClientConnections {
  const byClientPort = new Map<number, ClientConnection>();
  const of = ({ remotePort }: Socket) => (remotePort === undefined ? undefined : byClientPort.get(remotePort));
  return {
    accept(raw) {
      const { remotePort } = raw;
      if (remotePort === undefined) return;
      const connection = openClientConnection(raw, upstream, sockets);
      byClientPort.set(remotePort, connection);
      raw.once("close", () => {
        if (byClientPort.get(remotePort) === connection) byClientPort.delete(remotePort);
      });
    },
    secure(stream) {
      const connection = of(stream);
      if (connection) connection.stream = stream;
    },
    of,
  };
}
