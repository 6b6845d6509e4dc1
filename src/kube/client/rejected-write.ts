import { InputError } from "#base";
import { ApiError } from "../transport/api-error.ts";
import { FieldConflictError, readFieldConflicts } from "./field-conflict-error.ts";

/**
 * What to throw when the server rejected a write: `FieldConflictError` for fields of others, `InputError` for an object
 * that does not fit its schema, which server-side apply reports as a 500, else the error itself.
 *
 * The `InputError` has no cause: the server's message may repeat values, and for patches the whole object, Secrets too.
 */
export function explainRejectedWrite(error: unknown, where: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const conflicts = readFieldConflicts(error);
  if (conflicts) return new FieldConflictError(where, conflicts, error);
  const faults = readSchemaFaults(error);
  if (faults.length === 0) return error;
  return new InputError(`the object does not fit its schema: ${faults.join(", ")}`, {
    where,
    next: "correct these fields",
  });
}

function readSchemaFaults({ status, said }: ApiError): string[] {
  const message = said.replace(/ \(\d+ \w+\)$/, "");
  if (status === 500) return readTypedPatchFaults(message);
  if (status !== 400 && status !== 422) return [];
  const strict = /strict decoding error: (.*)$/s.exec(message)?.[1];
  if (strict !== undefined) return strict.split(/, (?=unknown field|duplicate field)/);
  const decoding =
    /cannot be handled as an? \S+: (.*)$/s.exec(message) ?? /\bpatch: Invalid value: ".*": (.*)$/s.exec(message);
  return decoding?.[1] === undefined ? [] : [decoding[1]];
}

/** https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/typed/validate.go */
function readTypedPatchFaults(message: string): string[] {
  const convert = /failed to convert new object .*(?:: |^)(.*)$/s.exec(message)?.[1];
  if (convert !== undefined) return [convert];
  const faults = /failed to create typed (?:patch|new) object \([^)]*\): (?:errors:\n)?(.*)$/s.exec(message)?.[1];
  return faults?.split(/\n\s*(?=\.)/).map((fault) => withoutValue(fault.trim())) ?? [];
}

/** A fault may end in the value that is there: `.data.a: expected string, got &value.valueUnstructured{Value:42}`. */
function withoutValue(fault: string): string {
  return fault.replace(/, got &.*$/s, "");
}
