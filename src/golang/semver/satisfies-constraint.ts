import { FunctionError } from "../value/go-function.ts";
import { parseConstraint, satisfies } from "./constraint-3.ts";
import { parseVersion } from "./version.ts";

/** Helm's `IsCompatibleRange`: what is no version, or no constraint, does not fit. */
export function satisfiesConstraint(version: string, constraint: string): boolean {
  try {
    return satisfies(parseConstraint(constraint), parseVersion(version));
  } catch (error) {
    if (error instanceof FunctionError) return false;
    throw error;
  }
}
