import { randomUUID } from "node:crypto";
import { once } from "node:events";
import * as http from "node:http";
import type { AddressInfo } from "node:net";

export interface TokenProxyOptions {
  /** The registry behind it. */
  readonly target: URL;
  /** Where it listens; default: on loopback. */
  readonly address?: string;
  readonly user: string;
  readonly password: string;
  /** What the user may do, by repository; default: everything. */
  readonly rights?: Readonly<Record<string, string>>;
  /** Hides from the registry that a blob is to be mounted, so that it wants an upload. */
  readonly refusesMounts?: boolean;
  /** Gives tokens, and then knows none of them, as after a change of its key. */
  readonly forgetsTokens?: boolean;
}

/** A request that reached the registry or its token server, without bodies. */
export interface TokenProxyRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
}

/**
 * Puts Bearer authentication before a real registry: a token server as https://distribution.github.io/distribution/spec/auth/token/
 * describes it, and a check of the scopes of each request. Tokens are opaque, and can be made to expire.
 */
export interface TokenProxy extends AsyncDisposable {
  readonly host: string;
  /** Requests to the registry and to its token server, in order. */
  readonly requests: readonly TokenProxyRequest[];
  /** What tokens were asked for, one entry a token. */
  readonly scopes: readonly (readonly string[])[];
  /** All tokens so far are valid no longer. */
  expireTokens(): void;
}

const largest = 1 << 20;

export async function startTokenProxy(options: TokenProxyOptions): Promise<TokenProxy> {
  const {
    target,
    address = "127.0.0.1",
    user,
    password,
    rights,
    refusesMounts = false,
    forgetsTokens = false,
  } = options;
  const requests: TokenProxyRequest[] = [];
  const scopes: string[][] = [];
  const tokens = new Map<string, Set<string>>();
  const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  let host = "";

  function grant(scope: string): string[] {
    const [, name = "", actions = ""] = /^repository:(.*):([a-z,]+)$/.exec(scope) ?? [];
    const allowed = rights === undefined ? "pull,push" : (rights[name] ?? "");
    return actions
      .split(",")
      .filter((action) => allowed.split(",").includes(action))
      .map((action) => `${name}:${action}`);
  }

  function serveToken(request: http.IncomingMessage, response: http.ServerResponse, query: URLSearchParams): void {
    if (request.headers.authorization !== basic) {
      response.writeHead(401).end();
      return;
    }
    const asked = query.getAll("scope");
    scopes.push(asked);
    const token = randomUUID();
    if (!forgetsTokens) tokens.set(token, new Set(asked.flatMap(grant)));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ token, expires_in: 300 }));
  }

  function challenge(response: http.ServerResponse, name: string, action: string): void {
    const scope = `repository:${name}:${action === "push" ? "pull,push" : "pull"}`;
    response.writeHead(401, {
      "www-authenticate": `Bearer realm="http://${host}/token",service="test, registry",scope="${scope}"`,
      "content-type": "application/json",
    });
    response.end(JSON.stringify({ errors: [{ code: "UNAUTHORIZED", message: "authentication required" }] }));
  }

  function pass(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { authorization: _, ...headers } = request.headers;
    const path = refusesMounts ? request.url?.replace(/\?mount=.*/, "") : request.url;
    const outgoing = http.request(target, { method: request.method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    request.pipe(outgoing);
  }

  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${host}`);
    const { authorization } = request.headers;
    requests.push({ method: request.method ?? "", url: url.href.slice(0, largest), authorization });
    if (url.pathname === "/token") {
      serveToken(request, response, url.searchParams);
      return;
    }
    const [, name = ""] = /^\/v2\/(.+?)\/(?:manifests|blobs|tags|referrers)\//.exec(url.pathname) ?? [];
    const action = request.method === "GET" || request.method === "HEAD" ? "pull" : "push";
    const token = tokens.get(authorization?.replace(/^Bearer /, "") ?? "");
    if (token === undefined) challenge(response, name, action);
    else if (token.has(`${name}:${action}`)) pass(request, response);
    else response.writeHead(403).end(JSON.stringify({ errors: [{ code: "DENIED", message: "not yours" }] }));
  });
  await once(server.listen(0, address), "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on TCP has this kind of address
  const { port } = server.address() as AddressInfo;
  host = `${address}:${port}`;
  return {
    host,
    requests,
    scopes,
    expireTokens: () => tokens.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
