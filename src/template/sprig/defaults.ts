import {
  deepEqual,
  FunctionError,
  type GoFunction,
  goFunction,
  type GoValue,
  isTrue,
  kindName,
  typeName,
  variadicFunction,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";

/** Empty is what is not true in Go's sense: zero, nil, no value, and what has no elements; a struct never is. */
export function isEmpty(value: GoValue): boolean {
  return !isTrue(value);
}

/** Chooses between values, or fails. */
export const defaults: Record<string, GoFunction> = {
  default: keepingPlace(variadicFunction(["any"], "any", ([fallback, given]) => (isEmpty(given) ? fallback : given))),
  empty: keepingPlace(goFunction(["any"], ([value]) => isEmpty(value))),
  coalesce: keepingPlace(variadicFunction([], "any", (values) => values.find(isTrue) ?? null)),
  all: variadicFunction([], "any", (values) => values.every(isTrue)),
  any: variadicFunction([], "any", (values) => values.some(isTrue)),
  ternary: keepingPlace(goFunction(["any", "any", "bool"], ([yes, no, isYes]) => (isYes ? yes : no))),
  fail: goFunction(["string"], ([message]) => {
    throw new FunctionError(message);
  }),
  hello: goFunction([], () => "Hello!"),
};

/** Inspects the Go type of a value. */
export const reflection: Record<string, GoFunction> = {
  typeOf: goFunction(["any"], ([value]) => typeName(value)),
  typeIs: goFunction(["string", "any"], ([type, value]) => typeName(value) === type),
  typeIsLike: goFunction(["string", "any"], ([type, value]) => [type, `*${type}`].includes(typeName(value))),
  kindOf: goFunction(["any"], ([value]) => kindName(value)),
  kindIs: goFunction(["string", "any"], ([kind, value]) => kindName(value) === kind),
  deepEqual: goFunction(["any", "any"], ([left, right], { budget }) => deepEqual(left, right, budget)),
};
