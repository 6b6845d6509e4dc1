import type { MiddlewareHandler } from "hono";
import type { Failure } from "./console-api.ts";

/** Scripts, styles and requests only from and to the console itself; no frames, no forms, no plug-ins. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const headers: Readonly<Record<string, string>> = {
  "content-security-policy": contentPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/**
 * Refuses what a page of another site could send. `origins` are those of the console: a request for another host reached it by
 * a name that someone else controls, and a write must come from one of its own pages.
 */
export function guardRequests(origins: () => readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const refuse = (status: 403 | 421 | 415, error: string): Response => {
      const failure: Failure = { error };
      return context.json(failure, status);
    };
    const { req } = context;
    const isRead = req.method === "GET" || req.method === "HEAD";
    const [type = ""] = (req.header("content-type") ?? "").split(";");
    const site = req.header("sec-fetch-site");
    const isNavigation = req.header("sec-fetch-mode") === "navigate" && !req.path.startsWith("/api/");
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    if (!origins().some((origin) => new URL(origin).host === req.header("host"))) {
      return refuse(421, "this is not the address of the console");
    }
    if (isRead && (site === "cross-site" || site === "same-site") && !isNavigation) {
      return refuse(403, "the request comes from another site");
    }
    if (!isRead && !origins().includes(req.header("origin") ?? "")) {
      return refuse(403, "expected the header Origin to be the address of the console");
    }
    if (!isRead && type.trim().toLowerCase() !== "application/json") {
      return refuse(415, "expected content-type application/json");
    }
    return await next();
  };
}
