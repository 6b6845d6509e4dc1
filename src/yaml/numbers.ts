import type { Scalar } from "./resolve-scalar.ts";
import { WholeFloat } from "./whole-float.ts";

/** A scalar as JSON.parse gives it: integers beyond 2^53 are rounded, `1.0` is 1. */
export function plainScalar(value: Scalar): null | boolean | number | string {
  if (typeof value === "bigint") return Number(value);
  return value instanceof WholeFloat ? value.value : value;
}

/** A scalar as it is. */
export function exactScalar(value: Scalar): Scalar {
  return value;
}
