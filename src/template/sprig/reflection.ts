import { deepEqual, type GoFunction, goFunction, kindName, typeName } from "#golang";

/** Asks what a value is to Go. */
export const reflection: Record<string, GoFunction> = {
  typeOf: goFunction(["any"], ([value]) => typeName(value)),
  typeIs: goFunction(["string", "any"], ([type, value]) => typeName(value) === type),
  typeIsLike: goFunction(["string", "any"], ([type, value]) => [type, `*${type}`].includes(typeName(value))),
  kindOf: goFunction(["any"], ([value]) => kindName(value)),
  kindIs: goFunction(["string", "any"], ([kind, value]) => kindName(value) === kind),
  deepEqual: goFunction(["any", "any"], ([left, right], { budget }) => deepEqual(left, right, budget)),
};
