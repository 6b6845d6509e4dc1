import type { IncomingMessage, ServerResponse } from "node:http";
import { closeServer, describeError, listenOn, type Metrics } from "#base";
import type { Health, HealthReport } from "./health.ts";
import { runtimeMetrics } from "./runtime-metrics.ts";

export interface HealthServerOptions {
  readonly health: Health;
  readonly metrics: Metrics;
  /** Default: every interface, because the kubelet sends its probes from outside the pod. */
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
}

export interface HealthServer extends AsyncDisposable {
  readonly port: number;
}

interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Serves `/healthz`, `/readyz` (`?verbose` for JSON) and `/metrics`. */
export async function serveHealth({ health, metrics, host, port }: HealthServerOptions): Promise<HealthServer> {
  async function answer({ method, url = "/" }: IncomingMessage): Promise<Reply> {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (method !== "GET" && method !== "HEAD") return plain(405, "only GET is allowed\n");
    if (pathname === "/healthz") return render(health.report("healthz"), searchParams.has("verbose"));
    if (pathname === "/readyz") return render(health.report("readyz"), searchParams.has("verbose"));
    if (pathname === "/metrics") return { status: 200, ...(await runtimeMetrics(metrics).expose()) };
    return plain(404, "not found; try /healthz, /readyz or /metrics\n");
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await answer(request).catch((error: unknown) => plain(500, `${describeError(error)}\n`));
    response.writeHead(reply.status, { "content-type": reply.contentType, "cache-control": "no-store" });
    response.end(request.method === "HEAD" ? undefined : reply.body);
  }

  // Imported late: as a module, node:http loads all of Node's fetch, 25 ms of processor time that only servers need.
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => void serve(request, response));
  return { port: await listenOn(server, host, port), [Symbol.asyncDispose]: () => closeServer(server) };
}

function render(report: HealthReport, isVerbose: boolean): Reply {
  const status = report.isGood ? 200 : 503;
  if (isVerbose) return { status, contentType: "application/json", body: `${JSON.stringify(report, null, 2)}\n` };
  const lines = report.checks.map(({ name, isGood, message, since }) =>
    isGood ? `[+] ${name}: ${message}` : `[-] ${name}: ${message} (since ${since})`,
  );
  return plain(status, `${[report.isGood ? "ok" : "failed", ...lines].join("\n")}\n`);
}

function plain(status: number, body: string): Reply {
  return { status, contentType: "text/plain; charset=utf-8", body };
}
