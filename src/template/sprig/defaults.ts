import { FunctionError, type GoFunction, goFunction, type GoValue, isTrue, variadicFunction } from "#golang";

/** Empty is what is no truth: zero, nil, no value, and what has no elements; a struct never is. */
export function isEmpty(value: GoValue): boolean {
  return !isTrue(value);
}

/** Chooses between values, and gives up. */
export const defaults: Record<string, GoFunction> = {
  default: variadicFunction(["any"], "any", ([fallback, given]) => (isEmpty(given) ? fallback : given)),
  empty: goFunction(["any"], ([value]) => isEmpty(value)),
  coalesce: variadicFunction([], "any", (values) => values.find(isTrue) ?? null),
  all: variadicFunction([], "any", (values) => values.every(isTrue)),
  any: variadicFunction([], "any", (values) => values.some(isTrue)),
  ternary: goFunction(["any", "any", "bool"], ([yes, no, isYes]) => (isYes ? yes : no)),
  fail: goFunction(["string"], ([message]) => {
    throw new FunctionError(message);
  }),
  hello: goFunction([], () => "Hello!"),
};
