import { type RE2JS, RE2JS as engine, RE2JSSyntaxException } from "re2js";
import { type Budget, LimitError } from "../value/budget.ts";
import { FunctionError } from "../value/go-function.ts";
import { type TranslatedPattern, translatePattern } from "./translate-pattern.ts";

/** Offsets of a match and of its groups in the text: start, end, start of the first group, … -1 for a group that took no part. */
export type MatchOffsets = readonly number[];

/** Beyond these an expression would take seconds and megabytes to compile. */
const longestPattern = 100_000;
const largestProgram = 50_000;
const mostStoredPlaces = 1_000_000;
const mostUnicodeClasses = 300;

const unanchored = 0;

/** A regular expression of Go's, matched in time linear in the text. Unicode classes are those of Unicode 17, where Go has 15. */
export class GoRegexp {
  /** The names of the groups by their numbers. */
  readonly groupNames: readonly string[];
  readonly pattern: string;
  readonly size: number;
  readonly #engine: ReturnType<RE2JS["re2"]>;

  constructor(pattern: string) {
    if (pattern.length > longestPattern) throw new LimitError(tooLarge);
    if (!pattern.isWellFormed()) throw explainBadByte(pattern);
    const translated = translatePattern(pattern);
    checkSize(translated);
    this.pattern = pattern;
    this.size = translated.size;
    this.groupNames = translated.groupNames;
    this.#engine = compile(pattern, translated);
  }

  /** The leftmost match that begins at `start` or later; the text before counts for `^` and `\b`. */
  matchAt(text: string, start: number, groupCount: number): MatchOffsets | undefined {
    // Without a place to store, the engine would build an automaton of up to 8 MB, and keep it.
    const [found, offsets] = this.#engine.matchWithGroup(text, start, text.length, unanchored, groupCount);
    return found === true ? offsets : undefined;
  }

  /** Before a search: what it may cost at most. */
  charge(text: string, budget: Budget): void {
    budget.step(1 + Math.floor((text.length * this.size) / 8));
  }

  /** After each of many matches: the searches for them may each go through all the text. */
  chargeMatch(text: string, budget: Budget): void {
    budget.step(1 + Math.floor((text.length * this.size) / 16_384));
  }
}

const tooLarge = "uses a regular expression that is too large";

function checkSize({ size, groupNames, unicodeClasses }: TranslatedPattern): void {
  const isTooLarge = size > largestProgram || size * groupNames.length > mostStoredPlaces;
  if (isTooLarge || unicodeClasses > mostUnicodeClasses) throw new LimitError(tooLarge);
}

function compile(pattern: string, { text, original }: TranslatedPattern): ReturnType<RE2JS["re2"]> {
  try {
    return engine.compile(text).re2();
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const problem = error.getDescription();
    const piece = problem.startsWith("trailing backslash") ? "" : error.getPattern();
    throw new PatternError(problem, piece === null ? pattern : original(piece));
  }
}

/** What is wrong with a pattern, and the piece of it that is. */
class PatternError extends FunctionError {
  readonly problem: string;
  readonly piece: string;

  constructor(problem: string, piece: string) {
    super(`error parsing regexp: ${problem}: \`${piece}\``);
    this.problem = problem;
    this.piece = piece;
  }
}

/** Stands for a byte that is not UTF-8; Unicode will never give it a meaning. */
const standIn = "\u{10ffff}";

/** Go reads from left to right: what is wrong before a bad byte, by itself, is found before it. */
function explainBadByte(pattern: string): PatternError {
  const at = pattern.search(/\p{Surrogate}/u);
  const begin = pattern.slice(0, at) + standIn;
  try {
    compile(begin, translatePattern(begin));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    if (error.problem === "unexpected )") return new PatternError(error.problem, pattern);
    const isUnfinished = error.problem.startsWith("missing closing") || error.piece.includes(standIn);
    if (!isUnfinished) return error;
  }
  return new PatternError("invalid UTF-8", pattern.slice(at));
}

const mostInstructions = 100_000;

/** What was compiled lately, oldest use first; the memory it takes grows with the sizes. */
const compiled = new Map<string, GoRegexp>();
let instructions = 0;

/** Go's `regexp.Compile`. Throws a `FunctionError` with Go's text. */
export function compileRegexp(pattern: string, budget: Budget): GoRegexp {
  const known = compiled.get(pattern);
  if (known !== undefined) {
    compiled.delete(pattern);
    compiled.set(pattern, known);
    return known;
  }
  budget.step(100 + 4 * pattern.length);
  const regexp = new GoRegexp(pattern);
  budget.step(4 * regexp.size);
  compiled.set(pattern, regexp);
  instructions += regexp.size + pattern.length;
  for (const [oldest, { size }] of compiled) {
    if (instructions <= mostInstructions) break;
    compiled.delete(oldest);
    instructions -= size + oldest.length;
  }
  return regexp;
}

/** Go's `FindStringIndex`. */
export function findFirst(regexp: GoRegexp, text: string, budget: Budget): MatchOffsets | undefined {
  regexp.charge(text, budget);
  return regexp.matchAt(text.toWellFormed(), 0, 1);
}

/** Go's `FindAllStringIndex`: at most `limit` matches, none overlapping, no empty one right behind another. */
export function* findAll(regexp: GoRegexp, text: string, limit: number, budget: Budget): Generator<MatchOffsets> {
  // A byte that is not UTF-8 matches as U+FFFD, which takes as much place as the surrogate that stands for it.
  const searched = text.toWellFormed();
  regexp.charge(text, budget);
  let previousEnd = -1;
  let count = 0;
  for (let at = 0; count < limit && at <= searched.length; ) {
    const offsets = regexp.matchAt(searched, at, 1);
    if (offsets === undefined) return;
    const [start = 0, end = 0] = offsets;
    const isRepeated = end === at && start === previousEnd;
    at = end === at ? at + widthAt(searched, at) : end;
    previousEnd = end;
    if (isRepeated) continue;
    yield offsets;
    count += 1;
    regexp.chargeMatch(text, budget);
  }
}

/** In UTF-16; at the end one goes past it. */
export function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
