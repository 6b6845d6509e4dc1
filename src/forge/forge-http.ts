import { getCACertificates } from "node:tls";
import type { Agent, Dispatcher } from "undici";
import type { Clock, Secret } from "#base";
import manifest from "#manifest" with { type: "json" };
import { explainAnswer, type ForgeAnswer, type ForgeCall, ForgeError } from "./forge-error.ts";

export interface ForgeHttpOptions {
  /** Where the API begins, such as `https://gitea.example/api/v1`. */
  readonly api: string;
  /** The header that carries the token, and what stands before it there. */
  readonly authorization: { readonly header: string; readonly prefix: string; readonly token: Secret };
  /** In PEM, beside those that Node knows. */
  readonly certificateAuthority?: string | undefined;
  readonly clock: Pick<Clock, "now">;
}

export interface ForgeRequest extends ForgeCall {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** Statuses beside 200 to 299 that the caller can use. */
  readonly accepts?: readonly number[];
}

export interface ForgeResponse extends ForgeAnswer {
  /** Undefined if the answer is empty. */
  readonly body: unknown;
}

const largestAnswer = 8 * 2 ** 20;

/** JSON over HTTP to one forge. Follows no redirects, so that the token reaches no other host. */
export class ForgeHttp implements AsyncDisposable {
  readonly #options: ForgeHttpOptions;
  #agent: Promise<Agent> | undefined;

  constructor(options: ForgeHttpOptions) {
    this.#options = options;
  }

  get token(): Secret {
    return this.#options.authorization.token;
  }

  async call(request: ForgeRequest, signal: AbortSignal): Promise<ForgeResponse> {
    signal.throwIfAborted();
    const { authorization, api, clock } = this.#options;
    const url = new URL(`${api}${request.path}`);
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, String(value));
    const { request: send } = await import("undici");
    const headers: Record<string, string> = {
      accept: "application/json",
      "user-agent": `tenon/${manifest.version}`,
      [authorization.header]: `${authorization.prefix}${authorization.token.reveal()}`,
    };
    if (request.body !== undefined) headers["content-type"] = "application/json";
    const answer = await send(url, {
      dispatcher: await this.#open(),
      method: request.method,
      headers,
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal,
    }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new ForgeError(`${request.where}: cannot ${request.what}: the forge does not answer`, { cause });
    });
    const text = await readText(answer.body, request);
    const flat: Record<string, string> = {};
    for (const [name, value] of Object.entries(answer.headers)) if (value !== undefined) flat[name] = String(value);
    const status = answer.statusCode;
    if ((status < 200 || status > 299) && !request.accepts?.includes(status)) {
      throw explainAnswer(request, { status, headers: flat, text }, clock.now());
    }
    return { status, headers: flat, text, body: parse(text, request) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  #open(): Promise<Agent> {
    this.#agent ??= openForgeAgent(this.#options.certificateAuthority);
    return this.#agent;
  }
}

/** Connections to one forge. A certificate authority in PEM is trusted beside those that Node knows. */
export async function openForgeAgent(certificateAuthority: string | undefined): Promise<Agent> {
  const { Agent: HttpAgent } = await import("undici");
  const own = certificateAuthority;
  const ca = own === undefined ? {} : { ca: [...getCACertificates("default"), own] };
  return new HttpAgent({ connect: { timeout: 15_000, ...ca }, connections: 4, pipelining: 1, allowH2: false });
}

async function readText(body: Dispatcher.ResponseData["body"], { where, what }: ForgeCall): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > largestAnswer) throw new ForgeError(`${where}: cannot ${what}: the answer is larger than 8 MiB`);
      chunks.push(bytes);
    }
  } catch (cause) {
    if (cause instanceof ForgeError) throw cause;
    throw new ForgeError(`${where}: cannot ${what}: the answer broke off`, { cause });
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string, { where, what }: ForgeCall): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ForgeError(`${where}: cannot ${what}: the answer is not JSON`, { cause });
  }
}
