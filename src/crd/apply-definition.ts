import { z } from "zod";
import { ConflictError, InputError } from "#base";
import type { CrdApi } from "./crd-api.ts";
import { type CustomResourceDefinition, fieldManager } from "./custom-resource-definition.ts";

const Conflict = z.object({ conflicts: z.array(z.object({ manager: z.string(), field: z.string() })).min(1) });
const Invalid = z.object({ status: z.literal(422), message: z.string() });

/** Applies, and takes fields from other managers only if all of them are listed. */
export async function applyDefinition(
  api: CrdApi,
  definition: CustomResourceDefinition,
  takeOverFrom: readonly string[],
  signal?: AbortSignal,
): Promise<unknown> {
  const where = `CustomResourceDefinition ${definition.metadata.name}`;
  try {
    return await api.apply(definition, { fieldManager }, signal);
  } catch (error) {
    const invalid = Invalid.safeParse(error);
    if (invalid.success) throw new InputError(invalid.data.message, { where, cause: error });
    const conflict = Conflict.safeParse(error);
    if (!conflict.success) throw error;
    const owners = [...new Set(conflict.data.conflicts.map(({ manager }) => manager))].toSorted();
    if (owners.some((owner) => !takeOverFrom.includes(owner))) {
      throw new ConflictError(`${fieldsOf(conflict.data)} would change`, {
        owner: owners.join(", "),
        where,
        next: `leave the definition to them, or take it over from ${owners.join(", ")}`,
        cause: error,
      });
    }
  }
  return await api.apply(definition, { fieldManager, force: true }, signal);
}

function fieldsOf({ conflicts }: z.infer<typeof Conflict>): string {
  const fields = [...new Set(conflicts.map(({ field }) => field.replace(/^\./, "")))].toSorted();
  return `${fields.slice(0, 3).join(", ")}${fields.length > 3 ? " and more" : ""}`;
}
