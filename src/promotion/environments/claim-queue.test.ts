import { array, assert, boolean, constantFrom, integer, nat, property, record } from "fast-check";
import { expect, test } from "vitest";
import { findQueuePlace, type QueuedClaim } from "./claim-queue.ts";

const second = (count: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, count)).toISOString();
const claim = (key: string, created: number, hasEnvironment = false): QueuedClaim => ({
  key,
  namespace: key.replace(/\/.*/, ""),
  createdAt: second(created),
  hasEnvironment,
});
const limits = { name: "small", maxPerNamespace: 2, maxTotal: Number.POSITIVE_INFINITY };

test("P56: a claim above the quota of its namespace waits, and says its place and why", () => {
  const claims = [claim("a/1", 1, true), claim("a/2", 2, true), claim("a/3", 3), claim("a/4", 4), claim("b/1", 5)];
  const message = "namespace a has 2 of 2 environments of class small";
  expect(findQueuePlace("a/3", claims, limits)).toEqual({
    isTurn: false,
    place: 1,
    message: `place 1 in the queue: ${message}`,
  });
  expect(findQueuePlace("a/4", claims, limits)).toMatchObject({ place: 2 });
  expect(findQueuePlace("b/1", claims, limits)).toEqual({ isTurn: true });
});

test("the oldest waiting claim is next, and of the same second the first by name", () => {
  const claims = [claim("a/z", 1), claim("a/b", 2), claim("a/a", 2), claim("a/have", 9, true)];
  expect(findQueuePlace("a/z", claims, limits).isTurn).toBe(true);
  expect(findQueuePlace("a/a", claims, limits)).toMatchObject({ isTurn: false, place: 1 });
  expect(findQueuePlace("a/b", claims, limits)).toMatchObject({ isTurn: false, place: 2 });
});

test("a class that is full for all says so, and a namespace that is full does not hold up others", () => {
  const full = { ...limits, maxTotal: 3 };
  const claims = [claim("a/1", 1, true), claim("a/2", 2, true), claim("a/3", 3), claim("b/1", 4), claim("b/2", 5)];
  expect(findQueuePlace("b/1", claims, full).isTurn).toBe(true);
  expect(findQueuePlace("b/2", claims, full)).toEqual({
    isTurn: false,
    place: 1,
    message: "place 1 in the queue: there are 3 of 3 environments of class small",
  });
});

test("a long queue is not counted to its end", () => {
  const claims = Array.from({ length: 300 }, (_, index) => claim(`a/${index}`, index, index < 2));
  expect(findQueuePlace("a/299", claims, limits)).toMatchObject({
    place: 101,
    message: expect.stringContaining("more than 100"),
  });
});

test("whatever the queue, the claims whose turn it is never exceed a quota, and the first come first", () => {
  const anyClaims = array(
    record({ namespace: constantFrom("a", "b", "c"), created: nat(20), hasEnvironment: boolean() }),
    { maxLength: 30 },
  );
  assert(
    property(anyClaims, integer({ min: 1, max: 5 }), integer({ min: 1, max: 8 }), (given, per, maxTotal) => {
      const claims = given.map(({ namespace, created, hasEnvironment }, index) =>
        claim(`${namespace}/${index}`, created, hasEnvironment),
      );
      const asked = { name: "any", maxPerNamespace: per, maxTotal };
      const turns = claims.filter((one) => !one.hasEnvironment && findQueuePlace(one.key, claims, asked).isTurn);
      const count = (namespace?: string) =>
        claims.filter(
          (one) =>
            (namespace === undefined || one.namespace === namespace) && (one.hasEnvironment || turns.includes(one)),
        ).length;
      const had = (namespace?: string) =>
        claims.filter((one) => one.hasEnvironment && (namespace === undefined || one.namespace === namespace)).length;
      expect(count()).toBeLessThanOrEqual(Math.max(maxTotal, had()));
      for (const namespace of ["a", "b", "c"])
        expect(count(namespace)).toBeLessThanOrEqual(Math.max(per, had(namespace)));
      for (const one of turns) {
        const older = claims.filter(
          (other) => !other.hasEnvironment && other.namespace === one.namespace && other.createdAt < one.createdAt,
        );
        expect(older.every((other) => turns.includes(other))).toBe(true);
      }
    }),
    { seed: 23 },
  );
});
