import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { ApiError, FieldConflictError } from "#kube";
import { explainFailure } from "./explain-failure.ts";

const value = "hunter22";

function invalid(causes: readonly { field: string; reason: string; message: string }[]): ApiError {
  const message = causes.map((cause) => `${cause.field}: ${cause.message}`).join();
  return new ApiError(message, { status: 422, reason: "Invalid", details: { causes } });
}

describe("a refused Secret", () => {
  test.each<{ reason: string; error: unknown; body?: unknown; told: string }>([
    {
      reason: "what is required",
      error: invalid([{ field: "data[tls.crt]", reason: "FieldValueRequired", message: "Required value" }]),
      told: "REDACTED (422 Invalid): data[tls.crt] FieldValueRequired",
    },
    {
      reason: "what is invalid, without the quotation",
      error: invalid([{ field: "data[a]", reason: "FieldValueInvalid", message: `Invalid value: "${value}": no` }]),
      told: "REDACTED (422 Invalid): data[a] FieldValueInvalid",
    },
    {
      reason: "fields that there are none of",
      error: new InputError(
        "the object does not fit its schema: .dataa: field not declared in schema, .immutable: expected boolean",
      ),
      told: "REDACTED: .dataa: field not declared in schema, .immutable: expected boolean",
    },
    {
      reason: "which value is not encoded, which the server does not say",
      error: new InputError("the object does not fit its schema: illegal base64 data at input byte 3"),
      body: { data: { good: "aGk=", wrapped: "aGk=\n", bad: `not base64 ${value}`, number: 5 } },
      told: "REDACTED: illegal base64 data at input byte 3, data.bad is not base64, data.number is not base64",
    },
    {
      reason: "the other manager of a field",
      error: new FieldConflictError(
        "Secret a/b",
        [{ manager: "other", field: ".data.a" }],
        new ApiError(value, { status: 409, reason: "Conflict" }),
      ),
      told: "Secret a/b: other field managers own fields that differ: .data.a (other) (owned by other); leave these fields out, or remove them from the other managers",
    },
    {
      reason: "nothing of texts that are not known to be harmless",
      error: new ApiError(`admission webhook: ${value} is weak`, { status: 400, reason: "BadRequest" }),
      told: "REDACTED (400 BadRequest)",
    },
    { reason: "nothing of other errors", error: new Error(value), told: "REDACTED" },
  ])("tells $reason", ({ error, body, told }) => {
    expect(explainFailure(error, { kind: "Secret", body }).reason).toBe(told);
  });
});

test("of other kinds, the server's words, as far as people read", () => {
  const error = new ApiError("x".repeat(5000), { status: 422, reason: "Invalid" });
  expect(explainFailure(error, { kind: "ConfigMap" }).reason).toMatch(/^x{600}… \(shortened\)$/);
});
