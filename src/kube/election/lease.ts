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

/** Who leads, as a Lease says; `holder` is empty when nobody does. */
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

/** The Lease with this record, and all else as it was. Keeps the resourceVersion, which makes a replacement conditional. */
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

/** The server takes a MicroTime with exactly six places after the second: https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#MicroTime */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}
