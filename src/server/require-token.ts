import { hash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { Secret } from "#base";

/** Lets in who gives the token, as `Bearer TOKEN` or, as clients of qontract do, as it is. */
export function requireToken(token: Secret): MiddlewareHandler {
  const expected = digest(token.reveal());
  return async (context, next) => {
    const given = context.req.header("authorization") ?? "";
    if (timingSafeEqual(digest(given.replace(/^bearer +/i, "")), expected)) return next();
    context.header("www-authenticate", "Bearer");
    return context.text("this server wants a token: send it as Authorization: Bearer TOKEN\n", 401);
  };
}

/** Of equal length, whatever was given. */
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
