import {
  type Budget,
  type CallContext,
  canBackquote,
  compileRegexp,
  findAll,
  findFirst,
  FunctionError,
  type GoFunction,
  goFunction,
  type GoRegexp,
  type GoValue,
  quote,
  replaceAll,
  replaceAllLiteral,
  Slice,
  TypedNil,
} from "#golang";

/** What a function does with its expression; its `must` variant differs in how it fails on an invalid one. */
type Compile = (pattern: string, budget: Budget) => GoRegexp;

/** Go's regular expressions. */
export const regexes: Record<string, GoFunction> = {
  regexMatch: goFunction(["string", "string"], ([pattern, text], { budget }) => {
    try {
      return matches(compileRegexp(pattern, budget), text, budget);
    } catch (error) {
      if (error instanceof FunctionError) return false;
      throw error;
    }
  }),
  mustRegexMatch: goFunction(["string", "string"], ([pattern, text], { budget }) =>
    matches(compileRegexp(pattern, budget), text, budget),
  ),
  regexFind: find(compileOrPanic),
  mustRegexFind: find(compileRegexp),
  regexFindAll: findEach(compileOrPanic),
  mustRegexFindAll: findEach(compileRegexp),
  regexReplaceAll: replacing(compileOrPanic, replaceAll),
  mustRegexReplaceAll: replacing(compileRegexp, replaceAll),
  regexReplaceAllLiteral: replacing(compileOrPanic, replaceAllLiteral),
  mustRegexReplaceAllLiteral: replacing(compileRegexp, replaceAllLiteral),
  regexSplit: split(compileOrPanic),
  mustRegexSplit: split(compileRegexp),
  regexQuoteMeta: goFunction(["string"], ([text]) => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, "\\$&")),
};

/** Go's `regexp.MustCompile`, which panics with a text that repeats the expression. */
function compileOrPanic(pattern: string, budget: Budget): GoRegexp {
  try {
    return compileRegexp(pattern, budget);
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    const quoted = canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern);
    throw new FunctionError(`regexp: Compile(${quoted}): ${error.message}`);
  }
}

function matches(regexp: GoRegexp, text: string, budget: Budget): boolean {
  return findFirst(regexp, text, budget) !== undefined;
}

function find(compile: Compile): GoFunction {
  return goFunction(["string", "string"], ([pattern, text], { budget }) => {
    const found = findFirst(compile(pattern, budget), text, budget);
    return found === undefined ? "" : text.slice(found[0], found[1]);
  });
}

function findEach(compile: Compile): GoFunction {
  return goFunction(["string", "string", "int"], ([pattern, text, limit], { budget }) => {
    const found: string[] = [];
    for (const [start, end] of findAll(compile(pattern, budget), text, limitOf(limit), budget))
      found.push(text.slice(start, end));
    return found.length === 0 ? noStrings : new Slice("string", found);
  });
}

function replacing(compile: Compile, replace: typeof replaceAll): GoFunction {
  return goFunction(["string", "string", "string"], ([pattern, text, replacement], { budget }) =>
    replace(compile(pattern, budget), text, replacement, budget),
  );
}

function split(compile: Compile): GoFunction {
  return goFunction(["string", "string", "int"], ([pattern, text, limit], context) =>
    splitBy(compile(pattern, context.budget), text, limitOf(limit), context),
  );
}

const noStrings = new TypedNil("[]string");

function limitOf(limit: bigint): number {
  return limit < 0n ? Infinity : Number(limit);
}

/** Go's `Split`: an empty match at the beginning gives no piece, and the rest is one unless the last match began at the end. */
function splitBy(regexp: GoRegexp, text: string, limit: number, { budget }: CallContext): GoValue {
  if (limit === 0) return noStrings;
  if (regexp.pattern !== "" && text === "") return new Slice("string", [""]);
  const pieces: string[] = [];
  let pieceStart = 0;
  let lastStart = 0;
  for (const [start = 0, end = 0] of findAll(regexp, text, limit, budget)) {
    if (pieces.length === limit - 1) break;
    lastStart = start;
    if (end !== 0) pieces.push(text.slice(pieceStart, start));
    pieceStart = end;
  }
  if (lastStart !== text.length) pieces.push(text.slice(pieceStart));
  return new Slice("string", pieces);
}
