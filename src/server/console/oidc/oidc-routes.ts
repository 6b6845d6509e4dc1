import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { type Clock, describeError, type Logger } from "#base";
import type { ClusterAccess } from "#kube";
import type { IdentityProvider } from "./identity-provider.ts";
import { type ImpersonationRule, OidcTokens, PendingLogins } from "./oidc-login.ts";
import { LoginRefused } from "./verify-id-token.ts";

export interface OidcOptions {
  readonly provider: IdentityProvider;
  /** Without it, the id token is the person's token of Kubernetes. */
  readonly impersonation?: ImpersonationRule | undefined;
}

export interface OidcRoutesOptions extends OidcOptions {
  readonly access: ClusterAccess;
  readonly origins: () => readonly string[];
  /** Starts a session in this browser. */
  readonly begin: (context: Context, access: ClusterAccess, login: OidcTokens) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

const cookie = "tenon-login";
const cookieSeconds = 600;
/** Each costs the provider and the API server requests. */
const mostAtOnce = 8;

/**
 * The way to the identity provider and back. These are navigations, which the provider's page causes, so that the cookie of a login
 * that is under way is Lax; it ties the login to the browser that began it.
 */
export function mountOidcRoutes(app: Hono, options: OidcRoutesOptions): void {
  const { provider, impersonation, access, origins, begin, clock, log } = options;
  const pending = new PendingLogins(clock);
  let redeeming = 0;
  const originOf = (context: Context): string =>
    origins().find((origin) => new URL(origin).host === context.req.header("host")) ?? origins()[0] ?? "";

  app.get("/oidc/login", async (context) => {
    const origin = originOf(context);
    const redirectUri = `${origin}/oidc/callback`;
    const { browser, ...login } = pending.begin(redirectUri, localPath(context.req.query("to"), origin));
    try {
      const to = await provider.authorizationUrl({ ...login, redirectUri }, context.req.raw.signal);
      const secure = origin.startsWith("https:");
      setCookie(context, cookie, browser, {
        httpOnly: true,
        sameSite: "Lax",
        path: "/oidc",
        maxAge: cookieSeconds,
        secure,
      });
      return context.redirect(to, 303);
    } catch (error) {
      log.warn("console: the identity provider cannot be used", {
        issuer: provider.issuer,
        error: describeError(error),
      });
      return refuse(context, "provider");
    }
  });

  app.get("/oidc/callback", async (context) => {
    const { state = "", code, iss, error: told } = context.req.query();
    const login = pending.take(state, getCookie(context, cookie) ?? "");
    // Of no login that this browser began: forged, repeated, or too old.
    if (!login) return refuse(context, "login");
    deleteCookie(context, cookie, { path: "/oidc" });
    // RFC 9207: of another provider than the one that was asked.
    if (iss !== undefined && iss.replace(/\/$/, "") !== provider.issuer) return refuse(context, "login");
    if (told !== undefined || code === undefined || redeeming >= mostAtOnce) return refuse(context, "provider");
    redeeming += 1;
    const { signal } = context.req.raw;
    try {
      const tokens = new OidcTokens(provider, await provider.redeem({ ...login, code }, signal), clock);
      await begin(context, tokens.accessBy(access, impersonation), tokens);
      return context.redirect(login.goTo, 303);
    } catch (error) {
      log.warn("console: a login was refused", { issuer: provider.issuer, error: describeError(error) });
      return refuse(context, error instanceof LoginRefused ? "provider" : "cluster");
    } finally {
      redeeming -= 1;
    }
  });
}

/** With a word, which the page explains: text in an address could be anyone's. */
function refuse(context: Context, why: "login" | "provider" | "cluster"): Response {
  return context.redirect(`/login?failed=${why}`, 303);
}

/** A path of the console, and nothing else: a login must not lead to another site. */
function localPath(path: string | undefined, origin: string): string {
  if (path === undefined || !URL.canParse(path, origin)) return "/";
  const url = new URL(path, origin);
  return url.origin === origin && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}` : "/";
}
