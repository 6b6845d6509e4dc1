import { expect, test } from "vitest";
import { ApiError } from "#kube";
import { grantMissingRight } from "./missing-right.ts";

function forbidden(message: string): ApiError {
  return new ApiError(message, { status: 403, reason: "Forbidden" });
}

test.each([
  {
    reason: "a right that RBAC misses",
    error: forbidden(
      'services is forbidden: User "u" cannot list resource "services" in API group "" in the namespace "n"',
    ),
    next: "grant the right: `tenon doctor --rbac --only manage --managed-namespace n` prints the Role",
  },
  { reason: "a refusal of admission", error: forbidden('pods "p" is forbidden: exceeded quota'), next: undefined },
  { reason: "another failure", error: new Error("cannot list resource"), next: undefined },
])("the command that prints the Role is named for $reason only where that helps", ({ error, next }) => {
  expect(grantMissingRight(error, "n")).toBe(next);
});
