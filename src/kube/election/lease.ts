import { z } from "zod";
import type { KubeObject, NewObject, ObjectRef } from "../client/object.ts";

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/ */
const LeaseSpec = z.object({
  holderIdentity: z.string().default(""),
  leaseDurationSeconds: z.number().default(0),
  acquireTime: z.string().default(""),
  renewTime: z.string().default(""),
  leaseTransitions: z.number().default(0),
});

/** The fields of a Lease; `holder` is empty when there is no leader. */
export interface LeaseRecord {
  readonly holder: string;
  readonly durationMs: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

export function readLease({ spec }: KubeObject): LeaseRecord {
  const fields = LeaseSpec.parse(spec ?? {});
  return {
    holder: fields.holderIdentity,
    durationMs: fields.leaseDurationSeconds * 1000,
    acquireTime: fields.acquireTime,
    renewTime: fields.renewTime,
    transitions: fields.leaseTransitions,
  };
}

/** The Lease with this record; other fields stay. Keeps the resourceVersion, so that a replace is conditional. */
export function writeLease(lease: KubeObject, record: LeaseRecord): KubeObject {
  const spec = typeof lease.spec === "object" ? lease.spec : {};
  return { ...lease, spec: { ...spec, ...specOf(record) } };
}

export function newLease({ apiVersion, kind, namespace, name }: ObjectRef, record: LeaseRecord): NewObject {
  const metadata = namespace === undefined ? { name } : { namespace, name };
  return { apiVersion, kind, metadata, spec: specOf(record) };
}

function specOf({ holder, durationMs, acquireTime, renewTime, transitions }: LeaseRecord) {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: durationMs / 1000,
    acquireTime,
    renewTime,
    leaseTransitions: transitions,
  };
}
