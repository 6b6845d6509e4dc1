import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type Clock, listenOn, systemClock } from "#base";
import type { Apparatus } from "./create-apparatus.ts";

export interface ServeOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string;
  /** How long running handlers may take to finish after a signal to end. */
  readonly graceMs?: number;
  readonly clock?: Clock;
}

export interface Serving extends AsyncDisposable {
  readonly port: number;
}

/** Less than the 30 s after which Kubernetes kills: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination */
const usualGraceMs = 25_000;

/**
 * Serves apparatuses, which have different prefixes, on one port.
 * On SIGTERM and SIGINT it accepts no new call, finishes the running ones, and exits.
 */
export async function serveApparatus(apparatuses: readonly Apparatus[], options: ServeOptions): Promise<Serving> {
  const { port, host, graceMs = usualGraceMs, clock = systemClock } = options;
  const app = new Hono();
  for (const apparatus of apparatuses) app.route("/", apparatus.app);
  const answer = getRequestListener(app.fetch);
  const unanswered = new Set<ServerResponse>();
  let closed: Promise<void> | undefined;
  const server = createServer((request, response) => {
    // It arrived while its connection was neither idle nor waiting for an answer, and is the last one on it.
    if (closed) response.shouldKeepAlive = false;
    unanswered.add(response);
    response.once("close", () => unanswered.delete(response));
    void answer(request, response);
  });
  const listening = await listenOn(server, host, port);

  async function shutDown(): Promise<void> {
    for (const signal of endings) process.off(signal, end);
    const ended = once(server, "close");
    server.close();
    // Idle keep-alive connections would prevent the server from closing.
    for (const response of unanswered) response.shouldKeepAlive = false;
    using _ = clock.after(graceMs, () => {
      for (const apparatus of apparatuses) apparatus.abort(new Error("the process is shutting down"));
      server.closeAllConnections();
      late.resolve();
    });
    const finished = Promise.all(apparatuses.map((apparatus) => apparatus.idle()));
    await Promise.all([ended, Promise.race([finished, late.promise])]);
  }
  const close = (): Promise<void> => (closed ??= shutDown());
  // Not left to the signal itself: the first process of a container does not end by it.
  const end = (): void => void close().then(() => process.exit(0));
  const late = Promise.withResolvers<void>();
  for (const signal of endings) process.once(signal, end);

  return {
    port: listening,
    [Symbol.asyncDispose]: close,
  };
}

const endings = ["SIGTERM", "SIGINT"] as const;
