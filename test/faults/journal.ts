import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { openWaits } from "./waits.ts";

/** What a rule sees of a request: everything the client sent but the body, credentials included. */
export interface RequestView {
  readonly method: string;
  /** With its query, as the client sent it. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** What is kept of a request: credentials are masked. It changes until the exchange is over. */
export interface RecordedRequest extends RequestView {
  /** What the client was answered, by the server or by a rule; undefined until then. */
  readonly status: number | undefined;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** False once the answer is complete or the client has left. */
  readonly isOpen: boolean;
}

export type RequestRecord = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };

export interface Journal {
  readonly requests: readonly RecordedRequest[];
  count(match?: (request: RecordedRequest) => boolean): number;
  /** Waits until so many requests match, and resolves with the last of them. */
  when(match: (request: RecordedRequest) => boolean, times?: number): Promise<RecordedRequest>;
  open(request: RequestView): RequestRecord;
  /** Changes a record and checks the waits again. */
  update(record: RequestRecord, change: Partial<RecordedRequest>): void;
  close(reason: string): void;
}

export function openJournal(): Journal {
  const requests: RequestRecord[] = [];
  const waits = openWaits();
  return {
    requests,
    count: (match = () => true) => requests.filter(match).length,
    when: (match, times = 1) => waits.until(() => requests.filter(match)[times - 1]),
    open({ method, path, headers }) {
      const record = {
        method,
        path,
        headers: maskCredentials(headers),
        status: undefined,
        requestBytes: 0,
        responseBytes: 0,
        isOpen: true,
      };
      requests.push(record);
      waits.recheck();
      return record;
    },
    update(record, change) {
      Object.assign(record, change);
      waits.recheck();
    },
    close: (reason) => waits.close(reason),
  };
}

export function viewOf({ method = "GET", url = "/", headers }: IncomingMessage): RequestView {
  return { method, path: url, headers };
}

const credentialHeaders = ["authorization", "cookie", "private-token", "proxy-authorization"];

function maskCredentials(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const masked = { ...headers };
  for (const name of credentialHeaders) if (masked[name] !== undefined) masked[name] = "***";
  // Browsers cannot set headers on a WebSocket, so Kubernetes takes a bearer token as one of the protocols offered.
  const protocols = masked["sec-websocket-protocol"];
  if (protocols)
    masked["sec-websocket-protocol"] = protocols.replace(/(bearer\.authorization\.k8s\.io\.)[^\s,]+/g, "$1***");
  return masked;
}
