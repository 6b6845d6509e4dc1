import {
  equals,
  equalsAny,
  type FunctionSet,
  type GoFunction,
  goFunction,
  type GoValue,
  isLess,
  isTrue,
  sprint,
  sprintf,
  sprintln,
  variadicFunction,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import { escapeHtml, escapeJavaScript, escapeQuery } from "./escape.ts";
import type { MissingKey } from "./frame.ts";
import { type Expression, nodeText } from "./syntax-tree.ts";
import { indexValue, lengthOf, refuseCall, sliceValue } from "./index-value.ts";

/** `and` and `or` never get here: the compiler evaluates them as far as needed. */
const handledByCompiler = variadicFunction(["reflect"], "reflect", ([first]) => first);

function isAtMost(left: GoValue, right: GoValue): boolean {
  return isLess(left, right) || equals(left, right);
}

const common: FunctionSet = new Map([
  ["and", keepingPlace(handledByCompiler)],
  ["or", keepingPlace(handledByCompiler)],
  ["call", variadicFunction(["reflect"], "reflect", ([callee]) => refuseCall(callee))],
  ["index", keepingPlace(variadicFunction(["reflect"], "reflect", ([item, ...keys]) => indexValue(item, keys)))],
  ["slice", variadicFunction(["reflect"], "reflect", ([item, ...bounds]) => sliceValue(item, bounds))],
  [
    "len",
    keepingPlace(
      goFunction(["reflect"], ([item], { budget }) => {
        const length = lengthOf(item);
        // The keys of a map are read to be counted.
        budget.step(Number(length.value) >> 4);
        return length;
      }),
    ),
  ],
  ["not", keepingPlace(goFunction(["reflect"], ([value]) => !isTrue(value)))],
  ["print", keepingPlace(variadicFunction([], "any", (args, { budget }) => sprint(args, budget)))],
  [
    "printf",
    keepingPlace(variadicFunction(["string"], "any", ([format, ...args], { budget }) => sprintf(format, args, budget))),
  ],
  ["println", keepingPlace(variadicFunction([], "any", (args, { budget }) => sprintln(args, budget)))],
  ["eq", keepingPlace(variadicFunction(["reflect"], "reflect", ([left, ...others]) => equalsAny(left, others)))],
  ["ne", keepingPlace(goFunction(["reflect", "reflect"], ([left, right]) => !equals(left, right)))],
  ["lt", keepingPlace(goFunction(["reflect", "reflect"], ([left, right]) => isLess(left, right)))],
  ["le", keepingPlace(goFunction(["reflect", "reflect"], ([left, right]) => isAtMost(left, right)))],
  ["gt", keepingPlace(goFunction(["reflect", "reflect"], ([left, right]) => !isAtMost(left, right)))],
  ["ge", keepingPlace(goFunction(["reflect", "reflect"], ([left, right]) => !isLess(left, right)))],
]);

/** The escapers print a missing value as the template would. */
function withEscapers(absent: string): FunctionSet {
  const escaping = (escape: (text: string) => string): GoFunction =>
    variadicFunction([], "any", (args, { budget }) => {
      const shown = args.map((arg) => arg ?? absent);
      const text = sprint(shown, budget);
      const escaped = escape(text);
      // Each replaced character takes memory for a while.
      budget.make(escaped === text ? 0 : 8 * escaped.length);
      return escaped;
    });
  return new Map([
    ...common,
    ["html", escaping(escapeHtml)],
    ["js", escaping(escapeJavaScript)],
    ["urlquery", escaping(escapeQuery)],
  ]);
}

const printingNoValue = withEscapers("<no value>");
const printingNothing = withEscapers("");

/** The functions that every template has. */
export function builtins(missingKey: MissingKey = "default"): FunctionSet {
  return missingKey === "empty" ? printingNothing : printingNoValue;
}

/** Error messages of `call` name its first argument as the template writes it. */
export function callBuiltin(word: Expression | undefined): GoFunction {
  return variadicFunction(["reflect"], "reflect", ([callee]) => refuseCall(callee, word && nodeText(word)));
}
