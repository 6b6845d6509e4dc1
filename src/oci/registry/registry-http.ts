import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { Agent, Dispatcher } from "undici";
import manifest from "#manifest" with { type: "json" };
import { connectTimeout, headersTimeout, silenceTimeout } from "./http-timeouts.ts";
import { sendStream } from "./send-stream.ts";
import { plainHeaders, streamAnswer } from "./stream-answer.ts";

/** One request as it is sent. */
export interface HttpSend {
  readonly method: Dispatcher.HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a stream, a chunk is used no longer when the next one is asked for. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Whether the answer may be large: its chunks then share memory, and each is valid until the next one is asked for. */
  readonly isLarge?: boolean | undefined;
}

/** A request on a connection of its own. */
export interface StreamTarget extends Pick<HttpSend, "method" | "url" | "headers"> {
  readonly secureContext: SecureContext | undefined;
}

export interface AnswerBody extends AsyncIterable<Uint8Array> {
  /** Reads no more of it. */
  destroy(): void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
}

/** At once to each host. */
const connections = 16;
const userAgent = `tenon/${manifest.version}`;

/** Connections to registries and their token servers. Follows no redirects, and adds no credentials. */
export class RegistryHttp implements AsyncDisposable {
  readonly #certificateAuthority: string | undefined;
  #secureContext: SecureContext | undefined;
  #agent: Promise<Agent> | undefined;

  constructor(certificateAuthority: string | undefined) {
    this.#certificateAuthority = certificateAuthority;
  }

  async send({ method, url, headers: own, body, isLarge }: HttpSend, signal: AbortSignal): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const headers = { "user-agent": userAgent, ...own };
    const target = { method, url, headers };
    if (body !== undefined && !(body instanceof Uint8Array)) return sendStream(this.#secured(target), body, signal);
    if (isLarge) return streamAnswer(this.#secured(target), signal);
    const { request } = await import("undici");
    const answer = await request(url, {
      dispatcher: await this.#open(),
      method,
      headers,
      body: body ?? null,
      signal,
    });
    // An error of a body that its reader has left must not end the process.
    answer.body.on("error", () => {});
    return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: answer.body };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  #trusted(): { readonly ca?: string[] } {
    const own = this.#certificateAuthority;
    return own === undefined ? {} : { ca: [...getCACertificates("default"), own] };
  }

  /** Made once, because reading more than a hundred certificates takes as long as many requests. */
  #secured(target: Omit<StreamTarget, "secureContext">): StreamTarget {
    if (this.#certificateAuthority !== undefined) this.#secureContext ??= createSecureContext(this.#trusted());
    return { ...target, secureContext: this.#secureContext };
  }

  #open(): Promise<Agent> {
    this.#agent ??= import("undici").then(
      ({ Agent: HttpAgent }) =>
        new HttpAgent({
          connect: { timeout: connectTimeout, ...this.#trusted() },
          connections,
          pipelining: 1,
          allowH2: false,
          headersTimeout,
          bodyTimeout: silenceTimeout,
        }),
    );
    return this.#agent;
  }
}
