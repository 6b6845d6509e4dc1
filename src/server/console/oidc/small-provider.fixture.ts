import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { generateKeyPairSync, hash, type KeyObject, randomUUID, sign } from "node:crypto";
import { closeServer, listenOn } from "#base";

/** How a provider misbehaves. */
export interface Twist {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs in place of the key that the provider announces. */
  readonly signature?: (data: string) => Buffer;
  readonly refusesRefresh?: boolean;
}

interface ProviderCertificate {
  readonly cert: string;
  readonly key: string;
}

interface Asked {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

/**
 * A small OpenID Connect provider that speaks the documented routes: discovery, keys, authorization with PKCE, tokens, refresh,
 * revocation and the end of a session. It logs everyone in as `subject`.
 */
export class SmallProvider implements AsyncDisposable {
  subject = "ann";
  lifetimeSeconds = 3_600;
  twist: Twist = {};
  /** Of the clock of those who check its tokens. */
  now = (): number => Date.now();
  readonly grants: string[] = [];
  readonly revoked: string[] = [];
  readonly keys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  readonly #codes = new Map<string, Asked>();
  readonly #refreshTokens = new Set<string>();
  readonly #server: ReturnType<typeof createServer>;
  issuer = "";

  static readonly clientId = "console";
  static readonly clientSecret = "a secret: with/odd characters";

  private constructor(tls: ProviderCertificate | undefined) {
    const respond = (request: IncomingMessage, response: ServerResponse): void => void this.#respond(request, response);
    this.#server = tls ? createTlsServer(tls, respond) : createServer(respond);
  }

  /** Without a certificate, it listens without TLS, which an API server does not trust. */
  static async start(tls?: ProviderCertificate): Promise<SmallProvider> {
    const provider = new SmallProvider(tls);
    provider.issuer = `http${tls ? "s" : ""}://127.0.0.1:${await listenOn(provider.#server, "127.0.0.1", 0)}`;
    return provider;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeServer(this.#server);
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, location } = await this.#answer(request);
    const headers = { "content-type": "application/json", ...(location === undefined ? {} : { location }) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body?: unknown; location?: string }> {
    const url = new URL(request.url ?? "", this.issuer);
    const form = new URLSearchParams(Buffer.concat(await Array.fromAsync(request)).toString());
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return { status: 200, body: this.#discovery() };
      case "/keys": {
        const jwk = { ...this.keys.publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" };
        return { status: 200, body: { keys: [jwk] } };
      }
      case "/authorize":
        return { status: 302, location: this.#authorize(url.searchParams) };
      case "/token":
        return this.#isClient(request) ? this.#grant(form) : { status: 401, body: { error: "invalid_client" } };
      case "/revoke":
        this.revoked.push(form.get("token") ?? "");
        return { status: 200 };
      default:
        return { status: 404 };
    }
  }

  #discovery() {
    const at = (path: string): string => `${this.issuer}${path}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: at("/authorize"),
      token_endpoint: at("/token"),
      jwks_uri: at("/keys"),
      end_session_endpoint: at("/end"),
      revocation_endpoint: at("/revoke"),
    };
  }

  #isClient(request: IncomingMessage): boolean {
    const [, basic = ""] = (request.headers.authorization ?? "").split(" ");
    const parts = Buffer.from(basic, "base64").toString().split(":");
    const [id, secret] = parts.map((part) => new URLSearchParams(`x=${part}`).get("x"));
    return id === SmallProvider.clientId && secret === SmallProvider.clientSecret;
  }

  #authorize(query: URLSearchParams): string {
    const read = (name: string): string => query.get(name) ?? "";
    const back = new URL(read("redirect_uri"));
    const isAsExpected =
      read("response_type") === "code" &&
      read("client_id") === SmallProvider.clientId &&
      read("code_challenge_method") === "S256" &&
      read("scope").split(" ").includes("openid");
    if (isAsExpected) {
      const code = randomUUID();
      const asked = { nonce: read("nonce"), challenge: read("code_challenge"), redirectUri: read("redirect_uri") };
      this.#codes.set(code, asked);
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", "invalid_request");
    }
    back.searchParams.set("state", read("state"));
    return back.href;
  }

  #grant(form: URLSearchParams): { status: number; body: unknown } {
    const read = (name: string): string => form.get(name) ?? "";
    const refuse = { status: 400, body: { error: "invalid_grant" } };
    this.grants.push(read("grant_type"));
    if (read("grant_type") === "refresh_token") {
      if (this.twist.refusesRefresh || !this.#refreshTokens.delete(read("refresh_token"))) return refuse;
      return { status: 200, body: this.#tokens(undefined) };
    }
    const asked = this.#codes.get(read("code"));
    this.#codes.delete(read("code"));
    const isProved = asked?.challenge === hash("sha256", read("code_verifier"), "base64url");
    if (!asked || !isProved || asked.redirectUri !== read("redirect_uri")) return refuse;
    return { status: 200, body: this.#tokens(asked.nonce) };
  }

  #tokens(nonce: string | undefined) {
    const refreshToken = randomUUID();
    this.#refreshTokens.add(refreshToken);
    const iat = Math.floor(this.now() / 1_000);
    const claims = {
      iss: this.issuer,
      sub: this.subject,
      aud: SmallProvider.clientId,
      iat,
      exp: iat + this.lifetimeSeconds,
      groups: ["shop-team"],
      ...(nonce === undefined ? {} : { nonce }),
      ...this.twist.claims,
    };
    const signature = this.twist.signature ?? ((data: string) => signWith(this.keys.privateKey, data));
    return {
      token_type: "Bearer",
      access_token: "unused",
      refresh_token: refreshToken,
      id_token: makeJwt({ alg: "RS256", kid: "one", ...this.twist.header }, claims, signature),
    };
  }
}

export function signWith(key: KeyObject, data: string): Buffer {
  return sign("sha256", Buffer.from(data), key);
}

function makeJwt(header: object, claims: object, signature: (data: string) => Buffer): string {
  const data = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${data}.${signature(data).toString("base64url")}`;
}
