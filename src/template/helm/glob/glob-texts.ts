import { found, type GlobMatcher, indexOfAny, lengthsBetween, type TextMatcher } from "./glob-matcher.ts";

export function textMatcher(text: string): TextMatcher {
  return {
    kind: "text",
    text,
    length: Array.from(text).length,
    matches: (other) => other === text,
    find: (other) => found(other.indexOf(text), [text.length]),
  };
}

/** Text, then anything. */
export function prefixMatcher(text: string): TextMatcher {
  return {
    kind: "prefix",
    text,
    length: undefined,
    matches: (other) => other.startsWith(text),
    find: (other) => {
      const at = other.indexOf(text);
      return found(at, lengthsBetween(text.length, other.length - at));
    },
  };
}

/** Anything, then text. */
export function suffixMatcher(text: string): TextMatcher {
  return {
    kind: "suffix",
    text,
    length: undefined,
    matches: (other) => other.endsWith(text),
    find: (other) => {
      const at = other.indexOf(text);
      return at < 0 ? undefined : { at: 0, lengths: [at + text.length] };
    },
  };
}

/** Text at both ends. The two may overlap: `a/**` + `/b` matches `a/b`, as it does in Helm. */
export function prefixSuffixMatcher(prefix: string, suffix: string): GlobMatcher {
  return {
    kind: "prefix-suffix",
    length: undefined,
    matches: (text) => text.startsWith(prefix) && text.endsWith(suffix),
    find: (text) => {
      const at = text.indexOf(prefix);
      if (at < 0 || at >= text.length) return undefined;
      const lengths: number[] = [];
      for (let rest = text.slice(at); ; ) {
        const end = rest.lastIndexOf(suffix);
        if (end < 0) break;
        lengths.unshift(end + suffix.length);
        rest = rest.slice(0, end);
      }
      return lengths.length > 0 ? { at, lengths } : undefined;
    },
  };
}

/** Text, then anything without a slash. */
export function prefixAnyMatcher(text: string, excluded: string): GlobMatcher {
  return {
    kind: "prefix-any",
    length: undefined,
    matches: (other) => other.startsWith(text) && indexOfAny(other.slice(text.length), excluded) < 0,
    find: (other) => {
      const at = other.indexOf(text);
      const rest = other.slice(at + text.length);
      const end = indexOfAny(rest, excluded);
      return found(at, lengthsBetween(text.length, text.length + (end < 0 ? rest.length : end)));
    },
  };
}

/** Anything without a slash, then text. */
export function suffixAnyMatcher(text: string, excluded: string): GlobMatcher {
  return {
    kind: "suffix-any",
    length: undefined,
    matches: (other) => other.endsWith(text) && indexOfAny(other.slice(0, other.length - text.length), excluded) < 0,
    find: (other) => {
      const end = other.indexOf(text);
      if (end < 0) return undefined;
      const before = other.slice(0, end);
      const at = 1 + Math.max(-1, ...Array.from(excluded, (character) => before.lastIndexOf(character)));
      return { at, lengths: [end + text.length - at] };
    },
  };
}
