import type { Budget } from "../value/budget.ts";
import type { GoRegexp, MatchPlaces } from "./go-regexp.ts";

/** Go's `FindStringIndex`. */
export function findFirst(regexp: GoRegexp, text: string, budget: Budget): MatchPlaces | undefined {
  regexp.charge(text, budget);
  return regexp.matchAt(text.toWellFormed(), 0, 1);
}

/** Go's `FindAllStringIndex`: at most `limit` matches, none overlapping, no empty one right behind another. */
export function* findAll(regexp: GoRegexp, text: string, limit: number, budget: Budget): Generator<MatchPlaces> {
  // A byte that is no UTF-8 matches as U+FFFD, which takes as much place as the surrogate that stands for it.
  const searched = text.toWellFormed();
  regexp.charge(text, budget);
  let previousEnd = -1;
  let count = 0;
  for (let at = 0; count < limit && at <= searched.length; ) {
    const places = regexp.matchAt(searched, at, 1);
    if (places === undefined) return;
    const [start = 0, end = 0] = places;
    const isRepeated = end === at && start === previousEnd;
    at = end === at ? at + widthAt(searched, at) : end;
    previousEnd = end;
    if (isRepeated) continue;
    yield places;
    count += 1;
    regexp.chargeMatch(text, budget);
  }
}

/** In UTF-16; at the end one goes past it. */
export function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
