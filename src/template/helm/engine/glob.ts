import { type Budget, compileRegexp, findFirst } from "#golang";

/**
 * The test that `.Files.Glob` makes of a path. Patterns have the syntax of gobwas/glob, which Helm uses: `*`, `**`, `?`, `[abc]`,
 * `[!a-z]`, `{a,b}` and `\`. A class holds one range or a list, and alternatives need not be closed. A pattern that is not
 * valid matches every path, as in Helm. Patterns are translated to RE2, which takes time linear in the path;
 * docs/decisions/0048-globs-by-re2.md lists the patterns for which Helm answers differently.
 */
export function compileGlob(pattern: string, budget: Budget): (path: string) => boolean {
  const [, prefix, suffix] = doubleStarBetweenTexts.exec(pattern) ?? [];
  if (prefix !== undefined && suffix !== undefined) return endsMatcher(withoutEscapes(prefix), withoutEscapes(suffix));
  const expression = translateGlob(pattern.toWellFormed());
  if (expression === undefined) return () => true;
  const regexp = compileRegexp(expression, budget);
  return (path) => findFirst(regexp, path, budget) !== undefined;
}

const doubleStarBetweenTexts = /^((?:[^\\?*[{]|\\.)+)\*\*((?:[^\\?*[{]|\\.)+)$/su;

/** In gobwas/glob the two texts may overlap, and charts rely on it: `a/**` + `/b` matches `a/b`. */
function endsMatcher(prefix: string, suffix: string): (path: string) => boolean {
  return (path) => path.startsWith(prefix) && path.endsWith(suffix);
}

/** Matches one token at every place of a pattern; a bare `[` is a class that is not valid. */
const globToken =
  /\*\*|\[(?:(?<negated>!)|(?!!))(?:(?<low>.)-(?<high>.)|(?!.-)(?<list>(?:[^\]\\]|\\.)+))\]|\\(?<escaped>.?)|./gsu;

/** `undefined` if the pattern is not valid. */
function translateGlob(pattern: string): string | undefined {
  let expression = "";
  let depth = 0;
  for (const { 0: token, groups = {} } of pattern.matchAll(globToken)) {
    const { negated, low, high, list, escaped } = groups;
    const not = negated === undefined ? "" : "^";
    if (token === "[") return undefined;
    if (token === "*") expression += "[^/]*";
    else if (token === "**") expression += "(?s:.*)";
    else if (token === "?") expression += "[^/]";
    else if (token === "{") {
      expression += "(?:";
      depth += 1;
    } else if (token === "," && depth > 0) expression += "|";
    else if (token === "}" && depth > 0) {
      expression += ")";
      depth -= 1;
    } else if (list !== undefined) expression += `[${not}${quoteMeta(withoutEscapes(list))}]`;
    else if (low !== undefined && high !== undefined) {
      if (codeOf(high) < codeOf(low)) return undefined;
      expression += `[${not}${quoteMeta(low)}-${quoteMeta(high)}]`;
    } else expression += quoteMeta(escaped ?? token);
  }
  return `\\A(?:${expression}${")".repeat(depth)})\\z`;
}

function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(.)/gsu, "$1");
}

/** RE2 takes every escaped ASCII punctuation character as itself, inside and outside of classes. */
function quoteMeta(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
