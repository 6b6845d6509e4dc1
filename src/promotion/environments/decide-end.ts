import { formatDuration, parseDuration } from "#base";
import type { EndReason, EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { type ClassSettings, defaultTtlMs } from "./class-settings.ts";

/** The class of a claim: absent, about to be deleted, or usable. */
export type ClassState =
  | { readonly kind: "absent" }
  | { readonly kind: "revoked"; readonly settings: ClassSettings }
  | { readonly kind: "usable"; readonly settings: ClassSettings };

/** The run that a claim is for. */
export type OwnerState =
  | { readonly kind: "none" }
  | { readonly kind: "running" }
  /** `at`: when, in milliseconds since 1970. */
  | { readonly kind: "ended"; readonly what: string; readonly at: number }
  | { readonly kind: "gone"; readonly what: string };

export interface ClaimFacts {
  readonly claim: EphemeralClaim;
  readonly class: ClassState;
  readonly owner: OwnerState;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface EndDecision {
  /** Undefined while the environment lives. */
  readonly ending?: { readonly reason: EndReason; readonly message: string };
  /** When it ends at the latest. */
  readonly expiresAt: number;
  /** When to decide again. */
  readonly dueAt: number;
}

/** Whether a claim ends now, and when it will. Whatever the owner does, it ends by its TTL. */
export function decideEnd(facts: ClaimFacts): EndDecision {
  const { claim, class: of, owner, now } = facts;
  const ttlMs = lifetimeOf(facts);
  const startedAt = startOf(claim, ttlMs, now);
  const expiresAt = startedAt + ttlMs;
  const graceMs = of.kind === "absent" ? 0 : of.settings.graceMs;
  const createdAt = epochOf(claim.metadata.creationTimestamp) ?? now;
  const ownerEnd = owner.kind === "ended" ? owner.at + graceMs : createdAt + graceMs;
  const hasOwnerEnded = owner.kind === "ended" || owner.kind === "gone";
  const dueAt = hasOwnerEnded ? Math.min(ownerEnd, expiresAt) : expiresAt;
  const end = (reason: EndReason, message: string): EndDecision => ({ ending: { reason, message }, expiresAt, dueAt });
  if (claim.metadata.deletionTimestamp !== undefined) return end("Deleted", "the claim was deleted");
  if (of.kind === "revoked") return end("ClassRevoked", `EphemeralClass ${of.settings.name} is being deleted`);
  if (of.kind === "absent" && claim.status?.admittedAt !== undefined) {
    return end("ClassRevoked", `EphemeralClass ${claim.spec.className} was deleted`);
  }
  if (now >= expiresAt) return end("Expired", `its time to live of ${formatDuration(ttlMs)} is over`);
  if (hasOwnerEnded && now >= ownerEnd) {
    const what = owner.kind === "ended" ? "has ended" : "does not exist";
    return end("OwnerEnded", `${owner.what} ${what}`);
  }
  return { expiresAt, dueAt };
}

/** No longer than the class allows, whatever the claim asks for. */
function lifetimeOf({ claim, class: of }: ClaimFacts): number {
  const asked = claim.spec.ttl === undefined ? undefined : parseDuration(claim.spec.ttl);
  if (of.kind === "absent") return Math.min(asked ?? defaultTtlMs, defaultTtlMs);
  return Math.min(asked ?? of.settings.ttlDefaultMs, of.settings.ttlMaxMs);
}

/**
 * The time in the queue does not count; a claim that never gets its turn ends too. So none begins later than its TTL after its
 * creation, whatever a status says that someone else wrote.
 */
function startOf({ metadata, status }: EphemeralClaim, ttlMs: number, now: number): number {
  const created = epochOf(metadata.creationTimestamp) ?? now;
  return Math.min(epochOf(status?.admittedAt) ?? created, created + ttlMs, now);
}

export function epochOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
