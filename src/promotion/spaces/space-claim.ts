import { createHash } from "node:crypto";
import type { KubeObject } from "#kube";
import { findOwner } from "../environments/owner-state.ts";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import type { SpaceRequest } from "../kinds/space-request.ts";

/**
 * The claim of a SpaceRequest. The uid makes its name the same after a kill, and another one for a SpaceRequest that replaces
 * one of the same name, whose environment may not be gone yet.
 */
export function claimRefOfSpace({ metadata: { name, namespace = "", uid = "" } }: Pick<KubeObject, "metadata">) {
  const hash = createHash("sha256").update(uid).digest("hex").slice(0, 8);
  const { apiVersion, kind } = EphemeralClaim;
  return { apiVersion, kind, namespace, name: `${name.slice(0, 200)}-${hash}` };
}

/** Kubernetes deletes the claim with its SpaceRequest, and that, if it is asked to wait, only after the claim. */
export function claimForSpace(request: SpaceRequest): KubeObject {
  const { apiVersion, kind, name, namespace } = claimRefOfSpace(request);
  const { metadata, spec } = request;
  const owner = findOwner({ metadata, spec: { className: spec.tierName } });
  const { uid = "" } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ownerReferences: [
        {
          apiVersion: request.apiVersion,
          kind: request.kind,
          name: metadata.name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      className: spec.tierName,
      ...(owner ? { ownerRef: { kind: owner.kind, name: owner.name, uid: owner.uid } } : {}),
    },
  };
}

/** Whether a SpaceRequest made this claim, and no one of the same name before it. */
export function isClaimOf({ metadata }: KubeObject, request: Pick<KubeObject, "metadata">): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid, controller }) => uid === request.metadata.uid && controller);
}

/** A status that someone else wrote is not believed. */
export function withoutStatus({ status: _status, ...rest }: KubeObject): KubeObject {
  return rest;
}
