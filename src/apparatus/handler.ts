import { isJsonObject, type JsonObject, type Logger } from "#base";
import type { CallAnswer } from "./call-ledger.ts";

/** The stages that an apparatus is called for, in the order of a life. */
export const stages = ["created", "coupled", "updated", "decoupled", "deleted"] as const;
export type StageName = (typeof stages)[number];

/** What a handler knows of the call besides its body. */
export interface Call {
  /** The same for each try of the same thing; undefined if the caller gives none. */
  readonly id: string | undefined;
  /** Aborted when nobody waits for the handler any more: something newer was asked for, or the process ends. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Must be idempotent: after a crash on either side, the same call comes again. */
export type Handler<Body, Answer> = (body: Body, call: Call) => Answer | Promise<Answer>;

/**
 * `coupled` and `updated` may add to the result of their side; mostly there is nothing to say.
 * What they give is kept until they give another: `{ result: {} }` takes it back, nothing leaves it. All of it is secret.
 */
export type StageAnswer = { readonly result: Readonly<Record<string, string | number | boolean>> } | void;

/** What `reject` throws. The message is shown to whoever made the plug or the socket. */
export class Rejection extends Error {
  override get name(): string {
    return "Rejection";
  }
}

/**
 * Ends a handler because the user must change something; the message says what, and is shown to them.
 * Tenon tries again when something changed, and seldom otherwise. Anything else that is thrown is tried again soon.
 */
export function reject(message: string): never {
  throw new Rejection(message);
}

/** Runs a handler to its answer. What it throws, unless it is a rejection, stays in the log: it may hold a secret. */
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

/** By way of JSON now, so that what cannot be sent fails here and is logged. */
function asJson(answer: JsonObject | StageAnswer): JsonObject {
  const value = JSON.parse(JSON.stringify(answer ?? {}));
  if (isJsonObject(value)) return value;
  throw new TypeError("expected the handler to return a JSON object");
}
