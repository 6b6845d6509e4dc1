import { createHash } from "node:crypto";
import type { TypeDescription } from "../type-description.ts";
import { QuerySchema } from "./query-schema.ts";

const byIdentity = new WeakMap<readonly TypeDescription[], QuerySchema>();
const byContent = new Map<string, WeakRef<QuerySchema>>();

/** The schema of a description, made once for as long as somebody uses it: a reload seldom changes the types. */
export function shareSchema(types: readonly TypeDescription[]): QuerySchema {
  const known = byIdentity.get(types);
  if (known !== undefined) return known;
  const content = createHash("sha256").update(JSON.stringify(types)).digest("hex");
  const schema = byContent.get(content)?.deref() ?? new QuerySchema(types);
  for (const [key, reference] of byContent) {
    if (reference.deref() === undefined) byContent.delete(key);
  }
  byContent.set(content, new WeakRef(schema));
  byIdentity.set(types, schema);
  return schema;
}
