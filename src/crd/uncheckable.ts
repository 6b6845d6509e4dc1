import type { z } from "zod";
import { refusal, type SchemaPath } from "./refusal.ts";

/** For a check of zod's that a schema cannot carry over. */
export function uncheckable(check: z.core.$ZodCheck, path: SchemaPath): Error {
  const name = check._zod.def.check;
  if (name === "custom") {
    return refusal(path, "a refinement in JavaScript means nothing to the API server", "use validations() of #crd");
  }
  if (name === "overwrite") {
    return refusal(path, "the API server does not change values", "leave out .trim(), .toLowerCase() and the like");
  }
  return refusal(path, `nothing in Kubernetes corresponds to the check ${name}`, "use validations() of #crd");
}
