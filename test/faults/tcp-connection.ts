import { connect, type Socket } from "node:net";
import { type CutStyle, cutAfterDelivery } from "./delivery.ts";
import { type LaneFaults, openLane } from "./lane.ts";
import { type OpenSockets, reset } from "./sockets.ts";

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

export interface TcpConnectionOptions {
  readonly client: Socket;
  readonly target: TcpTarget;
  readonly sockets: OpenSockets;
  readonly faults: { readonly toClient: LaneFaults; readonly toServer: LaneFaults };
  readonly onArrived: () => void;
  readonly onForwarded: (lane: "toClient" | "toServer", bytes: number) => void;
  /** The client has sent FIN or RST, perhaps while the connection is silent and the server does not know. */
  readonly onLeft: () => void;
  readonly onClosed: () => void;
}

/** One accepted connection and its twin to the target; FIN and RST pass from each to the other. */
export interface TcpConnection {
  readonly held: number;
  reset(): void;
  cutAfter(bytes: number, style: CutStyle): void;
  /** Acts on faults that have changed. */
  wake(): void;
}

export function openTcpConnection(options: TcpConnectionOptions): TcpConnection {
  const { client, target, faults } = options;
  const server = connect({ ...target, allowHalfOpen: true, noDelay: true });
  options.sockets.add(server);
  let cutStyle: CutStyle = "reset";

  const toClient = openLane({
    from: server,
    to: client,
    faults: faults.toClient,
    onArrived: options.onArrived,
    onForwarded: (bytes) => options.onForwarded("toClient", bytes),
    onSpent() {
      reset(server);
      void cutAfterDelivery(client, cutStyle);
    },
  });
  const toServer = openLane({
    from: client,
    to: server,
    faults: faults.toServer,
    onArrived: options.onArrived,
    onForwarded: (bytes) => options.onForwarded("toServer", bytes),
    onSpent() {},
  });

  let hasLeft = false;
  const leave = () => {
    if (!hasLeft) options.onLeft();
    hasLeft = true;
  };
  client.once("end", leave).once("close", leave);
  client.once("close", options.onClosed);
  client.on("error", () => reset(server));
  server.on("error", () => reset(client));

  return {
    get held() {
      return toClient.held + toServer.held;
    },
    reset() {
      reset(client);
      reset(server);
    },
    cutAfter(bytes, style) {
      cutStyle = style;
      toClient.cutAfter(bytes);
    },
    wake() {
      toClient.wake();
      toServer.wake();
    },
  };
}
