import { hash } from "node:crypto";
import { canonicalText } from "../resource/canonical-text.ts";
import type { Plan } from "./plan.ts";

/** The same for the same plan, also when it was read from a file: Secrets, whose bodies are not in it, are known by their hashes. */
export function planId(plan: Omit<Plan, "id">): string {
  const actions = plan.actions.map((action) => (action.kind === "Secret" ? { ...action, body: undefined } : action));
  return hash("sha256", canonicalText(JSON.parse(JSON.stringify({ ...plan, actions })))).slice(0, 16);
}
