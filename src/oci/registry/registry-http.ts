import { Readable } from "node:stream";
import { getCACertificates } from "node:tls";
import type { Agent, Dispatcher } from "undici";
import manifest from "#manifest" with { type: "json" };

/** One request as it is sent. */
export interface HttpSend {
  readonly method: Dispatcher.HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Dispatcher.ResponseData["body"];
}

/** A registry may hash a whole layer before it answers. */
const headersTimeout = 300_000;
/** The longest silence in the middle of an answer. */
const bodyTimeout = 60_000;
const connectTimeout = 15_000;
/** At once to each host. */
const connections = 16;
const userAgent = `tenon/${manifest.version}`;

/** Connections to registries and their token servers. Follows no redirects, and adds no credentials. */
export class RegistryHttp implements AsyncDisposable {
  readonly #certificateAuthority: string | undefined;
  #agent: Promise<Agent> | undefined;

  constructor(certificateAuthority: string | undefined) {
    this.#certificateAuthority = certificateAuthority;
  }

  async send({ method, url, headers, body }: HttpSend, signal: AbortSignal): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const { request } = await import("undici");
    const answer = await request(url, {
      dispatcher: await this.#open(),
      method,
      headers: { "user-agent": userAgent, ...headers },
      body: body === undefined || body instanceof Uint8Array ? (body ?? null) : Readable.from(body),
      signal,
    });
    // An error of a body that its reader has left must not end the process.
    answer.body.on("error", () => {});
    const flat: Record<string, string> = {};
    for (const [name, value] of Object.entries(answer.headers)) if (value !== undefined) flat[name] = String(value);
    return { status: answer.statusCode, headers: flat, body: answer.body };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  #open(): Promise<Agent> {
    const own = this.#certificateAuthority;
    const ca = own === undefined ? {} : { ca: [...getCACertificates("default"), own] };
    this.#agent ??= import("undici").then(
      ({ Agent: HttpAgent }) =>
        new HttpAgent({
          connect: { timeout: connectTimeout, ...ca },
          connections,
          pipelining: 1,
          allowH2: false,
          headersTimeout,
          bodyTimeout,
        }),
    );
    return this.#agent;
  }
}
