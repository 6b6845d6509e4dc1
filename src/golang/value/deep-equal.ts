import type { Budget } from "./budget.ts";
import { elementsOf, typeName } from "./kind.ts";
import { mapView } from "./map-view.ts";
import { Complex, Int, Named, Struct, TypedNil } from "./typed-values.ts";
import type { GoValue } from "./value.ts";

/** Go's `reflect.DeepEqual`: the same type and the same contents. A nil slice does not equal an empty one. */
export function deepEqual(left: GoValue, right: GoValue, budget?: Budget): boolean {
  budget?.step();
  if (left === right) return !Number.isNaN(left);
  if (isAbsent(left) || isAbsent(right)) return isAbsent(left) && isAbsent(right);
  if (typeof left !== "object" || typeof right !== "object" || typeName(left) !== typeName(right)) return false;
  if (left instanceof Int && right instanceof Int) return left.value === right.value;
  if (left instanceof Complex && right instanceof Complex)
    return left.real === right.real && left.imaginary === right.imaginary;
  if (left instanceof TypedNil || right instanceof TypedNil)
    return left instanceof TypedNil && right instanceof TypedNil;
  if (left instanceof Named && right instanceof Named) return deepEqual(left.underlying, right.underlying, budget);
  if (left instanceof Struct && right instanceof Struct) return equalStructs(left, right);
  return equalElements(left, right, budget) ?? equalMaps(left, right, budget);
}

function isAbsent(value: GoValue): boolean {
  return value === undefined || value === null;
}

function equalStructs(left: Struct, right: Struct): boolean {
  const { text, equals } = left.details;
  if (equals) return equals(right, "contents");
  const fields = Object.entries(left.allFields);
  if (fields.length > 0) return fields.every(([name, field]) => deepEqual(field, right.allFields[name]));
  return text !== undefined && text() === right.details.text?.();
}

function equalElements(left: GoValue, right: GoValue, budget: Budget | undefined): boolean | undefined {
  const elements = elementsOf(left);
  const others = elementsOf(right);
  if (!elements || !others) return undefined;
  return (
    elements.length === others.length && elements.every((element, index) => deepEqual(element, others[index], budget))
  );
}

function equalMaps(left: GoValue, right: GoValue, budget: Budget | undefined): boolean {
  const map = mapView(left);
  const other = mapView(right);
  if (!map || !other || map.size() !== other.size()) return false;
  return map.keys().every((key) => other.has(key) && deepEqual(map.get(key), other.get(key), budget));
}
