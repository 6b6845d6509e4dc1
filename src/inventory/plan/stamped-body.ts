import type { JsonObject } from "#base";
import { compareResources } from "../compare/compare-resources.ts";
import { plainBody } from "../resource/plain-body.ts";
import type { InventoryEntry } from "../resource-inventory.ts";
import type { Action } from "./plan.ts";

/** What an action sends, found again in what is wanted; `undefined` if that has another hash now. */
export function stampedBody(entry: InventoryEntry | undefined, { name, kind, sha256 }: Action): JsonObject | undefined {
  const wanted = entry?.desired.get(name);
  if (!wanted) return undefined;
  const current = entry?.current.get(name);
  const desired = current ? compareResources(wanted, current).desired : wanted;
  return desired.sha256() === sha256 ? plainBody(desired.stamped(), `${kind} ${name}`) : undefined;
}
