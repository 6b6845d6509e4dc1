import { FunctionError, type GoObject, type GoValue, TypedNil } from "#golang";

/** The nil `map[string]interface{}`: a template sees it print as an empty map, and as null in JSON. */
export const nilMap = new TypedNil("map[string]interface {}");

/** Whether an argument for a map was nil: it is then an empty map that is frozen. */
export function isNilMap(map: GoObject): boolean {
  return Object.isFrozen(map) && Object.keys(map).length === 0;
}

/** Go's `map[key] = value`. `__proto__` is a key like others. */
export function setKey(map: GoObject, key: string, value: GoValue): void {
  if (Object.isFrozen(map)) throw new FunctionError("assignment to entry in nil map");
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  else map[key] = value;
}
