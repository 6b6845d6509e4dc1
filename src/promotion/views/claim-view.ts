import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { type ClaimPhase, EphemeralClaim } from "../kinds/ephemeral-claim.ts";

/** A claim as tables and explanations show it. */
export interface ClaimView {
  readonly namespace: string;
  readonly claim: string;
  readonly className: string;
  readonly phase: ClaimPhase;
  /** The namespace of the environment. */
  readonly environment?: string;
  readonly server?: string;
  readonly secret?: string;
  /** The run that it is for. */
  readonly owner?: string;
  readonly created: string;
  readonly readyAt?: string;
  readonly expiresAt?: string;
  readonly tokenExpiresAt?: string;
  /** Why it waits, ends or failed. */
  readonly message?: string;
  readonly next?: string;
}

export function viewClaim(object: KubeObject): ClaimView {
  const { metadata, spec, status } = EphemeralClaim.parse(object);
  const phase = status?.phase ?? "Pending";
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const message = status?.ending?.message ?? ready?.message;
  const owner = spec.ownerRef ?? firstOwner(object);
  const next = adviseClaim(phase, ready?.reason);
  return {
    namespace: metadata.namespace ?? "",
    claim: metadata.name,
    className: spec.className,
    phase,
    ...(status?.namespace === undefined ? {} : { environment: status.namespace }),
    ...(status?.server === undefined ? {} : { server: status.server }),
    ...(status?.secretRef === undefined ? {} : { secret: status.secretRef.name }),
    ...(owner ? { owner: `${owner.kind} ${owner.name}` } : {}),
    created: object.metadata.creationTimestamp ?? "",
    ...(status?.readyAt === undefined ? {} : { readyAt: status.readyAt }),
    ...(status?.expiresAt === undefined ? {} : { expiresAt: status.expiresAt }),
    ...(status?.tokenExpiresAt === undefined ? {} : { tokenExpiresAt: status.tokenExpiresAt }),
    ...(phase === "Ready" || message === undefined ? {} : { message }),
    ...(next === undefined ? {} : { next }),
  };
}

function firstOwner({ metadata: { ownerReferences = [] } }: KubeObject) {
  return ownerReferences.find((owner) => isRecord(owner));
}

function adviseClaim(phase: ClaimPhase, reason: string | undefined): string | undefined {
  if (reason === undefined && phase === "Pending") {
    return "Tenon has not looked at it yet; check that `tenon run --only promote --promote environments` runs";
  }
  if (reason === "ClassNotFound") return "create the class, or delete the claim and name another";
  if (phase === "Failed") return "correct what the message says, then make another claim";
  return undefined;
}
