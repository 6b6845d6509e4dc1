import { type Logger, parseDuration } from "#base";
import { annotations } from "../kinds/names.ts";
import { describeObject } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";

/** How long an apparatus may take. */
export interface TimeLimits {
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
  log.warn("no duration; the default is used", { object: describeObject(object), annotation, value: text });
  return usualMs;
}
