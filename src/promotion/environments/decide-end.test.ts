import { describe, expect, test } from "vitest";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { EphemeralClass } from "../kinds/ephemeral-class.ts";
import { readClassSettings } from "./class-settings.ts";
import { type ClassState, decideEnd, type OwnerState } from "./decide-end.ts";

const created = Date.UTC(2026, 0, 2, 3, 4, 5);
const minute = 60_000;
const at = (ms: number) => new Date(ms).toISOString();
const { apiVersion, kind } = EphemeralClass;
const spec = { ttlDefault: "30m", ttlMax: "2h", grace: "5m" };
const settings = readClassSettings(EphemeralClass.parse({ apiVersion, kind, metadata: { name: "small" }, spec }));
const small: ClassState = { kind: "usable", settings };

function claimOf(given: { spec?: object; status?: object; metadata?: object } = {}) {
  const { status, metadata = {} } = given;
  return EphemeralClaim.parse({
    apiVersion: EphemeralClaim.apiVersion,
    kind: EphemeralClaim.kind,
    metadata: { name: "e2e", namespace: "shop", creationTimestamp: at(created), ...metadata },
    spec: { className: "small", ...given.spec },
    ...(status ? { status } : {}),
  });
}

const none: OwnerState = { kind: "none" };

describe("when a claim ends", () => {
  test.each([
    { reason: "the class says how long", asked: {}, minutes: 30 },
    { reason: "the claim says how long", asked: { ttl: "10m" }, minutes: 10 },
    { reason: "P56: the class allows no longer", asked: { ttl: "100h" }, minutes: 120 },
  ])("its TTL is $minutes min: $reason", ({ asked, minutes }) => {
    const facts = { claim: claimOf({ spec: asked }), class: small, owner: none, now: created };
    const { expiresAt, ending } = decideEnd(facts);
    expect(ending).toBeUndefined();
    expect(expiresAt).toBe(created + minutes * minute);
    expect(decideEnd({ ...facts, now: expiresAt - 1 }).ending).toBeUndefined();
    expect(decideEnd({ ...facts, now: expiresAt }).ending?.reason).toBe("Expired");
  });

  test("the TTL begins when it is the claim's turn", () => {
    const admitted = created + 20 * minute;
    const claim = claimOf({ status: { phase: "Ready", admittedAt: at(admitted) } });
    expect(decideEnd({ claim, class: small, owner: none, now: admitted }).expiresAt).toBe(admitted + 30 * minute);
  });

  test("a turn that is said to be in the future begins now", () => {
    const claim = claimOf({ status: { phase: "Ready", admittedAt: at(created + 1_000 * minute) } });
    expect(decideEnd({ claim, class: small, owner: none, now: created }).expiresAt).toBe(created + 30 * minute);
  });

  test("a turn that someone else's status puts off again and again ends the claim at twice its TTL even so", () => {
    const now = created + 60 * minute;
    for (const admittedAt of [at(now), at(created + 1_000_000 * minute)]) {
      const claim = claimOf({ status: { phase: "Ready", admittedAt } });
      expect(decideEnd({ claim, class: small, owner: none, now }).ending?.reason).toBe("Expired");
    }
  });

  test("a claim ends the grace after its owner has ended, and says what it was", () => {
    const owner = { kind: "ended", what: "PipelineRun shop/run", at: created + minute } as const;
    const facts = { claim: claimOf(), class: small, owner, now: created + 2 * minute };
    const { ending, dueAt } = decideEnd(facts);
    expect(ending).toBeUndefined();
    expect(dueAt).toBe(created + 6 * minute);
    expect(decideEnd({ ...facts, now: dueAt }).ending).toEqual({
      reason: "OwnerEnded",
      message: "PipelineRun shop/run has ended",
    });
  });

  test("an owner that does not exist keeps nothing alive for longer than the grace", () => {
    const owner = { kind: "gone", what: "PipelineRun shop/run" } as const;
    const facts = { claim: claimOf(), class: small, owner, now: created + 5 * minute };
    expect(decideEnd(facts).ending?.reason).toBe("OwnerEnded");
  });

  test("a running owner does not outlast the TTL", () => {
    const facts = { claim: claimOf(), class: small, owner: { kind: "running" } as const, now: created + 30 * minute };
    expect(decideEnd(facts).ending?.reason).toBe("Expired");
  });

  test("a class that is being deleted ends its claims", () => {
    const revoked: ClassState = { kind: "revoked", settings };
    expect(decideEnd({ claim: claimOf(), class: revoked, owner: none, now: created }).ending?.reason).toBe(
      "ClassRevoked",
    );
  });

  test("a claim whose class does not exist yet waits, and one that had its turn ends", () => {
    const absent = { kind: "absent" } as const;
    const waiting = decideEnd({ claim: claimOf(), class: absent, owner: none, now: created });
    expect(waiting.ending).toBeUndefined();
    const claim = claimOf({ status: { phase: "Ready", admittedAt: at(created) } });
    expect(decideEnd({ claim, class: absent, owner: none, now: created }).ending?.reason).toBe("ClassRevoked");
  });

  test("a deleted claim ends, whatever else is the case", () => {
    const claim = claimOf({ metadata: { deletionTimestamp: at(created) } });
    expect(decideEnd({ claim, class: small, owner: { kind: "running" }, now: created }).ending?.reason).toBe("Deleted");
  });
});
