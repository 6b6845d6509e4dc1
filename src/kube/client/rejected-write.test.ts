import { describe, expect, it } from "vitest";
import { ConflictError, describeError, InputError } from "#base";
import { FieldConflictError } from "./field-conflict-error.ts";
import { readApiError } from "../transport/read-status.ts";
import { explainRejectedWrite } from "./rejected-write.ts";

/** What the transport makes of a Status as the server sends it. */
function apiError(code: number, message: string, details?: object) {
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, message, details });
  const request = { method: "PATCH", path: "/api/v1/namespaces/shop/secrets/a" } as const;
  return readApiError({ status: code, body }, request, "dev");
}

describe("explainRejectedWrite", () => {
  it("names each manager and its fields", () => {
    const cause = apiError(409, "Apply failed with 3 conflicts", {
      causes: [
        { reason: "FieldManagerConflict", message: 'conflict with "helm" using v1', field: ".data.b" },
        {
          reason: "FieldManagerConflict",
          message: 'conflict with "kubectl-edit" with subresource "status" using v1 at 2026-01-01T00:00:00Z',
          field: ".data.c",
        },
        { reason: "FieldManagerConflict", message: 'conflict with "helm" using v1', field: ".data.a" },
      ],
    });
    const error = explainRejectedWrite(cause, "Secret shop/a");
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toBeInstanceOf(FieldConflictError);
    expect(error).toMatchObject({
      name: "ConflictError",
      owner: "helm, kubectl-edit",
      cause,
      conflicts: [
        { manager: "helm", field: ".data.b" },
        { manager: "kubectl-edit", field: ".data.c" },
        { manager: "helm", field: ".data.a" },
      ],
    });
    expect(String(error)).toContain(
      "Secret shop/a: other field managers own fields that differ: .data.a, .data.b (helm); .data.c (kubectl-edit)",
    );
  });

  it.each([
    {
      reason: "strict decoding",
      error: apiError(
        400,
        'Secret in version "v1" cannot be handled as a Secret: strict decoding error: unknown field "dataa", unknown field "spec.x"',
      ),
      faults: 'unknown field "dataa", unknown field "spec.x"',
    },
    {
      reason: "a patch, for which the server repeats the whole object",
      error: apiError(
        422,
        String.raw` "" is invalid: patch: Invalid value: "{\"data\":{\"a\":\"hunter22\"}}": strict decoding error: unknown field "dataa"`,
        {
          causes: [{ reason: "FieldValueInvalid", message: "hunter22", field: "patch" }],
        },
      ),
      faults: 'unknown field "dataa"',
    },
    {
      reason: "a patch that makes the wrong type",
      error: apiError(
        422,
        String.raw` "" is invalid: patch: Invalid value: "{\"data\":\"hunter22\"}": json: cannot unmarshal string into Go struct field Secret.data of type map[string][]uint8`,
      ),
      faults: "json: cannot unmarshal string into Go struct field Secret.data of type map[string][]uint8",
    },
    {
      reason: "the wrong type on creation",
      error: apiError(400, 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 6'),
      faults: "illegal base64 data at input byte 6",
    },
    {
      reason: "server-side apply, which calls it an internal error",
      error: apiError(
        500,
        "failed to create typed patch object (/a; /v1, Kind=Secret): .dataa: field not declared in schema",
      ),
      faults: ".dataa: field not declared in schema",
    },
    {
      reason: "server-side apply of several wrong fields, for which the server repeats the values",
      error: apiError(
        500,
        'failed to create typed patch object (shop/a; /v1, Kind=Secret): errors:\n  .stringData.b: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"c":"hunter22"}}\n  .stringData: expected map, got &{hunter22}\n  .spec.replicas: expected numeric (int or float), got string',
      ),
      faults:
        ".stringData.b: expected string, .stringData: expected map, .spec.replicas: expected numeric (int or float), got string",
    },
    {
      reason: "server-side apply of what cannot be decoded",
      error: apiError(
        500,
        "failed to convert new object (/a; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 6",
      ),
      faults: "illegal base64 data at input byte 6",
    },
  ])("$reason: the user must change something, and no value is repeated", ({ error, faults }) => {
    const explained = explainRejectedWrite(error, "Secret shop/a");
    expect(explained).toBeInstanceOf(InputError);
    expect(String(explained)).toBe(
      `InputError: Secret shop/a: the object does not fit its schema: ${faults}; correct these fields`,
    );
    expect(describeError(explained)).not.toContain("hunter22");
  });

  it.each([
    {
      reason: "an immutable field, which some know how to deal with",
      error: apiError(422, 'Service "a" is invalid: spec.clusterIP: Invalid value: "x": field is immutable'),
    },
    { reason: "a version that has changed", error: apiError(409, "the object has been modified") },
    { reason: "a server in trouble", error: apiError(500, "etcdserver: request timed out") },
    { reason: "something else", error: new TypeError("odd") },
  ])("passes on $reason", ({ error }) => {
    expect(explainRejectedWrite(error, "Secret shop/a")).toBe(error);
  });
});
