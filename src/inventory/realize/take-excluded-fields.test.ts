import { expect, test } from "vitest";
import { ApiError, type KubeObject, type StatusCause } from "#kube";
import { takeExcludedFields } from "./take-excluded-fields.ts";
import type { Writer } from "./writer.ts";

const never = new AbortController().signal;

function refusal(...causes: readonly StatusCause[]): ApiError {
  return new ApiError("Deployment a is invalid", { status: 422, reason: "Invalid", details: { causes } });
}

/** A Deployment whose first variable has these fields. */
function workload(variable: object, managedFields: readonly object[] = []): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", namespace: "n", resourceVersion: "7", managedFields: [...managedFields] },
    spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "A", ...variable }] }] } } },
  };
}

/** Who holds which fields of the variable. */
function holder(manager: string, fields: object, operation = "Apply"): object {
  const env = { "f:env": { 'k:{"name":"A"}': fields } };
  const fieldsV1 = { "f:spec": { "f:template": { "f:spec": { "f:containers": { 'k:{"name":"main"}': env } } } } };
  return { manager, operation, apiVersion: "apps/v1", fieldsType: "FieldsV1", fieldsV1 };
}

const field = "spec.template.spec.containers[0].env[0].valueFrom";
const message = "may not be specified when `value` is not empty";
const theirs = { ".": {}, "f:name": {}, "f:valueFrom": { "f:configMapKeyRef": {} } };
const live = workload({ valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }, [
  holder("tenon", { ".": {}, "f:name": {} }),
  holder("kubectl-set", theirs, "Update"),
]);

/** What is sent to make the fields ours; `undefined` if nothing is. */
async function taken(error: ApiError, found = live): Promise<unknown> {
  let sent: unknown;
  const writer: Pick<Writer, "patch"> = {
    async patch(_, { body }) {
      sent = body;
      return found;
    },
  };
  const context = { writer, fieldManager: "tenon" };
  const result = await takeExcludedFields(error, { object: workload({ value: "x" }), live: found }, context, never);
  expect(result).toBe(sent === undefined ? undefined : found);
  return sent;
}

test("the field that excludes ours becomes ours, and no other manager's, unless the object has changed", async () => {
  expect(await taken(refusal({ field, message, reason: "FieldValueInvalid" }))).toEqual([
    {
      op: "replace",
      path: "/metadata/managedFields",
      value: [
        holder("tenon", { ".": {}, "f:name": {}, "f:valueFrom": {} }),
        holder("kubectl-set", { ".": {}, "f:name": {} }, "Update"),
      ],
    },
    { op: "replace", path: "/metadata/resourceVersion", value: "7" },
  ]);
});

test.each([
  { reason: "the value is wrong", causes: [{ field, message: "Unsupported value", reason: "FieldValueNotSupported" }] },
  { reason: "the server names no field", causes: [{ message }] },
  { reason: "the field is not a path", causes: [{ field: "spec.[", message }] },
  { reason: "there is no such item", causes: [{ field: field.replace("env[0]", "env[3]"), message }] },
  { reason: "the field is not there", causes: [{ field: field.replace("valueFrom", "elsewhere"), message }] },
])("nothing is taken if $reason", async ({ causes }) => {
  expect(await taken(refusal(...causes))).toBeUndefined();
});

test("nothing is taken of an object that we have not applied", async () => {
  const found = workload({ valueFrom: {} }, [holder("kubectl-set", theirs, "Update")]);
  expect(await taken(refusal({ field, message }), found)).toBeUndefined();
});
