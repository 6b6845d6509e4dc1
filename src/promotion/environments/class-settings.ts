import { parseDuration } from "#base";
import { environmentRole, type EphemeralClass } from "../kinds/ephemeral-class.ts";

/** A class with its defaults. */
export interface ClassSettings {
  readonly name: string;
  readonly spec: EphemeralClass["spec"];
  readonly clusterRole: string;
  readonly podSecurity: string;
  readonly ttlDefaultMs: number;
  readonly ttlMaxMs: number;
  readonly graceMs: number;
  readonly tokenMs: number;
  readonly maxPerNamespace: number;
  readonly maxTotal: number;
}

const minute = 60_000;
/** The API server gives no token for less. */
const shortestTokenMs = 10 * minute;

export const defaultTtlMs = 60 * minute;

export function readClassSettings({ metadata: { name }, spec }: EphemeralClass): ClassSettings {
  const ttlMaxMs = durationMs(spec.ttlMax, 240 * minute);
  return {
    name,
    spec,
    clusterRole: spec.clusterRole ?? environmentRole,
    podSecurity: spec.podSecurity ?? "baseline",
    ttlDefaultMs: Math.min(durationMs(spec.ttlDefault, defaultTtlMs), ttlMaxMs),
    ttlMaxMs,
    graceMs: durationMs(spec.grace, minute),
    tokenMs: Math.max(durationMs(spec.tokenLifetime, 60 * minute), shortestTokenMs),
    maxPerNamespace: spec.maxPerNamespace ?? 5,
    maxTotal: spec.maxTotal ?? Number.POSITIVE_INFINITY,
  };
}

function durationMs(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : (parseDuration(text) ?? otherwise);
}
