import { expect, test } from "vitest";
import { mergeReleaseData } from "./merge-release-data.ts";

test("P35: the plan wins over the Release, and the admission over both; lists are replaced", () => {
  const release = { a: 1, x: { p: 1 }, l: [9, 9] };
  const plan = { a: 2, x: { q: 2 } };
  const admission = { a: 3, l: [1] };
  expect(mergeReleaseData({ release, plan, admission })).toEqual({ a: 3, x: { p: 1, q: 2 }, l: [1] });
});

test("P35: a product in the data of a plan or a Release is refused, and accepted in an admission", () => {
  const notes = { releaseNotes: { cpe: "cpe:/a", topic: "x" } };
  const none = { release: undefined, plan: undefined, admission: undefined };
  expect(() => mergeReleaseData({ ...none, plan: notes })).toThrow("releaseNotes.cpe");
  expect(() => mergeReleaseData({ ...none, release: notes })).toThrow("ReleasePlanAdmission");
  expect(mergeReleaseData({ ...none, admission: notes })).toEqual(notes);
});

test("data with the key __proto__ changes nothing but itself", () => {
  const release: unknown = JSON.parse('{"__proto__": {"isAdmin": true}}');
  const merged = mergeReleaseData({ release, plan: { x: {} }, admission: undefined });
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(merged["isAdmin"]).toBeUndefined();
});
