import { randomUUID } from "node:crypto";
import type { Clock, JsonObject, JsonValue, Secret } from "#base";

/** One request of a check, and the response. */
export interface ProbeExchange {
  /** Method and path, such as `POST /coupled`. */
  readonly call: string;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** Why there was no answer. */
  readonly problem: string | undefined;
  readonly text: string;
  readonly isTooLarge: boolean;
  readonly isLate: boolean;
}

export interface ApparatusProbeOptions {
  /** Without a trailing slash. */
  readonly base: string;
  readonly timeoutMs: number;
  readonly token?: Secret;
  readonly clock: Clock;
}

export interface ProbeRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** A string is sent as it is. */
  readonly body?: JsonObject | string;
  /** Default: a new one. */
  readonly id?: string;
}

/** As much as Tenon reads of an answer. */
const largestAnswer = 2 ** 20;
const pollMs = 1_000;

/** Calls an apparatus as Tenon does, and records all exchanges. Rejects only when interrupted. */
export class ApparatusProbe {
  readonly exchanges: ProbeExchange[] = [];
  readonly #options: ApparatusProbeOptions;

  constructor(options: ApparatusProbeOptions) {
    this.#options = options;
  }

  /** Repeats a request that is answered with 202 until the work is done. */
  async ask(question: ProbeRequest, signal: AbortSignal): Promise<ProbeExchange> {
    const { clock, timeoutMs } = this.#options;
    const id = question.id ?? randomUUID();
    const end = clock.monotonic() + 10 * timeoutMs;
    for (let attempt = 1; ; attempt++) {
      const exchange = await this.#send({ ...question, id }, attempt, signal);
      if (exchange.status !== 202 || clock.monotonic() > end) return exchange;
      await clock.sleep(pollMs, signal);
    }
  }

  async #send(
    { method, path, body, id = "" }: ProbeRequest,
    attempt: number,
    signal: AbortSignal,
  ): Promise<ProbeExchange> {
    const { base, timeoutMs, token } = this.#options;
    const late = AbortSignal.timeout(timeoutMs);
    const unanswered = { call: `${method} ${path}`, status: undefined, problem: undefined, text: "" };
    let exchange: ProbeExchange = { ...unanswered, isTooLarge: false, isLate: false };
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        redirect: "manual",
        signal: AbortSignal.any([signal, late]),
        headers: {
          "content-type": "application/json",
          "x-integration-id": id,
          "x-integration-attempt": `${attempt}`,
          ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      exchange = { ...exchange, ...(await readText(response)), status: response.status };
    } catch (error) {
      const problem = late.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error);
      exchange = { ...exchange, problem, isLate: late.aborted };
    }
    signal.throwIfAborted();
    this.exchanges.push(exchange);
    return exchange;
  }
}

/** The JSON of an answer; undefined if it is not valid JSON. An empty body counts as an empty object. */
export function parseProbeAnswer({ text }: ProbeExchange): JsonValue | undefined {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText({ body }: Response): Promise<Pick<ProbeExchange, "text" | "isTooLarge">> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > largestAnswer) return { text: "", isTooLarge: true };
    parts.push(part);
  }
  return { text: Buffer.concat(parts).toString("utf8"), isTooLarge: false };
}

/** `fetch` gives the reason only in the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Error ? cause.message : String(error);
}
