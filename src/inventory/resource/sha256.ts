import { hash } from "node:crypto";
import { canonicalBody } from "./canonical.ts";
import { canonicalBytes } from "./canonical-text.ts";
import type { ExactObject } from "./exact.ts";

/** The hash that owners record on their objects; equal to what qontract-reconcile computes for the same object. */
export function sha256Of(body: ExactObject): string {
  return hash("sha256", canonicalBytes(canonicalBody(body)));
}
