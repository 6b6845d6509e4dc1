import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Clock, listenOn, type Logger } from "#base";
import { type ClusterAccess, connect, createClient } from "#kube";
import { createConsoleApp } from "./console-app.ts";
import type { OidcOptions } from "./oidc/oidc-routes.ts";
import type { ConsoleData } from "./console-data.ts";
import { DesiredIntegrations } from "./desired-integrations.ts";
import { listNamespaces } from "./own-scope.ts";
import { serveFiles, type StaticFiles } from "./serve-files.ts";
import { SessionBook } from "./session-book.ts";

export interface ConsoleOptions {
  readonly access: ClusterAccess;
  /** A loopback address, unless `publicUrl` is set. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The address in browsers, if something before the console ends TLS. */
  readonly publicUrl?: URL | undefined;
  readonly isReadOnly: boolean;
  readonly oidc?: OidcOptions | undefined;
  /** The data to show, plan and apply, if any. */
  readonly data?: ConsoleData | undefined;
  /** The pages. Without them there is only the API. */
  readonly files?: StaticFiles | undefined;
  /** Called with the address that logs in as the one who started the console, at the start and whenever one was used. */
  readonly onLink?: ((link: string) => void) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ConsoleServer extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
}

/** Serves the console until it is disposed of. */
export async function serveConsole(options: ConsoleOptions): Promise<ConsoleServer> {
  const { access, host, port, publicUrl, isReadOnly, oidc, data, files, onLink, clock, log } = options;
  await using stack = new AsyncDisposableStack();
  const sessions = stack.use(new SessionBook(clock));
  const own = createClient(stack.use(connect(access)));
  const desired = data && stack.use(new DesiredIntegrations(data, { access, clock, log }));
  let origins: readonly string[] = [];
  const offerLink = (): void => onLink?.(`${origins[0]}/login#${sessions.createLink()}`);
  const app = createConsoleApp({
    access,
    candidates: async (signal) => (await listNamespaces(own, signal)) ?? [],
    sessions,
    origins: () => origins,
    isReadOnly,
    oidc,
    data,
    desired,
    onLinkUsed: offerLink,
    clock,
    log,
  });
  if (files) serveFiles(app, files);
  const answer = getRequestListener(app.fetch);
  const server = createServer((request, response) => void answer(request, response));
  const listening = await listenOn(server, host, port);
  const names = [host.includes(":") ? `[${host}]` : host, ...(isLoopbackHost(host) ? ["localhost", "127.0.0.1"] : [])];
  origins = publicUrl ? [publicUrl.origin] : [...new Set(names.map((name) => `http://${name}:${listening}`))];
  offerLink();
  const kept = stack.move();
  return {
    port: listening,
    origin: origins[0] ?? "",
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      await kept.disposeAsync();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}
