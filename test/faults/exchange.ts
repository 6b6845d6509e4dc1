import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ClientConnection } from "./client-connection.ts";
import { type CutStyle, cutAfterDelivery } from "./delivery.ts";
import type { Journal, RequestRecord } from "./journal.ts";

/** The connection of a client that asks to leave HTTP, and what it has sent after its request. */
export interface UpgradeOffer {
  readonly socket: Duplex;
  readonly head: Buffer;
}

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: ClientConnection;
  readonly upgrade?: UpgradeOffer | undefined;
  readonly record: RequestRecord;
  readonly journal: Journal;
  readonly onOver: () => void;
}

/** One request and what becomes of it. */
export interface Exchange extends Omit<ExchangeOptions, "journal" | "record" | "onOver"> {
  /** Aborted when the client has disconnected, or when no server is left to answer it. */
  readonly signal: AbortSignal;
  /** The server's answer, once it has started. */
  answer: IncomingMessage | undefined;
  /** Bytes of the answer read from the server and not yet taken by the client's kernel. */
  readonly held: number;
  /** These three keep the record. */
  readonly received: (bytes: number) => void;
  readonly sent: (bytes: number) => void;
  readonly told: (status: number) => void;
  /** Cuts the client's connection as soon as what was sent has arrived. */
  cut(style: CutStyle): Promise<void>;
  /** The server has failed: the client sees a reset, where a gateway would make up a 502 that no server has sent. */
  breakOff(): void;
}

export function openExchange({ journal, record, onOver, ...options }: ExchangeOptions): Exchange {
  const { response, connection } = options;
  const leaving = new AbortController();

  const exchange: Exchange = {
    ...options,
    signal: leaving.signal,
    answer: undefined,
    get held() {
      return response.writableLength + (exchange.answer?.readableLength ?? 0);
    },
    received: (bytes) => journal.update(record, { requestBytes: record.requestBytes + bytes }),
    sent: (bytes) => journal.update(record, { responseBytes: record.responseBytes + bytes }),
    told: (status) => journal.update(record, { status }),
    cut: (style) => cutAfterDelivery(connection.raw, style, connection.stream),
    breakOff() {
      if (leaving.signal.aborted || response.writableEnded) return;
      leaving.abort();
      void exchange.cut("reset");
    },
  };

  connection.exchanges += 1;
  (options.upgrade?.socket ?? response).once("close", () => {
    connection.exchanges -= 1;
    if (!response.writableFinished) leaving.abort();
    journal.update(record, { isOpen: false });
    onOver();
  });
  return exchange;
}
