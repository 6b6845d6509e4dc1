import { isJsonObject, type JsonObject, type Logger } from "#base";
import type { CallAnswer } from "./call-ledger.ts";

/** The stages at which an apparatus is called, in the order in which they happen. */
export const stages = ["created", "coupled", "updated", "decoupled", "deleted"] as const;
export type StageName = (typeof stages)[number];

/** The call, besides its body. */
export interface Call {
  /** The same for each retry of the same call; undefined if the caller sends none. */
  readonly id: string | undefined;
  /** Aborted when the answer is no longer needed: a newer call has arrived, or the process is shutting down. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Must be idempotent: after a crash on either side, the same call comes again. */
export type Handler<Body, Answer> = (body: Body, call: Call) => Answer | Promise<Answer>;

/**
 * `coupled` and `updated` may add to the result of their side.
 * Tenon keeps a result until they return another: `{ result: {} }` removes it, returning nothing keeps it. All of it is secret.
 */
export type StageAnswer = { readonly result: Readonly<Record<string, string | number | boolean>> } | void;

/** What `reject` throws. Tenon shows the message in the status of the plug or socket. */
export class Rejection extends Error {
  override get name(): string {
    return "Rejection";
  }
}

/**
 * Ends a handler because the user must change something; the message says what, and the user sees it.
 * Tenon retries when something changed, and otherwise rarely. After any other error it retries soon.
 */
export function reject(message: string): never {
  throw new Rejection(message);
}

/** Runs a handler. An error that is not a rejection appears only in the log, because it may contain a secret. */
export async function runHandler(
  run: () => Promise<JsonObject | StageAnswer>,
  log: Logger,
  elapsed: () => number,
): Promise<CallAnswer> {
  try {
    const body = asJson(await run());
    log.info("done", { ms: elapsed() });
    return { status: 200, body };
  } catch (error) {
    if (error instanceof Rejection) {
      log.warn("rejected", { ms: elapsed(), reason: error.message });
      return { status: 422, body: { error: error.message } };
    }
    log.error("failed", { ms: elapsed(), error });
    return { status: 500, body: { error: "the apparatus failed; its log says why" } };
  }
}

/** Serialises now, so that a value that cannot be sent fails here and is logged. */
function asJson(answer: JsonObject | StageAnswer): JsonObject {
  const value = JSON.parse(JSON.stringify(answer ?? {}));
  if (isJsonObject(value)) return value;
  throw new TypeError("expected the handler to return a JSON object");
}
