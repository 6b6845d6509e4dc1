import { type ExcludingMatcher, found, type GlobMatcher, indexOfAny, lengthsBetween } from "./glob-matcher.ts";

/** Anything. */
export const superMatcher: ExcludingMatcher = {
  kind: "super",
  excluded: "",
  length: undefined,
  matches: () => true,
  find: (text) => ({ at: 0, lengths: lengthsBetween(0, text.length) }),
};

/** The empty text. */
export const nothingMatcher: GlobMatcher = {
  kind: "nothing",
  length: 0,
  matches: (text) => text === "",
  find: () => ({ at: 0, lengths: [0] }),
};

/** Any run without the excluded characters. */
export function anyMatcher(excluded: string): ExcludingMatcher {
  return {
    kind: "any",
    excluded,
    length: undefined,
    matches: (text) => indexOfAny(text, excluded) < 0,
    find: (text) => {
      const end = indexOfAny(text, excluded);
      return { at: 0, lengths: lengthsBetween(0, end < 0 ? text.length : end) };
    },
  };
}

/** One character that passes a test. */
function characterMatcher(kind: string, accepts: (character: string) => boolean): GlobMatcher {
  return {
    kind,
    length: 1,
    // No character at all counts as one that is in no list.
    matches: (text) => Array.from(text).length <= 1 && accepts(text),
    find: (text) => {
      let at = 0;
      for (const character of text) {
        if (accepts(character)) return found(at, [character.length]);
        at += character.length;
      }
      return undefined;
    },
  };
}

export function singleMatcher(excluded: string): ExcludingMatcher {
  const accepts = (character: string) => character === "" || !excluded.includes(character);
  return { ...characterMatcher("single", accepts), kind: "single", excluded };
}

export function listMatcher(characters: string, isNegated: boolean): GlobMatcher | ExcludingMatcher {
  const members = new Set(characters);
  const matcher = characterMatcher("list", (character) => members.has(character) !== isNegated);
  return isNegated ? { ...matcher, kind: "list", excluded: characters } : matcher;
}

export function rangeMatcher(low: string, high: string, isNegated: boolean): GlobMatcher {
  const [least, most] = [codeOf(low), codeOf(high)];
  return characterMatcher("range", (character) => {
    return (codeOf(character) >= least && codeOf(character) <= most) !== isNegated;
  });
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? -1;
}

/** At least so many characters. */
export function leastMatcher(least: number): GlobMatcher {
  return {
    kind: "least",
    length: undefined,
    matches: (text) => text.length >= least,
    find: (text) => (text.length < least ? undefined : { at: 0, lengths: lengthsBetween(least, text.length) }),
  };
}

/** At most so many characters. */
export function mostMatcher(most: number): GlobMatcher {
  return {
    kind: "most",
    length: undefined,
    matches: (text) => text.length <= most,
    find: (text) => ({ at: 0, lengths: lengthsBetween(0, Math.min(most, text.length)) }),
  };
}

/** Text somewhere in the middle. */
export function containingMatcher(needle: string): GlobMatcher {
  return {
    kind: "containing",
    length: undefined,
    matches: (text) => text.includes(needle),
    find: (text) => {
      const at = text.indexOf(needle);
      return at < 0 ? undefined : { at: 0, lengths: lengthsBetween(at + needle.length, text.length) };
    },
  };
}

/** Anything without a certain text. */
export function lackingMatcher(needle: string): GlobMatcher {
  return {
    kind: "lacking",
    length: undefined,
    matches: (text) => !text.includes(needle),
    find: (text) => {
      const at = text.indexOf(needle);
      return { at: 0, lengths: lengthsBetween(0, at < 0 ? text.length : at) };
    },
  };
}
