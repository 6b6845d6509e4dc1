import { posix } from "node:path";
import { InputError } from "#base";
import { compilePathPattern } from "./path-pattern.ts";

/** Whether a file or directory of a chart's folder is ignored. */
export type IgnoreRule = (path: string, isDirectory: boolean) => boolean;

interface Pattern {
  readonly matches: (path: string) => boolean;
  readonly isNegated: boolean;
  readonly wantsDirectory: boolean;
}

/**
 * Reads a `.helmignore`; without one, only hidden files of `templates/` are ignored.
 * The first rule that decides wins, and a negated one ignores everything that it does NOT match, as in Helm.
 */
export function readHelmIgnore(text: string, file: string): IgnoreRule {
  const lines = [...text.replace(/^\ufeff/, "").split("\n"), "templates/.?*"];
  const patterns = lines.flatMap((line, index) => readPattern(line.trim(), `${file}:${index + 1}`) ?? []);
  return (path, isDirectory) => {
    for (const { matches, isNegated, wantsDirectory } of patterns) {
      if (wantsDirectory && !isDirectory) {
        if (isNegated) return true;
      } else if (matches(path) !== isNegated) return true;
    }
    return false;
  };
}

function readPattern(line: string, where: string): Pattern | undefined {
  if (line === "" || line.startsWith("#")) return undefined;
  if (line.includes("**")) {
    throw new InputError("** is not supported in .helmignore", { where, next: "name each level, as in a/*/*.txt" });
  }
  if (compilePathPattern(line) === undefined) {
    throw new InputError(`${JSON.stringify(line)} is not a valid pattern`, { where, next: "close its brackets" });
  }
  const isNegated = line.startsWith("!");
  const positive = isNegated ? line.slice(1) : line;
  const wantsDirectory = positive.endsWith("/");
  const pattern = wantsDirectory ? positive.slice(0, -1) : positive;
  return { matches: pathTest(pattern), isNegated, wantsDirectory };
}

/** A pattern with a slash matches the whole path, one without matches its last part. */
function pathTest(pattern: string): (path: string) => boolean {
  const test = compilePathPattern(pattern.replace(/^\//, "")) ?? (() => false);
  return pattern.includes("/") ? test : (path) => test(posix.basename(path));
}
