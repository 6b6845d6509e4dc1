import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Clock, listenOn, type Logger, type Metrics, type Secret } from "#base";
import { createDataApp } from "./data-app.ts";
import { DataMetrics } from "./data-metrics.ts";
import type { DataServerSettings } from "./data-server-settings.ts";
import { DataStore } from "./data-store.ts";

export interface DataServerOptions extends DataServerSettings {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly token?: Secret;
  /** Reload when the source changes; without it, only on `POST /reload`. */
  readonly watch?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface DataServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Identity of the newest bundle. */
  readonly identity: string;
}

/** How long requests in flight may take when the server stops. */
const graceMs = 5_000;

/** Loads the data, then serves it. Disposing finishes requests in flight first. */
export async function serveData(options: DataServerOptions, signal: AbortSignal): Promise<DataServer> {
  const { host, port, token, source, clock, metrics, log } = options;
  const ending = new AbortController();
  const stopping = AbortSignal.any([signal, ending.signal]);
  try {
    // Started before the first load, so that no change during it is missed.
    const changes = options.watch === true ? source.changes?.(stopping) : undefined;
    const store = await DataStore.open({ ...options, metrics: new DataMetrics(metrics) }, stopping);
    const app = createDataApp({ store, metrics, log, signal: stopping, ...(token === undefined ? {} : { token }) });
    const answer = getRequestListener(app.fetch);
    const server = createServer((request, response) => void answer(request, response));
    const listening = await listenOn(server, host, port);
    const watching = options.watch === true ? followChanges(changes, store, options, stopping) : undefined;
    return {
      host,
      port: listening,
      get identity() {
        return store.bundles.latest.identity;
      },
      async [Symbol.asyncDispose]() {
        ending.abort(new Error("the server stops"));
        const closed = once(server, "close");
        server.close();
        using _ = clock.after(graceMs, () => server.closeAllConnections());
        await Promise.all([closed, watching]);
      },
    };
  } catch (error) {
    ending.abort(error);
    throw error;
  }
}

async function followChanges(
  changes: AsyncIterable<unknown> | undefined,
  store: DataStore,
  { source, log }: Pick<DataServerOptions, "source" | "log">,
  signal: AbortSignal,
): Promise<void> {
  if (changes === undefined) {
    log.warn("the source cannot be watched; reload with POST /reload", { source: source.description });
    return;
  }
  try {
    for await (const _ of changes) {
      await store.reload(signal).catch((error: unknown) => {
        if (!signal.aborted) log.error("reload failed, still serving the previous data", { error });
      });
    }
  } catch (error) {
    if (!signal.aborted) log.error("watching the source failed; reload with POST /reload", { error });
  }
}
