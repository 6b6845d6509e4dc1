import { InputError, isJsonObject, type JsonObject, type JsonValue, type Redact } from "#base";
import type { Stage } from "../../kinds/index.ts";
import { redactRemoteText } from "../transport/redact-remote-text.ts";
import { findResultProblem } from "./apparatus-answers.ts";
import type { ApparatusAnswer } from "../transport/apparatus-request.ts";

/** The meaning of an answer. */
type Verdict =
  | { readonly kind: "done"; readonly body: JsonObject }
  /** The work goes on; ask again with the same id. */
  | { readonly kind: "later"; readonly afterMs: number }
  | { readonly kind: "failed"; readonly error: Error };

/** The apparatus answered that the request is wrong: a retry is pointless until something changes. */
export class ApparatusRefusal extends InputError {}

const shortestPauseMs = 250;
const longestPauseMs = 60_000;
const usualPauseMs = 2_000;
/** 4xx codes that mean "retry later". */
const passing = new Set([408, 425, 429]);

/** `url` is shown as it is; `redact` masks the waiter's secrets in the text of the apparatus. */
export function judgeAnswer(
  { event, url, sentBytes }: { readonly event: Stage | "config"; readonly url: string; readonly sentBytes: number },
  { status, headers, body }: ApparatusAnswer,
  now: number,
  redact: Redact,
): Verdict {
  if (status === 202) return { kind: "later", afterMs: pauseOf(headers["retry-after"], now) };
  const what = `${event === "config" ? "config" : `event ${event}`} failed with ${status} status from POST ${url}`;
  if (status >= 500 || passing.has(status)) return { kind: "failed", error: new Error(what) };
  if (status === 413) {
    const next = `the body of the call has ${sentBytes} bytes; raise the limit of the apparatus for request bodies`;
    return { kind: "failed", error: new ApparatusRefusal(`${what}${wordsOf(body, redact)}`, { next }) };
  }
  if (status >= 400) return { kind: "failed", error: new ApparatusRefusal(`${what}${wordsOf(body, redact)}`) };
  if (status >= 300) {
    const next = "redirects are not followed; set the endpoint to the final URL";
    return { kind: "failed", error: new ApparatusRefusal(what, { next }) };
  }
  if (event === "config") return readConfig(url, body);
  return event === "coupled" || event === "updated" ? readResult(event, url, body) : { kind: "done", body: {} };
}

/** Apparatuses that do not know results may answer anything: only a `result` that is an object counts. */
function readResult(event: Stage, url: string, body: string): Verdict {
  const result = parse(body)?.["result"];
  if (!isJsonObject(result)) return { kind: "done", body: {} };
  const problem = findResultProblem(result);
  if (problem === undefined) return { kind: "done", body: { result } };
  const error = new ApparatusRefusal(`event ${event} failed: POST ${url} answered with a result ${problem}`, {
    next: "make the apparatus answer with a smaller result, or with none",
  });
  return { kind: "failed", error };
}

function readConfig(url: string, body: string): Verdict {
  if (body.trim() === "") return { kind: "done", body: {} };
  const answer = parse(body);
  if (answer !== undefined) return { kind: "done", body: answer };
  const error = new ApparatusRefusal(`POST ${url} answered with a body that is not a JSON object`, {
    next: "make the apparatus answer with an object of keys and values, at least {}",
  });
  return { kind: "failed", error };
}

function parse(body: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(body);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The reason of a refusal, from the fields that our SDK uses; nothing else of a body is ever shown. */
function wordsOf(body: string, redact: Redact): string {
  const answer = parse(body);
  return redactRemoteText(answer?.["message"] ?? answer?.["error"], redact);
}

/** Seconds or a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function pauseOf(text: string | undefined, now: number): number {
  const askedMs = text === undefined ? Number.NaN : /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(askedMs) ? usualPauseMs : Math.min(Math.max(askedMs, shortestPauseMs), longestPauseMs);
}
