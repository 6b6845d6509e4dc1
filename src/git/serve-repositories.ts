import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname } from "node:path";
import { closeServer, listenOn } from "#base";

/** git's own HTTP server on loopback, for the repositories of one directory. */
export interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** The `Authorization` header of each request. */
  readonly authorizations: readonly (string | undefined)[];
}

export interface GitServerOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** The only `Authorization` header that is let in; left out, everyone is. */
  readonly authorization?: string;
  /** Where requests are sent to instead of being answered. */
  readonly redirectTo?: string;
}

/** Serves repositories by `git http-backend`: https://git-scm.com/docs/git-http-backend */
export async function startGitServer(directory: string, options: GitServerOptions = {}): Promise<GitServer> {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    if (options.redirectTo !== undefined) {
      response.writeHead(302, { location: options.redirectTo + (request.url ?? "") }).end();
    } else if (options.authorization !== undefined && request.headers.authorization !== options.authorization) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    } else serve(directory, request, response);
  });
  const port = await listenOn(server, "127.0.0.1", options.port ?? 0);
  return { url: `http://127.0.0.1:${port}`, authorizations, [Symbol.asyncDispose]: () => closeServer(server) };
}

function serve(directory: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://localhost");
  const { "content-type": type, "content-encoding": encoding, "git-protocol": protocol } = request.headers;
  const child = spawn("git", ["http-backend"], {
    cwd: dirname(directory),
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "http.receivepack",
      GIT_CONFIG_VALUE_0: "true",
      GIT_CONFIG_KEY_1: "safe.directory",
      GIT_CONFIG_VALUE_1: "*",
      REMOTE_USER: "tenon",
      REMOTE_ADDR: "127.0.0.1",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: type,
      HTTP_CONTENT_ENCODING: encoding,
      GIT_PROTOCOL: typeof protocol === "string" ? protocol : undefined,
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin).on("error", () => undefined);
  let head = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    if (response.headersSent) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    const rows = head
      .toString("latin1", 0, end)
      .split("\r\n")
      .map((row) => row.split(": ", 2));
    for (const [name = "", value = ""] of rows) {
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.on("error", () => response.destroy());
  child.on("close", () => response.end());
}
