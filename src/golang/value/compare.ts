import type { Budget } from "./budget.ts";
import { compareStrings } from "./bytes.ts";
import { sprintf } from "./format.ts";
import { FunctionError } from "./go-function.ts";
import { elementsOf, kindName, typeName } from "./kind.ts";
import { mapView } from "./map-view.ts";
import { Complex, Int, Named, Struct, TypedNil } from "./typed-values.ts";
import type { GoValue } from "./value.ts";

type BasicKind = "bool" | "complex" | "float" | "int" | "string" | "uint";

function basicKind(value: GoValue): BasicKind | undefined {
  if (typeof value === "string") return "string";
  if (value instanceof Int) return value.kind.startsWith("u") ? "uint" : "int";
  if (typeof value === "number") return "float";
  if (typeof value === "boolean") return "bool";
  return value instanceof Complex ? "complex" : undefined;
}

/** What a named type is made of, which is what is compared. */
function bare(value: GoValue): GoValue {
  return value instanceof Named ? value.underlying : value;
}

function isInteger(kind: BasicKind | undefined): boolean {
  return kind === "int" || kind === "uint";
}

/** `eq left right1 right2 …` of templates: whether one of the others equals the first. */
export function equalsAny(left: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) throw new FunctionError("missing argument for comparison");
  return others.some((right) => equals(left, right));
}

/** `eq left right` of templates. Throws a `FunctionError` for what Go refuses to compare. */
export function equals(left: GoValue, right: GoValue): boolean {
  if (typeof left === "string" && typeof right === "string") return left === right;
  const a = bare(left);
  const b = bare(right);
  const kind = basicKind(a);
  const otherKind = basicKind(b);
  if (a instanceof Int && b instanceof Int) return a.value === b.value;
  if (kind !== otherKind) {
    if (isAbsent(left) || isAbsent(right)) return false;
    throw new FunctionError(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
  }
  if (a instanceof Complex && b instanceof Complex) return a.real === b.real && a.imaginary === b.imaginary;
  return kind === undefined ? equalComposites(left, right) : a === b;
}

function isAbsent(value: GoValue): boolean {
  return value === undefined || value === null;
}

function isNil(value: GoValue): boolean {
  return isAbsent(value) || bare(value) instanceof TypedNil;
}

function equalComposites(left: GoValue, right: GoValue): boolean {
  const comparable = kindName(left) === kindName(right) || isAbsent(left) || isAbsent(right);
  if (!comparable) {
    const shown = [left, typeName(left), typeName(right), right];
    throw new FunctionError(sprintf("non-comparable types %s: %v, %s: %v", shown));
  }
  if (isNil(left) || isNil(right)) return isNil(left) === isNil(right);
  if (!(right instanceof Struct))
    throw new FunctionError(sprintf("non-comparable type %s: %v", [right, typeName(right)]));
  if (left === right || right.type.startsWith("*")) return left === right;
  const { equals: isEqual } = right.details;
  if (isEqual && left instanceof Struct && left.type === right.type) return isEqual(left, "identity");
  return deepEqual(left, right);
}

/** `lt left right` of templates. */
export function isLess(left: GoValue, right: GoValue): boolean {
  const a = bare(left);
  const b = bare(right);
  const kind = basicKind(a);
  const otherKind = basicKind(b);
  if (kind === undefined || otherKind === undefined) throw new FunctionError("invalid type for comparison");
  if (kind !== otherKind && !(isInteger(kind) && isInteger(otherKind)))
    throw new FunctionError(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
  if (a instanceof Int && b instanceof Int) return a.value < b.value;
  if (typeof a === "number" && typeof b === "number") return a < b;
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b) < 0;
  throw new FunctionError("invalid type for comparison");
}

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

function equalStructs(left: Struct, right: Struct): boolean {
  const { text, equals: isEqual } = left.details;
  if (isEqual) return isEqual(right, "contents");
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
