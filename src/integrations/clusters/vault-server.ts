import type { Agent } from "undici";
import { type Clock, InputError, isJsonObject, type JsonObject, type JsonValue, type Secret, systemClock } from "#base";
import { backoffMs } from "#kube";

/** How to prove to Vault who we are. */
export type VaultLogin =
  | { readonly token: Secret }
  | {
      readonly roleId: string;
      readonly secretId: Secret;
      /** Where AppRole is enabled; default `approle`. */
      readonly mount?: string | undefined;
    };

export interface VaultOptions {
  /** Like `https://vault.example.com:8200`. */
  readonly address: string;
  readonly login: VaultLogin;
  /** A namespace of Vault Enterprise or OpenBao. */
  readonly namespace?: string | undefined;
  /** PEM of who signed the server's certificate; default: the CAs that Node trusts. */
  readonly certificateAuthority?: string | undefined;
  /** The longest silence of the server; default 30 s. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

export interface VaultRequest {
  readonly method: "GET" | "POST";
  /** Below `/v1/`, encoded. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly token?: Secret | undefined;
}

export interface VaultReply {
  readonly status: number;
  readonly body: JsonObject;
  /** What Vault says is wrong. */
  readonly errors: readonly string[];
}

const attempts = 4;
const waits = { shortestMs: 500, longestMs: 5_000 };
/** 472 and 473 are standby nodes that cannot forward: https://developer.hashicorp.com/vault/api-docs/system/health */
const busy: ReadonlySet<number> = new Set([412, 429, 472, 473, 500, 502, 503, 504]);

/** Calls Vault's HTTP API: https://developer.hashicorp.com/vault/api-docs. All our calls may be repeated. */
export class VaultServer {
  readonly address: string;
  readonly #options: VaultOptions;
  #dispatcher: Promise<Agent> | undefined;

  constructor(options: VaultOptions) {
    if (!URL.canParse(options.address) || !/^https?:$/.test(new URL(options.address).protocol)) {
      throw new InputError("the Vault address is not a URL", {
        where: options.address,
        next: "write it like https://vault.example.com:8200",
      });
    }
    this.address = options.address.replace(/\/+$/, "");
    this.#options = options;
  }

  /** Resolves with any answer of Vault; rejects when there was none after several attempts. */
  async call(request: VaultRequest, signal: AbortSignal): Promise<VaultReply> {
    const { clock = systemClock, random = Math.random } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#callOnce(request, signal);
      if (!(outcome instanceof Error) && !busy.has(outcome.status)) return outcome;
      if (attempt === attempts) throw this.#failure(outcome);
      await clock.sleep(backoffMs(attempt, waits, random), signal);
    }
  }

  async #callOnce({ method, path, body, token }: VaultRequest, signal: AbortSignal): Promise<VaultReply | Error> {
    signal.throwIfAborted();
    const { namespace, timeoutMs = 30_000 } = this.#options;
    const { request } = await import("undici");
    try {
      const answer = await request(`${this.address}/v1/${path}`, {
        dispatcher: await this.#agent(),
        method,
        headers: {
          // Proof against requests that a browser or a proxy was made to send.
          "x-vault-request": "true",
          ...(token ? { "x-vault-token": token.reveal() } : {}),
          ...(namespace === undefined ? {} : { "x-vault-namespace": namespace }),
          ...(body ? { "content-type": "application/json" } : {}),
        },
        body: body ? JSON.stringify(body) : null,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal,
      });
      return readReply(answer.statusCode, await answer.body.text());
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #agent(): Promise<Agent> {
    const { certificateAuthority: ca, timeoutMs = 30_000 } = this.#options;
    this.#dispatcher ??= import("undici").then(
      (undici) => new undici.Agent({ connect: { timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) } }),
    );
    return this.#dispatcher;
  }

  #failure(outcome: VaultReply | Error): Error {
    const where = this.address;
    if (outcome instanceof Error) return new Error(`${where}: Vault does not answer`, { cause: outcome });
    const { status, errors } = outcome;
    const isSealed = status === 503 && errors.some((text) => text.includes("sealed"));
    return new Error(`${where}: Vault answers ${status}${isSealed ? " because it is sealed" : ""}`);
  }
}

function readReply(status: number, text: string): VaultReply {
  let body: JsonValue = {};
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    // Not Vault's own answer: a proxy before it, say. The status has to do.
  }
  const known = isJsonObject(body) ? body : {};
  const errors = Array.isArray(known["errors"]) ? known["errors"].filter((item) => typeof item === "string") : [];
  return { status, body: known, errors };
}
