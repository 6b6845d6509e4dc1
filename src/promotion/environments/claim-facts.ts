import { isRecord } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { type ClaimPhase, claimPhases, EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { EphemeralClass } from "../kinds/ephemeral-class.ts";
import { byClassName, type ClaimDeps } from "./claim-deps.ts";
import { readClassSettings } from "./class-settings.ts";
import type { ClaimFacts, ClassState, OwnerState } from "./decide-end.ts";
import type { QueuedClaim } from "./claim-queue.ts";
import { environmentName } from "./environment-provider.ts";
import { findOwner, readOwnerState } from "./owner-state.ts";

/** Everything that decides about a claim, as it is now. */
export async function readClaimFacts(claim: EphemeralClaim, deps: ClaimDeps, signal: AbortSignal): Promise<ClaimFacts> {
  return {
    claim,
    class: readClassState(claim.spec.className, deps),
    owner: await findOwnerState(claim, deps, signal),
    now: deps.clock.now(),
  };
}

export function readClassState(name: string, { classes }: Pick<ClaimDeps, "classes">): ClassState {
  const object = classes.get(name);
  if (!object) return { kind: "absent" };
  const settings = readClassSettings(EphemeralClass.parse(object));
  return { kind: object.metadata.deletionTimestamp === undefined ? "usable" : "revoked", settings };
}

/** An owner that the cache does not have is asked for: it may be as new as the claim. */
async function findOwnerState(claim: EphemeralClaim, deps: ClaimDeps, signal: AbortSignal): Promise<OwnerState> {
  const owner = findOwner(claim);
  if (!owner) return { kind: "none" };
  const { store, isServed } = deps.owners[owner.kind];
  const kept = store.get(`${owner.namespace}/${owner.name}`);
  const object = kept ?? (isServed ? await deps.client.find(owner, signal) : undefined);
  return readOwnerState(owner, object);
}

/** The phase as its status says; `Pending` if it says nothing that is one. */
export function phaseOfClaim({ status }: KubeObject): ClaimPhase {
  const phase = isRecord(status) ? status["phase"] : undefined;
  return claimPhases.find((one) => one === phase) ?? "Pending";
}

export function hasClaimEnded(claim: KubeObject): boolean {
  const phase = phaseOfClaim(claim);
  return phase === "Released" || phase === "Failed";
}

/** The claims of a class that have an environment or wait for one. */
export function queueOf(className: string, { claims, admitted, namespaces }: ClaimDeps): readonly QueuedClaim[] {
  return claims.byIndex(byClassName, className).flatMap((claim) => {
    const { namespace = "", creationTimestamp = "", uid = "", deletionTimestamp } = claim.metadata;
    const key = keyOf(claim);
    const phase = phaseOfClaim(claim);
    // A namespace counts whatever a status says.
    const isMade = namespaces.get(environmentName({ uid })) !== undefined;
    const hasEnvironment =
      isMade || admitted.has(key) || phase === "Provisioning" || phase === "Ready" || phase === "Releasing";
    if (!hasEnvironment && (deletionTimestamp !== undefined || hasClaimEnded(claim))) return [];
    return [{ key, namespace, createdAt: creationTimestamp, hasEnvironment }];
  });
}

/** A status that someone else wrote, or of another version, is not believed. */
export function readClaim(object: KubeObject): EphemeralClaim {
  try {
    return EphemeralClaim.parse(object);
  } catch {
    const { status: _, ...rest } = object;
    return EphemeralClaim.parse(rest);
  }
}
