import { randomUUID } from "node:crypto";
import type { Clock, JsonObject, JsonValue, Secret } from "#base";

/** One request of a check, and what came back. */
export interface Exchange {
  /** As a person would say it: `POST /coupled`. */
  readonly call: string;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** Why there was no answer. */
  readonly problem: string | undefined;
  readonly text: string;
  readonly isTooLarge: boolean;
  readonly isLate: boolean;
}

export interface ProbeOptions {
  /** Without a slash at its end. */
  readonly base: string;
  readonly timeoutMs: number;
  readonly token?: Secret;
  readonly clock: Clock;
}

export interface Question {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Text is sent as it is. */
  readonly body?: JsonObject | string;
  /** Default: a new one. */
  readonly id?: string;
}

/** What Tenon reads of an answer. */
const largestAnswer = 2 ** 20;
const pollMs = 1_000;

/** Calls an apparatus as Tenon does, and remembers all that happened. Only an interruption makes it fail. */
export class Probe {
  readonly exchanges: Exchange[] = [];
  readonly #options: ProbeOptions;

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /** Long work, answered with 202, is asked for again until it is done. */
  async ask(question: Question, signal: AbortSignal): Promise<Exchange> {
    const { clock, timeoutMs } = this.#options;
    const id = question.id ?? randomUUID();
    const end = clock.monotonic() + 10 * timeoutMs;
    for (let attempt = 1; ; attempt++) {
      const exchange = await this.#send({ ...question, id }, attempt, signal);
      if (exchange.status !== 202 || clock.monotonic() > end) return exchange;
      await clock.sleep(pollMs, signal);
    }
  }

  async #send({ method, path, body, id = "" }: Question, attempt: number, signal: AbortSignal): Promise<Exchange> {
    const { base, timeoutMs, token } = this.#options;
    const late = AbortSignal.timeout(timeoutMs);
    const nothing = { call: `${method} ${path}`, status: undefined, problem: undefined, text: "" };
    let exchange: Exchange = { ...nothing, isTooLarge: false, isLate: false };
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

/** The value of an answer; undefined if it is no JSON. No text at all is an empty object. */
export function valueOf({ text }: Exchange): JsonValue | undefined {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText({ body }: Response): Promise<Pick<Exchange, "text" | "isTooLarge">> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > largestAnswer) return { text: "", isTooLarge: true };
    parts.push(part);
  }
  return { text: Buffer.concat(parts).toString("utf8"), isTooLarge: false };
}

/** `fetch` says why only in the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Error ? cause.message : String(error);
}
