import { ConflictError } from "#base";
import type { ApiError } from "../transport/api-error.ts";

/** A field that another field manager owns. */
export interface FieldConflict {
  readonly manager: string;
  readonly field: string;
}

/** Server-side apply would change fields of other managers. Names each field and its manager. */
export class FieldConflictError extends ConflictError {
  readonly conflicts: readonly FieldConflict[];

  constructor(where: string, conflicts: readonly FieldConflict[], cause: ApiError) {
    const managers = [...new Set(conflicts.map(({ manager }) => manager))].toSorted();
    const parts = managers.map((manager) => {
      const fields = conflicts.filter((conflict) => conflict.manager === manager).map(({ field }) => field);
      return `${fields.toSorted().join(", ")} (${manager})`;
    });
    super(`other field managers own fields that differ: ${parts.join("; ")}`, {
      where,
      owner: managers.join(", "),
      next: "leave these fields out, or remove them from the other managers",
      cause,
    });
    this.conflicts = conflicts;
  }
}

/** Undefined for any other error. */
export function readFieldConflicts(error: ApiError): FieldConflict[] | undefined {
  const causes = error.details?.causes?.filter(({ reason }) => reason === "FieldManagerConflict") ?? [];
  if (causes.length === 0) return undefined;
  return causes.map(({ message = "", field = "" }) => ({ manager: managerIn(message) ?? message, field }));
}

/** The cause's message is `conflict with "kubectl" using v1` or `conflict with "kubectl" with subresource "status" using v1`. */
function managerIn(message: string): string | undefined {
  return /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1];
}
