import * as http from "node:http";
import * as https from "node:https";
import type { TLSSocket } from "node:tls";
import { openClientConnections, type Upstream } from "./client-connection.ts";
import { conduct } from "./conduct.ts";
import { type Exchange, openExchange, type UpgradeOffer } from "./exchange.ts";
import { openJournal, type RecordedRequest, viewOf } from "./journal.ts";
import {
  type Answer,
  type Cut,
  type Delay,
  type Inject,
  openRules,
  type RuleHandle,
  type Selection,
  type Silence,
} from "./rules.ts";
import { listen, trackSockets } from "./sockets.ts";

export interface HttpProxyOptions {
  /** The server: scheme, host and port. */
  readonly target: URL;
  /** Serves TLS with this certificate; without, plain HTTP. */
  readonly tls?: Pick<https.ServerOptions, "key" | "cert">;
  /**
   * How the proxy presents itself to the server. Bearer tokens pass through by themselves; a client certificate ends at
   * the proxy, which needs one of its own here.
   */
  readonly upstream?: Omit<Upstream, "target">;
}

/**
 * Speaks HTTP on both sides and does to single requests what its rules say.
 * The first rule that matches, in the order added, takes the request; without one it passes untouched.
 */
export interface HttpProxy extends AsyncDisposable {
  readonly url: URL;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Bytes of answers read from the server and not yet taken by a client's kernel. */
  readonly held: number;
  count(match?: (request: RecordedRequest) => boolean): number;
  /** Waits until so many requests (default: one) match, earlier ones included, and resolves with the last of them. */
  when(match: (request: RecordedRequest) => boolean, times?: number): Promise<RecordedRequest>;
  answer(rule: Answer & Selection): RuleHandle;
  delay(rule: Delay & Selection): RuleHandle;
  silence(rule: Silence & Selection): RuleHandle;
  cut(rule: Cut & Selection): RuleHandle;
  inject(rule: Inject & Selection): RuleHandle;
  /** Removes every rule, and lets go what silence holds. */
  restore(): void;
}

/** A server that cannot be reached shows as a reset. A `match` that throws does too, and disposing throws it again. */
export async function startHttpProxy({ target, tls, upstream: presentation }: HttpProxyOptions): Promise<HttpProxy> {
  const upstream: Upstream = { target, ...presentation };
  const sockets = trackSockets();
  const connections = openClientConnections(upstream, sockets);
  const exchanges = new Set<Exchange>();
  const journal = openJournal();
  const rules = openRules();
  const failures: unknown[] = [];

  async function serve(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    upgrade?: UpgradeOffer,
  ): Promise<void> {
    const connection = connections.of(request.socket);
    if (!connection) return;
    const view = viewOf(request);
    const record = journal.open(view);
    const onOver = () => exchanges.delete(exchange);
    const exchange = openExchange({ request, response, connection, upgrade, record, journal, onOver });
    exchanges.add(exchange);
    try {
      await conduct(exchange, upstream, rules.take(view));
    } catch (error) {
      if (exchange.signal.aborted) return;
      exchange.breakOff();
      failures.push(error);
    }
  }

  // When a connection is idle for too long is for the server behind the proxy to say.
  const options = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, requireHostHeader: false };
  const server: http.Server = tls ? https.createServer({ ...options, ...tls }) : http.createServer(options);
  for (const event of ["request", "checkContinue", "checkExpectation"]) {
    server.on(event, (request: http.IncomingMessage, response: http.ServerResponse) => void serve(request, response));
  }
  server.on("upgrade", (request: http.IncomingMessage, socket, head: Buffer) => {
    const response = new http.ServerResponse(request);
    response.assignSocket(request.socket);
    response.once("finish", () => request.socket.destroySoon());
    socket.on("error", () => socket.destroy());
    void serve(request, response, { socket, head });
  });
  server.on("connection", (socket) => connections.accept(socket));
  server.on("secureConnection", (socket: TLSSocket) => connections.secure(socket));
  const port = await listen(server, 0);

  return {
    url: new URL(`${tls ? "https" : "http"}://127.0.0.1:${port}`),
    requests: journal.requests,
    get held() {
      return [...exchanges].reduce((sum, exchange) => sum + exchange.held, 0);
    },
    count: (match) => journal.count(match),
    when: (match, times) => journal.when(match, times),
    answer: (rule) => rules.add({ ...rule, kind: "answer" }),
    delay: (rule) => rules.add({ ...rule, kind: "delay" }),
    silence: (rule) => rules.add({ ...rule, kind: "silence" }),
    cut: (rule) => rules.add({ ...rule, kind: "cut" }),
    inject: (rule) => rules.add({ ...rule, kind: "inject" }),
    restore: () => rules.removeAll(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await sockets.closeAll();
      await closed;
      journal.close(`the proxy ${target.origin} was disposed while a test waited for a request`);
      if (failures.length > 0) throw new AggregateError(failures, "a rule of the test, or the proxy, has failed");
    },
  };
}
