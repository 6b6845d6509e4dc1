import { isJsonObject, type JsonObject, type Logger } from "#base";
import type { Answer } from "./call-ledger.ts";
import type { StageAnswer } from "./handler.ts";
import { Rejection } from "./reject.ts";

/** Runs a handler to its answer. What it throws, unless it is a rejection, stays in the log: it may hold a secret. */
export async function runHandler(
  run: () => Promise<JsonObject | StageAnswer>,
  log: Logger,
  elapsed: () => number,
): Promise<Answer> {
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
  throw new TypeError("the handler returned something that is no JSON object");
}
