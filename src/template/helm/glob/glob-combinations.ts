import type { GlobFinding, GlobMatcher } from "./glob-matcher.ts";

/** One of several. Among the findings, those that begin first count, with all their lengths. */
export function oneOfMatcher(matchers: readonly GlobMatcher[]): GlobMatcher {
  const lengths = matchers.map(({ length }) => length);
  // Those of unknown length do not count if they come first.
  const known = lengths.slice(lengths.findIndex((length) => length !== undefined));
  return {
    kind: "one-of",
    length: known.every((length) => length === known[0]) ? known[0] : undefined,
    matches: (text) => matchers.some((matcher) => matcher.matches(text)),
    find: (text) => {
      const findings = matchers.flatMap((matcher) => matcher.find(text) ?? []);
      if (findings.length === 0) return undefined;
      const at = Math.min(...findings.map((finding) => finding.at));
      const sizes = new Set(findings.filter((finding) => finding.at === at).flatMap((finding) => finding.lengths));
      return { at, lengths: [...sizes].toSorted((a, b) => a - b) };
    },
  };
}

/** All of several, over the same text. */
export function allOfMatcher(matchers: readonly GlobMatcher[]): GlobMatcher {
  return {
    kind: "all-of",
    length: undefined,
    matches: (text) => matchers.every((matcher) => matcher.matches(text)),
    // What is combined this way always finds at the beginning.
    find: (text) => {
      let lengths: readonly number[] | undefined;
      for (const matcher of matchers) {
        const finding = matcher.find(text);
        if (!finding) return undefined;
        lengths = lengths?.filter((length) => finding.lengths.includes(length)) ?? finding.lengths;
        if (lengths.length === 0) return undefined;
      }
      return lengths && { at: 0, lengths };
    },
  };
}

/** Several of fixed length, one after the other. */
export function rowMatcher(matchers: readonly GlobMatcher[]): GlobMatcher {
  const length = matchers.reduce((sum, matcher) => sum + (matcher.length ?? 0), 0);
  const begins = (text: string): boolean => {
    let at = 0;
    return matchers.every((matcher) => {
      const size = matcher.length || text.length - at;
      const part = text.slice(at, at + size);
      at += size;
      return part.length === size && matcher.matches(part);
    });
  };
  return {
    kind: "row",
    length,
    matches: (text) => text.length === length && begins(text),
    find: (text) => {
      for (let at = 0; at < text.length && text.length - at >= length; at += 1) {
        if (begins(text.slice(at))) return { at, lengths: [length] };
      }
      return undefined;
    },
  };
}

export interface TreeMatcher extends GlobMatcher {
  readonly middle: GlobMatcher;
  readonly before: GlobMatcher | undefined;
  readonly after: GlobMatcher | undefined;
}

export function isTree(matcher: GlobMatcher): matcher is TreeMatcher {
  return "middle" in matcher;
}

/** A middle, and what stands before and after it. It is never found inside another part. */
export function treeMatcher(
  middle: GlobMatcher,
  before: GlobMatcher | undefined,
  after: GlobMatcher | undefined,
): TreeMatcher {
  const isBefore = (text: string) => (before ? before.matches(text) : text === "");
  const isAfter = (text: string) => (after ? after.matches(text) : text === "");
  const parts = [before ? before.length : 0, middle.length, after ? after.length : 0];
  const length = parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0);
  return {
    kind: "tree",
    middle,
    before,
    after,
    length,
    matches: (text) => {
      if (length !== undefined && length > text.length) return false;
      const end = text.length - (after?.length ?? 0);
      for (let offset = before?.length ?? 0; offset < end; ) {
        const finding: GlobFinding | undefined = middle.find(text.slice(offset, end));
        if (!finding) return false;
        const at = offset + finding.at;
        if (isBefore(text.slice(0, at)) && finding.lengths.some((size) => isAfter(text.slice(at + size)))) return true;
        offset = at + 1;
      }
      return false;
    },
    find: () => undefined,
  };
}
