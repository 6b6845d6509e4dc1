import { LeastRecentlyUsed } from "#base";
import { parseGlob, GlobError } from "./glob-syntax.ts";
import { compileNode } from "./glob-compiler.ts";

const compiled = new LeastRecentlyUsed<string, (path: string) => boolean>(256);

/** The test that `.Files.Glob` makes of a pattern. A pattern that cannot be read matches everything, as in Helm. */
export function compileGlob(pattern: string): (path: string) => boolean {
  return compiled.get(pattern, () => {
    try {
      return compileNode(parseGlob(pattern)).matches;
    } catch (error) {
      if (error instanceof GlobError) return () => true;
      throw error;
    }
  });
}
