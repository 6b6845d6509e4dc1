/** What one place of a pattern accepts: any run within a path segment, or one character. */
type Part = "run" | ((character: string) => boolean);

/**
 * A test for paths by a shell pattern as Go's `filepath.Match` reads it: `*` and `?` stop at slashes, `[a-z]` and `[^a-z]`
 * are classes, `\` escapes. `undefined` if the pattern is malformed.
 */
export function compilePathPattern(pattern: string): ((path: string) => boolean) | undefined {
  const parts = readParts(Array.from(pattern));
  return parts && ((path) => matches(parts, Array.from(path)));
}

function readParts(pattern: readonly string[]): readonly Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at] ?? "";
    if (character === "[") {
      const end = readClass(pattern, at + 1, parts);
      if (end === undefined) return undefined;
      at = end;
      continue;
    }
    if (character === "*") parts.push("run");
    else if (character === "?") parts.push((other) => other !== "/");
    else {
      const literal = character === "\\" ? pattern[++at] : character;
      if (literal === undefined) return undefined;
      parts.push((other) => other === literal);
    }
    at += 1;
  }
  return parts;
}

/** Reads what follows `[`, and gives the place after its `]`. */
function readClass(pattern: readonly string[], begin: number, parts: Part[]): number | undefined {
  const isNegated = pattern[begin] === "^";
  const ranges: [string, string][] = [];
  for (let at = isNegated ? begin + 1 : begin; ; ) {
    if (pattern[at] === "]" && ranges.length > 0) {
      parts.push((other) => ranges.some(([low, high]) => isBetween(other, low, high)) !== isNegated);
      return at + 1;
    }
    const low = readMember(pattern, at);
    if (low === undefined) return undefined;
    const high = pattern[low.end] === "-" ? readMember(pattern, low.end + 1) : low;
    if (high === undefined) return undefined;
    ranges.push([low.character, high.character]);
    at = high.end;
  }
}

function readMember(pattern: readonly string[], at: number): { character: string; end: number } | undefined {
  if (pattern[at] === "-" || pattern[at] === "]") return undefined;
  const place = pattern[at] === "\\" ? at + 1 : at;
  const character = pattern[place];
  // A class that ends with the pattern has no closing bracket.
  return character === undefined || place + 1 >= pattern.length ? undefined : { character, end: place + 1 };
}

function isBetween(character: string, low: string, high: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code >= (low.codePointAt(0) ?? 0) && code <= (high.codePointAt(0) ?? 0);
}

/** Runs take as little as possible, and more only when what follows them fails: one retry point is enough. */
function matches(parts: readonly Part[], path: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let retry: { part: number; at: number } | undefined;
  while (at < path.length || part < parts.length) {
    const expected = parts[part];
    if (expected === "run") {
      retry = { part: part + 1, at };
      part += 1;
      continue;
    }
    const character = path[at];
    if (expected !== undefined && character !== undefined && expected(character)) {
      part += 1;
      at += 1;
      continue;
    }
    const skipped = retry && path[retry.at];
    if (retry === undefined || skipped === undefined || skipped === "/") return false;
    retry.at += 1;
    ({ part, at } = retry);
  }
  return true;
}
