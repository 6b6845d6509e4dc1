import { allOfMatcher, isTree, oneOfMatcher, rowMatcher, treeMatcher } from "./glob-combinations.ts";
import { factorAlternatives } from "./glob-alternatives.ts";
import { type GlobMatcher, isExcludingMatcher, isTextMatcher } from "./glob-matcher.ts";
import {
  anyMatcher,
  containingMatcher,
  lackingMatcher,
  leastMatcher,
  listMatcher,
  mostMatcher,
  nothingMatcher,
  rangeMatcher,
  singleMatcher,
  superMatcher,
} from "./glob-runs.ts";
import type { GlobNode } from "./glob-syntax.ts";
import {
  prefixAnyMatcher,
  prefixMatcher,
  prefixSuffixMatcher,
  suffixAnyMatcher,
  suffixMatcher,
  textMatcher,
} from "./glob-texts.ts";

const separator = "/";

/**
 * Compiles a pattern. How it is put together from simpler parts decides some results, so that is done as in the library that
 * Helm uses: overlapping ends match, and some alternatives never do. See https://github.com/gobwas/glob
 */
export function compileNode(node: GlobNode): GlobMatcher {
  switch (node.kind) {
    case "any":
      return anyMatcher(separator);
    case "super":
      return superMatcher;
    case "single":
      return singleMatcher(separator);
    case "nothing":
      return nothingMatcher;
    case "text":
      return textMatcher(node.text);
    case "list":
      return compileList(node.characters, node.isNegated);
    case "range":
      return rangeMatcher(node.low, node.high, node.isNegated);
    case "sequence":
      return node.children.length === 0 ? nothingMatcher : optimize(combine(shorten(node.children.map(compileNode))));
    case "alternatives":
      break;
  }
  return compileAlternatives(node.children);
}

function compileList(characters: string, isNegated: boolean): GlobMatcher {
  const isOne = Array.from(characters).length === 1 && !isNegated;
  return isOne ? textMatcher(characters) : listMatcher(characters, isNegated);
}

function compileAlternatives(alternatives: readonly GlobNode[]): GlobMatcher {
  const factored = factorAlternatives(alternatives);
  if (factored) return compileNode(factored);
  const [first, ...others] = alternatives.map(compileNode);
  return first && others.length === 0 ? first : oneOfMatcher(first ? [first, ...others] : []);
}

/** Puts a middle of fixed length, the longest and last such, between what is before and what is after it. */
function combine(matchers: readonly GlobMatcher[]): GlobMatcher {
  const [first, ...rest] = matchers;
  if (first === undefined) return nothingMatcher;
  if (rest.length === 0) return first;
  const glued = glue(matchers);
  if (glued) return glued;
  const lengths = matchers.map(({ length }) => length ?? -1);
  const longest = Math.max(...lengths);
  if (longest < 0) return treeMatcher(first, undefined, combine(rest));
  const middle = lengths.lastIndexOf(longest);
  const [before, after] = [matchers.slice(0, middle), matchers.slice(middle + 1)];
  return treeMatcher(
    matchers[middle] ?? nothingMatcher,
    before.length > 0 ? combine(before) : undefined,
    after.length > 0 ? combine(after) : undefined,
  );
}

/** Replaces neighbours that can be one by that one, the longest such stretch first. */
function shorten(matchers: readonly GlobMatcher[]): readonly GlobMatcher[] {
  let best: { matcher: GlobMatcher; from: number; to: number } | undefined;
  for (let from = 0; from < matchers.length; from += 1) {
    for (let to = matchers.length; to > from; to -= 1) {
      const matcher = glue(matchers.slice(from, to));
      if (!matcher) continue;
      const isLonger = best && (matcher.length ?? -1) > (best.matcher.length ?? Number.POSITIVE_INFINITY);
      if (!best || isLonger || best.to - best.from < to - from) best = { matcher, from, to };
    }
  }
  if (!best) return matchers;
  return shorten([...matchers.slice(0, best.from), best.matcher, ...matchers.slice(best.to)]);
}

function glue(matchers: readonly GlobMatcher[]): GlobMatcher | undefined {
  if (matchers.length <= 1) return undefined;
  return (
    glueExcluding(matchers) ?? (matchers.every(({ length }) => length !== undefined) ? rowMatcher(matchers) : undefined)
  );
}

/** `*`, `**`, `?` and `[!a]` in a row are a bound on the length, and on what may occur if all exclude the same. */
function glueExcluding(matchers: readonly GlobMatcher[]): GlobMatcher | undefined {
  if (!matchers.every(isExcludingMatcher)) return undefined;
  const excluded = matchers[0]?.excluded ?? "";
  if (matchers.some((matcher) => matcher.excluded !== excluded)) return undefined;
  const least = matchers.filter(({ length }) => length === 1).length;
  const hasRun = least < matchers.length;
  if (least === 0) return excluded === "" ? superMatcher : anyMatcher(excluded);
  if (hasRun && excluded === "") return leastMatcher(least);
  return allOfMatcher([
    leastMatcher(least),
    ...(hasRun ? [] : [mostMatcher(least)]),
    ...(excluded === "" ? [] : [lackingMatcher(excluded)]),
  ]);
}

/** A tree of text with a simple run beside it is a test of how a text begins or ends. */
function optimize(matcher: GlobMatcher): GlobMatcher {
  if (!isTree(matcher)) return matcher;
  const before = matcher.before && optimize(matcher.before);
  const after = matcher.after && optimize(matcher.after);
  const { middle } = matcher;
  if (!isTextMatcher(middle, "text")) return treeMatcher(middle, before, after);
  const { text } = middle;
  if (!before && !after) return middle;
  if (before?.kind === "super" && after?.kind === "super") return containingMatcher(text);
  if (before?.kind === "super" && !after) return suffixMatcher(text);
  if (after?.kind === "super" && !before) return prefixMatcher(text);
  if (!before && isTextMatcher(after, "suffix")) return prefixSuffixMatcher(text, after.text);
  if (!after && isTextMatcher(before, "prefix")) return prefixSuffixMatcher(before.text, text);
  if (!after && before?.kind === "any") return suffixAnyMatcher(text, separator);
  if (!before && after?.kind === "any") return prefixAnyMatcher(text, separator);
  return treeMatcher(middle, before, after);
}
