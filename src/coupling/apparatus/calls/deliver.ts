import { type Clock, HeldSecrets, type JsonObject, type Logger, parseDuration, type Redact } from "#base";
import { backoffMs } from "#kube";
import type { ApparatusMetrics } from "../../coupling-metrics.ts";
import { annotations, describeObject, type Plug, type Socket, type Stage } from "../../kinds/index.ts";
import { type ApparatusAnswer, NoAnswerError, type Send } from "../transport/apparatus-request.ts";
import { judgeAnswer } from "./judge-answer.ts";
import type { TokenSource } from "./token-source.ts";

/** One call, until it has a final answer. */
interface Delivery {
  readonly event: Stage | "config";
  /** For messages. */
  readonly url: string;
  /** The path, such as `/socket/coupled`. */
  readonly path: string;
  readonly body: JsonObject;
  readonly id: string;
  /** Masks the waiter's secrets in texts of the apparatus. */
  readonly redact: Redact;
  readonly limits: TimeLimits;
  readonly send: Send;
  /** The number of the next request with this id. */
  readonly nextAttempt: () => number;
}

interface DeliveryDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly token: TokenSource;
  readonly metrics: ApparatusMetrics;
}

const transportRetries = 3;
const pauses = { shortestMs: 100, longestMs: 2_000 };

/** Resolves to the answer of the apparatus. A request may arrive twice, with the same id. */
export async function deliver(delivery: Delivery, deps: DeliveryDeps, signal: AbortSignal): Promise<JsonObject> {
  const { event, url, limits } = delivery;
  const { clock } = deps;
  const body = JSON.stringify(delivery.body);
  const sentBytes = Buffer.byteLength(body);
  const started = clock.monotonic();
  const shown = new HeldSecrets();
  const redact: Redact = (text) => delivery.redact(shown.redact(text));
  let hasRenewed = false;
  for (;;) {
    const answer = await persist(delivery, body, shown, deps, signal);
    deps.metrics.answered(event, String(answer.status));
    if (answer.status === 401 && !hasRenewed) {
      hasRenewed = true;
      deps.token.renew();
      continue;
    }
    const verdict = judgeAnswer({ event, url, sentBytes }, answer, clock.now(), redact);
    if (verdict.kind === "done") return verdict.body;
    if (verdict.kind === "failed") throw verdict.error;
    if (clock.monotonic() - started + verdict.afterMs > limits.workMs) {
      throw new Error(`${nameOf(event)} was accepted, but not finished within ${limits.workMs / 1000} s: POST ${url}`);
    }
    await clock.sleep(verdict.afterMs, signal);
  }
}

/** Retries until there is any answer. */
async function persist(
  { event, url, path, id, limits, send, nextAttempt }: Delivery,
  body: string,
  shown: HeldSecrets,
  { clock, random, token, metrics }: DeliveryDeps,
  signal: AbortSignal,
): Promise<ApparatusAnswer> {
  for (let failures = 0; ; ) {
    const authorization = await token.current(signal);
    if (authorization) shown.hold([authorization]);
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      "x-integration-id": id,
      "x-integration-attempt": String(nextAttempt()),
      ...(authorization === undefined ? {} : { authorization: `Bearer ${authorization.reveal()}` }),
    };
    const sent = clock.monotonic();
    let last: NoAnswerError;
    try {
      return await send({ method: "POST", path, headers, body }, limits.answerMs, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NoAnswerError)) throw error;
      last = error;
    } finally {
      metrics.took(event, (clock.monotonic() - sent) / 1000);
    }
    metrics.answered(event, last.isTimeout ? "timeout" : "error");
    failures++;
    // Without its cause, which may contain addresses that users must not see.
    if (last.isTimeout || failures > transportRetries) {
      throw new Error(`${nameOf(event)} failed: ${last.message}, from POST ${url}`);
    }
    await clock.sleep(backoffMs(failures, pauses, random), signal);
  }
}

function nameOf(event: Stage | "config"): string {
  return event === "config" ? "config" : `event ${event}`;
}

/** How long an apparatus may take. */
interface TimeLimits {
  /** To answer. */
  readonly answerMs: number;
  /** To finish what it answered 202 to. */
  readonly workMs: number;
}

interface Limit {
  readonly annotation: string;
  readonly usualMs: number;
  readonly longestMs: number;
}

const answer = { annotation: annotations.apparatusTimeout, usualMs: 60_000, longestMs: 10 * 60_000 };
const work = { annotation: annotations.apparatusDeadline, usualMs: 60 * 60_000, longestMs: 24 * 60 * 60_000 };

export function timeLimitsOf(object: Plug | Socket, log: Logger): TimeLimits {
  return { answerMs: limitOf(answer, object, log), workMs: limitOf(work, object, log) };
}

function limitOf({ annotation, usualMs, longestMs }: Limit, object: Plug | Socket, log: Logger): number {
  const text = object.metadata.annotations?.[annotation];
  if (text === undefined) return usualMs;
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return Math.min(ms, longestMs);
  log.warn("not a valid duration; using the default", { object: describeObject(object), annotation, value: text });
  return usualMs;
}
