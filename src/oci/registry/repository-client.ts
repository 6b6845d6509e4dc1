import { type Clock, InputError, type Secret } from "#base";
import { hopProblem, type HopRules } from "./hop-check.ts";
import { formatRepository, type RepositoryName } from "./image-reference.ts";
import { answerError, readRetryAfter, RegistryError, type RequestSubject } from "./registry-error.ts";
import type { HttpAnswer, RegistryHttp } from "./registry-http.ts";
import type { RegistryAuthorizer } from "./registry-token.ts";

export type RepositoryActions = "pull" | "pull,push";

export interface RepositoryRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "PATCH" | "DELETE";
  /** Below the repository, like `manifests/v1`; or an address that the registry gave. */
  readonly at: string | URL;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent once: its request is not repeated. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Statuses that the caller handles; for others the promise rejects. */
  readonly accepts: readonly number[];
  /** More than the largest body that is read; default 4 MiB, which is what registries accept as a manifest. */
  readonly largestBody?: number;
  /** For `open` alone: chunks of the answer share memory, and each is valid until the next one is asked for. */
  readonly isLarge?: boolean;
}

interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the answer came from, against which `Location` is resolved. */
  readonly url: URL;
}

export interface RepositoryAnswer extends AnswerHead {
  readonly body: Buffer;
}

export interface OpenedAnswer extends AnswerHead {
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface RepositoryClientOptions {
  readonly name: RepositoryName;
  /** Scheme and host of the registry's API. */
  readonly origin: URL;
  readonly actions: RepositoryActions;
  /** What a token is asked for: `repository:acme/web:pull`. */
  readonly scopes: readonly string[];
  readonly http: RegistryHttp;
  readonly authorizer: RegistryAuthorizer;
  readonly rules: HopRules;
  readonly helper: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

const mostRedirects = 5;
const mostRetries = 4;
const longestWaitMs = 60_000;
const manifestBytes = 4 * 2 ** 20;
const busy: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Sends requests about one repository: signs in when asked, follows redirects without credentials, retries what may pass. */
export class RepositoryClient {
  readonly name: RepositoryName;
  readonly #options: RepositoryClientOptions;

  constructor(options: RepositoryClientOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** The repository's full name, with a tag or digest. */
  describe(reference?: string): string {
    const separator = reference?.includes(":") ? "@" : ":";
    return `${formatRepository(this.name)}${reference === undefined ? "" : `${separator}${reference}`}`;
  }

  /** Sends a request and reads the whole answer. */
  send(request: RepositoryRequest, signal: AbortSignal): Promise<RepositoryAnswer> {
    return this.#retrying(
      request,
      async () => {
        const { answer, url } = await this.#follow(request, signal);
        const body = await readAll(answer, request.largestBody ?? manifestBytes, this.describe());
        return { status: answer.status, headers: answer.headers, body, url };
      },
      signal,
    );
  }

  /** Sends a request and resolves with the head of its answer; a failure of the body is left to the reader. */
  async open(request: RepositoryRequest, signal: AbortSignal): Promise<OpenedAnswer> {
    return await this.#retrying(
      request,
      async () => {
        const { answer, url } = await this.#follow(request, signal);
        if (request.accepts.includes(answer.status)) {
          return { status: answer.status, headers: answer.headers, url, chunks: answer.body };
        }
        const body = await readAll(answer, manifestBytes, this.describe());
        throw this.#failure(request, { status: answer.status, headers: answer.headers, body, url });
      },
      signal,
    );
  }

  /** How long to wait after so many failures; half of it is random, so that clients do not retry together. */
  backoff(failures: number): number {
    return Math.min(5_000, 250 * 2 ** failures) * (0.5 + this.#options.random() / 2);
  }

  /** Waits as long as `error` asks, or as `backoff` says; false if that is too long. */
  async pause(error: unknown, failures: number, signal: AbortSignal): Promise<boolean> {
    const asked = error instanceof RegistryError ? error.retryAfterMs : undefined;
    if (asked !== undefined && asked > longestWaitMs) return false;
    await this.#options.clock.sleep(asked ?? this.backoff(failures), signal);
    return true;
  }

  async #retrying<Answer extends AnswerHead>(
    request: RepositoryRequest,
    attempt: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const isStream = request.body !== undefined && !(request.body instanceof Uint8Array);
    for (let failures = 0; ; failures++) {
      let error: unknown;
      try {
        const answer = await attempt();
        if (request.accepts.includes(answer.status)) return answer;
        error = this.#failure(request, answer);
      } catch (thrown) {
        signal.throwIfAborted();
        error = thrown;
      }
      if (isStream || failures === mostRetries || !mayPass(error)) throw error;
      if (!(await this.pause(error, failures, signal))) throw error;
    }
  }

  #failure(request: RepositoryRequest, { status, headers, url, body }: AnswerHead & { body?: Buffer }): Error {
    const location = headers["location"];
    if (status >= 300 && status < 400 && location !== undefined) {
      const what =
        request.method === "GET" || request.method === "HEAD" ? "too many redirects" : "a write is redirected";
      return new RegistryError(`${this.#subject(request).where}: ${what}, at ${url.origin}`, { status });
    }
    const retryAfterMs = readRetryAfter(headers["retry-after"], this.#options.clock.now());
    return answerError(this.#subject(request), { status, text: body?.toString() ?? "", retryAfterMs });
  }

  #subject({ at }: RepositoryRequest): RequestSubject {
    const { actions, authorizer, helper, name } = this.#options;
    const [, reference] = typeof at === "string" ? (/^(?:manifests|blobs|referrers)\/([^/]+)$/.exec(at) ?? []) : [];
    return {
      where: this.describe(reference),
      actions,
      registry: name.registry,
      credential: authorizer.credential,
      helper,
    };
  }

  async #follow(request: RepositoryRequest, signal: AbortSignal): Promise<{ answer: HttpAnswer; url: URL }> {
    const { origin, rules } = this.#options;
    let url = this.#address(request);
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#authorized(request, url, signal);
      const location = answer.headers["location"];
      const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined;
      const mayFollow = request.method === "GET" || request.method === "HEAD";
      if (!isRedirect || !mayFollow || redirects === mostRedirects) return { answer, url };
      answer.body.destroy();
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const problem = next ? hopProblem(origin, next, rules) : "it is not a URL";
      if (next === undefined || problem !== undefined) {
        throw new RegistryError(
          `${this.describe()}: refused to follow a redirect to ${next?.origin ?? "another address"}: ${problem}`,
        );
      }
      url = next;
    }
  }

  #address({ at, query = {} }: RepositoryRequest): URL {
    const { origin, name, rules } = this.#options;
    const url = typeof at === "string" ? new URL(`/v2/${name.repository}/${at}`, origin) : new URL(at);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    // Behind a proxy that ends TLS, a registry may write addresses of its own without it.
    if (url.protocol === "http:" && origin.protocol === "https:" && url.hostname === origin.hostname) {
      url.protocol = "https:";
      url.port = origin.port;
    }
    const problem = hopProblem(origin, url, rules);
    if (problem === undefined) return url;
    throw new RegistryError(`${this.describe()}: refused to upload to ${url.origin}: ${problem}`);
  }

  /** Credentials go to the registry alone, never to a host that it redirects to. */
  async #authorized(request: RepositoryRequest, url: URL, signal: AbortSignal): Promise<HttpAnswer> {
    const { origin, authorizer, scopes } = this.#options;
    const isOwn = url.origin === origin.origin;
    const subject = this.#subject(request);
    let presented = isOwn ? await authorizer.header(subject, scopes, signal) : undefined;
    let hasRenewed = false;
    for (;;) {
      const answer = await this.#sendOnce(request, url, presented, signal);
      if (!isOwn || answer.status !== 401 || hasRenewed) return answer;
      // A registry asks for credentials first; a token that it knows no longer is renewed once.
      hasRenewed = presented !== undefined;
      const asked = answer.headers["www-authenticate"] ?? "";
      const next = await authorizer.respond(asked, presented, subject, scopes, signal);
      if (next === undefined) return answer;
      answer.body.destroy();
      if (request.body !== undefined && !(request.body instanceof Uint8Array)) {
        throw new RegistryError(`${subject.where}: the token expired during an upload`);
      }
      presented = next;
    }
  }

  async #sendOnce(
    { method, headers = {}, body, isLarge }: RepositoryRequest,
    url: URL,
    presented: Secret | undefined,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const authorization = presented === undefined ? {} : { authorization: presented.reveal() };
    try {
      return await this.#options.http.send(
        { method, url, headers: { ...headers, ...authorization }, body, isLarge },
        signal,
      );
    } catch (cause) {
      signal.throwIfAborted();
      // What fails while a body is read from another registry is not a failure of this one.
      if (cause instanceof RegistryError || cause instanceof InputError) throw cause;
      throw new RegistryError(`${this.describe()}: no answer from ${url.origin}: ${reasonOf(cause)}`, {
        next: adviceFor(cause, url),
        cause,
      });
    }
  }
}

/** Failures that another attempt may not see: no answer, and answers of a registry that is busy. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof RegistryError)) return false;
  return error.status === undefined ? error.cause !== undefined : busy.has(error.status);
}

async function readAll({ body }: HttpAnswer, largest: number, where: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body) {
      const bytes = Buffer.from(part);
      size += bytes.length;
      if (size > largest)
        throw new RegistryError(`${where}: the answer has more than ${largest} bytes`, { status: 413 });
      parts.push(bytes);
    }
  } catch (cause) {
    if (cause instanceof RegistryError) throw cause;
    throw new RegistryError(`${where}: the answer broke off: ${reasonOf(cause)}`, { cause });
  }
  return Buffer.concat(parts, size);
}

export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return cause.message || code || cause.name;
}

function adviceFor(cause: unknown, url: URL): string {
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
  if (/^(EPROTO|ERR_SSL_)/.test(code)) {
    return `if the registry has no TLS, allow plain http for ${url.host}`;
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    return "if the registry's certificate is signed by a CA of your own, give that CA";
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `check the name ${url.hostname}, and this machine's DNS`;
  return "check that the registry is running and can be reached, then run again";
}
