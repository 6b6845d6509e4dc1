import {
  type Budget,
  Bytes,
  FunctionError,
  type GoFunction,
  goFunction,
  GoMap,
  type GoValue,
  isGoObject,
  Named,
  newMap,
  checkDepth,
  Slice,
  Struct,
  type Version,
  versionValue,
  versionValue1,
} from "#golang";

/** Copies maps and lists at every depth. */
export const deepCopying = copying(versionValue);

/** The same among the values of sprig 2.22. */
export const plugDeepCopying = copying(versionValue1);

const noVersion: Version = { major: 0n, minor: 0n, patch: 0n, prerelease: "", metadata: "", original: "" };

function copying(toVersionValue: (version: Version) => Struct): Record<string, GoFunction> {
  const deepCopy = goFunction(["any"], ([value], { budget }) => {
    if (value === null || value === undefined)
      throw new FunctionError("reflect: call of reflect.Value.Type on zero Value");
    return copyOf(value, budget, 0);
  });

  function copyOf(value: GoValue, budget: Budget, depth: number): GoValue {
    budget.step();
    checkDepth(depth);
    const copy = (part: GoValue): GoValue => copyOf(part, budget, depth + 1);
    if (Array.isArray(value)) return value.map(copy);
    if (value instanceof Slice) return new Slice(value.element, value.items.map(copy));
    if (value instanceof Bytes) return new Bytes(value.bytes.slice());
    if (value instanceof GoMap)
      return new GoMap(value.key, value.element, new Map([...value.entries].map(([key, part]) => [key, copy(part)])));
    if (value instanceof Named) return new Named(value.type, copy(value.underlying), value.methods, value.text);
    // Go cannot copy fields that are not exported, and a version has no others.
    if (value instanceof Struct && value.type === "*semver.Version") return toVersionValue(noVersion);
    return isGoObject(value) ? newMap(Object.entries(value).map(([key, part]) => [key, copy(part)])) : value;
  }

  return { deepCopy, mustDeepCopy: deepCopy };
}
