/** Where something that matches begins, and the lengths it may have there, ascending. */
export interface GlobFinding {
  readonly at: number;
  readonly lengths: readonly number[];
}

/**
 * A compiled part of a pattern. What `find` gives is part of the behaviour: Helm's library looks at the first finding only in
 * places where a later one would match, and never finds a `tree` inside another part.
 */
export interface GlobMatcher {
  readonly kind: string;
  /** How many characters it always matches; `undefined` if that varies. */
  readonly length: number | undefined;
  readonly matches: (text: string) => boolean;
  readonly find: (text: string) => GlobFinding | undefined;
}

export interface TextMatcher extends GlobMatcher {
  readonly kind: "text" | "prefix" | "suffix";
  readonly text: string;
}

/** A matcher of characters that are not among `excluded`. */
export interface ExcludingMatcher extends GlobMatcher {
  readonly kind: "any" | "super" | "single" | "list";
  readonly excluded: string;
}

export function isTextMatcher(matcher: GlobMatcher | undefined, kind: TextMatcher["kind"]): matcher is TextMatcher {
  return matcher?.kind === kind;
}

export function isExcludingMatcher(matcher: GlobMatcher | undefined): matcher is ExcludingMatcher {
  return matcher !== undefined && "excluded" in matcher;
}

export function found(at: number, lengths: readonly number[]): GlobFinding | undefined {
  return at < 0 ? undefined : { at, lengths };
}

/** All lengths from one to the other. */
export function lengthsBetween(least: number, most: number): number[] {
  return Array.from({ length: Math.max(most - least + 1, 0) }, (_, index) => least + index);
}

/** Where the first of some characters is; -1 if there is none. */
export function indexOfAny(text: string, characters: string): number {
  for (let at = 0; at < text.length; at += 1) if (characters.includes(text[at] ?? "")) return at;
  return -1;
}
